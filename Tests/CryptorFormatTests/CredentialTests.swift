import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// A password is all of its bytes, keys have 32, and only the right credential of the right kind
/// opens a message.
@Suite struct CredentialTests {
    private func code(_ body: () throws -> Void) throws -> CryptorError.Code? {
        try caughtError(of: body)?.code
    }

    /// A password that a log can show.
    struct Password: Sendable, ExpressibleByStringLiteral, CustomTestStringConvertible {
        let text: String
        init(stringLiteral text: String) { self.text = text }
        var testDescription: String { text.debugDescription }
    }

    /// Swift compares the first two as equal; as passwords they are not.
    private static let passwords: [(right: Password, wrong: Password)] = [
        ("k\u{e4}se", "ka\u{308}se"), ("password", "Password"), ("password", "password "),
        ("password", "password\n"),
        ("password", "\0password"),
        (Password(stringLiteral: String(repeating: "\0", count: 65)), "a"),
        ("pass\0word", "pass"), ("a", " "), ("\0\u{1}", "\u{1}"), ("🔐🗝️", "🔐"),
        (
            "longer than a block of SHA-1, so that HMAC hashes it before use",
            "longer than a block of SHA-1"
        ),
    ]

    @Test(arguments: passwords)
    func aPasswordIsAllOfItsBytes(right: Password, wrong: Password) throws {
        let (right, wrong) = (right.text, wrong.text)
        let message = try Cryptor.encrypt([1, 2, 3], with: .password(right))
        let header = try MessageHeader(parsing: message)
        for bytes in [Array(right.utf8)[...], ([0] + right.utf8).dropFirst()] {
            #expect(
                try Cryptor.encrypt([1, 2, 3], with: .password(utf8: bytes), header: header)
                    == message)
        }
        for credential in [
            try Credential.password(right), try .password(utf8: right.utf8.lazy.map { $0 }),
        ] {
            #expect(try Cryptor.decrypt(message, with: credential) == [1, 2, 3])
        }
        let other = try Cryptor.encrypt([1, 2, 3], with: .password(wrong))
        #expect(
            try code { _ = try Cryptor.decrypt(message, with: .password(wrong)) }
                == .authenticationFailed)
        #expect(
            try code { _ = try Cryptor.decrypt(other, with: .password(right)) }
                == .authenticationFailed)
    }

    @Test func whatIsNoCredential() throws {
        let codes = try [
            code { _ = try Credential.password("") },
            code { _ = try Credential.password(utf8: [UInt8]()) },
            code { _ = try Credential.password(utf8: "".utf8) },
            code { _ = try Credential.password(utf8: [UInt8](repeating: 0, count: 64)) },
        ]
        #expect(codes.allSatisfy { $0 != nil && $0 == codes[0] }, "\(codes)")
        let right = [UInt8](repeating: 1, count: 32)
        for count in [0, 1, 16, 31, 33, 64] {
            let wrong = [UInt8](repeating: 2, count: count)
            for (encryption, hmac, name) in [(wrong, right, "encryption"), (right, wrong, "HMAC")] {
                let error = try caughtError {
                    _ = try MessageKeys(encryptionKey: encryption, hmacKey: hmac)
                }
                let sentence = error?.description ?? "no error"
                #expect(
                    sentence.contains("\(name) key has \(count.counted("byte"))"), "\(sentence)")
            }
        }
    }

    @Test func aRightHMACKeyIsNotEnough() throws {
        var generator = SeededGenerator(seed: 1)
        let (right, wrong) = (
            try generator.messageKeys().copyKeys(), try generator.messageKeys().copyKeys()
        )
        func credential(_ encryptionKey: [UInt8], _ hmacKey: [UInt8]) throws -> Credential {
            .keys(try MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
        let plaintext = Array("a right HMAC key is not enough".utf8)
        let message = try Cryptor.encrypt(
            plaintext, with: credential(right.encryptionKey, right.hmacKey))
        // The HMAC does not cover the key: a wrong encryption key shows in the padding, but not in
        // one case of 256.
        let mixed = Result {
            try Cryptor.decrypt(message, with: credential(wrong.encryptionKey, right.hmacKey))
                as [UInt8]
        }
        if case .failure(let error) = mixed {
            #expect((error as? CryptorError)?.code == .corruptPadding)
        }
        #expect((try? mixed.get()) != plaintext)
    }

    @Test func keysComeBackAsTheyWere() throws {
        var generator = SeededGenerator()
        let (encryptionKey, hmacKey) = (generator.bytes(32), generator.bytes(32))
        for pair in [
            try MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey),
            try MessageKeys(
                encryptionKey: Data(encryptionKey), hmacKey: ([0] + hmacKey).dropFirst()),
            try MessageKeys(
                encryptionKey: encryptionKey.lazy.map { $0 }, hmacKey: hmacKey.reversed().reversed()
            ),
        ] {
            #expect(pair.copyKeys() == (encryptionKey, hmacKey), "\(generator)")
        }
        let random = try (0..<100).flatMap { _ in
            let keys = try MessageKeys.random().copyKeys()
            return [keys.encryptionKey, keys.hmacKey]
        }
        #expect(Set(random).count == 200 && random.allSatisfy { $0.count == 32 })
        for index in 0..<32 {
            #expect(!random.allSatisfy { $0[index] == 0 }, "byte \(index) of all keys")
        }
    }

    /// A generated password has six groups of five letters. Every letter occurs at every place: one
    /// is missing by chance once in 60 billion runs.
    @Test func generatedPasswords() throws {
        let passwords = try (0..<1000).map { _ in try Cryptor.generatePassword() }
        #expect(Set(passwords).count == 1000)
        var seen = [Set<Character>](repeating: [], count: 30)
        for password in passwords {
            let groups = password.split(separator: "-", omittingEmptySubsequences: false)
            try #require(groups.map(\.count) == [5, 5, 5, 5, 5, 5], "\(password)")
            for (place, letter) in groups.joined().enumerated() { seen[place].insert(letter) }
        }
        #expect(seen.allSatisfy { $0 == Set("0123456789abcdefghjkmnpqrstvwxyz") }, "\(seen)")
        #expect(throws: Never.self) { try Credential.password(passwords[0]) }
    }

    // MARK: Derivation

    @Test(arguments: try VectorDirectory.derivations())
    func derivesTheKey(of vector: DerivationVector) throws {
        #expect(vector.iterations == Credential.standardIterations)
        let key = try PBKDF2.deriveKey(
            password: SecretBytes(Array(vector.password.utf8)), salt: vector.salt,
            iterations: vector.iterations)
        #expect(key.plain.hex == vector.key.hex, "\(vector)")
    }
}
