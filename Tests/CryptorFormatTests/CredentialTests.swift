import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

@Suite struct CredentialTests {
    private static let header = Header(
        salts: Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16)), iv: Array(0..<16))

    /// A password that a log can show.
    struct Password: Sendable, ExpressibleByStringLiteral, CustomTestStringConvertible {
        let text: String
        init(stringLiteral text: String) { self.text = text }
        var testDescription: String { text.debugDescription }
    }

    private func code(_ body: () throws -> Void) -> CryptorError.Code? {
        do { try body() } catch { return (error as? CryptorError)?.code }
        return nil
    }

    @Test func anEmptyPasswordIsRefused() {
        #expect(code { _ = try Credential.password("") } == .invalidCredential)
        #expect(code { _ = try Credential.password(utf8: [UInt8]()) } == .invalidCredential)
        #expect(code { _ = try Credential.password(utf8: "".utf8) } == .invalidCredential)
    }

    private static let passwords: [Password] = [
        "a", " ", "\0", "pass\0word", "käse", "🔐🗝️", "longer than a block of SHA-1, so that HMAC hashes it before use",
    ]

    @Test(arguments: passwords)
    func textAndItsBytesAreTheSamePassword(password: Password) throws {
        let text = password.text
        let message = try Cryptor.encrypt([1, 2, 3], with: .password(text), header: Self.header)
        for bytes in [Array(text.utf8)[...], ([0] + text.utf8).dropFirst()] {
            #expect(try Cryptor.encrypt([1, 2, 3], with: .password(utf8: bytes), header: Self.header) == message)
            #expect(try Cryptor.decrypt(message, with: .password(utf8: bytes)) == [1, 2, 3])
        }
        #expect(try Cryptor.decrypt(message, with: .password(utf8: text.utf8.lazy.map { $0 })) == [1, 2, 3])
    }

    /// Swift compares the first two as equal; as passwords they are not.
    private static let pairs: [(Password, Password)] = [
        ("k\u{e4}se", "ka\u{308}se"), ("password", "Password"), ("password", "password "), ("password", "password\n"),
        ("password", "\0password"), ("pass\0word", "pass"),
    ]

    @Test(arguments: pairs)
    func otherPasswordsOpenNothing(right: Password, wrong: Password) throws {
        let (right, wrong) = (right.text, wrong.text)
        let message = try Cryptor.encrypt([1, 2, 3], with: .password(right))
        #expect(try Cryptor.decrypt(message, with: .password(right)) == [1, 2, 3])
        #expect(code { _ = try Cryptor.decrypt(message, with: .password(wrong)) } == .authenticationFailed)
        let other = try Cryptor.encrypt([1, 2, 3], with: .password(wrong))
        #expect(code { _ = try Cryptor.decrypt(other, with: .password(right)) } == .authenticationFailed)
    }

    /// HMAC fills short keys up with zeros, so the format itself cannot see NULs at the end of a password.
    @Test func noughtsAtTheEndMakeNoOtherPassword() throws {
        let message = try Cryptor.encrypt([1, 2, 3], with: .password("password"))
        #expect(try Cryptor.decrypt(message, with: .password("password\0")) == [1, 2, 3])
    }

    @Test func theKindsAreNotInterchangeable() throws {
        let password = try Credential.password("password")
        let keys = Credential.keys(try KeyPair.random())
        for (one, other) in [(password, keys), (keys, password)] {
            let message = try Cryptor.encrypt([1, 2, 3], with: one)
            #expect(code { _ = try Cryptor.decrypt(message, with: other) } == .credentialMismatch)
            let header = try Header(parsing: message)
            #expect(code { _ = try Encryptor(other, header: header) } == .credentialMismatch)
        }
    }

    @Test func otherKeysOpenNothing() throws {
        var generator = SeededGenerator(seed: 1)
        let (right, wrong) = (try generator.keyPair().copyKeys(), try generator.keyPair().copyKeys())
        func credential(_ encryptionKey: [UInt8], _ hmacKey: [UInt8]) throws -> Credential {
            .keys(try KeyPair(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
        let plaintext = Array("a right HMAC key is not enough".utf8)
        let message = try Cryptor.encrypt(plaintext, with: credential(right.encryptionKey, right.hmacKey))
        for wrong in [
            try credential(right.encryptionKey, wrong.hmacKey), try credential(right.hmacKey, right.encryptionKey),
            try credential(wrong.encryptionKey, wrong.hmacKey),
        ] {
            #expect(code { _ = try Cryptor.decrypt(message, with: wrong) } == .authenticationFailed)
        }
        // The HMAC does not cover the key: a wrong encryption key shows in the padding, but not in one case of 256.
        let mixed = try credential(wrong.encryptionKey, right.hmacKey)
        do throws(CryptorError) {
            let garbage = try Cryptor.decrypt(message, with: mixed)
            #expect(garbage != plaintext)
        } catch {
            #expect(error.code == .corruptPadding)
        }
    }
}
