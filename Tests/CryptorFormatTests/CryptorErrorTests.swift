import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFiles
@testable import CryptorFormat
@testable import CryptorPrimitives

/// Errors are sentences for people, fit into Swift and Foundation, and show no secret.
@Suite struct CryptorErrorTests {
    private struct ClientGone: Error, CustomStringConvertible {
        let description = "secret of the client"
    }

    /// Errors of messages, files and pools, as callers get them.
    private static let errors = Result {
        let directory = try TemporaryDirectory()
        let keys = Credential.keys(try .random())
        let message = try Cryptor.encrypt([1, 2, 3], with: keys)
        try directory.write(message, to: "message")
        try directory.write([], to: "empty")
        let (source, none) = (directory.path("message"), directory.path("none"))
        let works: [() throws -> Void] =
            try VectorDirectory.refused().map { vector in
                {
                    _ = try Cryptor.decrypt(
                        vector.message, with: vector.secret.credential, accepting: .everything)
                }
            } + [
                { _ = try Credential.password("") },
                { _ = try MessageKeys(encryptionKey: [1], hmacKey: [2]) },
                { _ = try Cryptor.decrypt(message, with: keys, accepting: [.v2]) },
                { _ = try Cryptor.decrypt(message, with: keys, accepting: []) },
                { _ = try Cryptor.message(fromBase64: "A".utf8) },
                { try Cryptor.decryptFile(at: source, to: source, with: keys) },
                { try Cryptor.decryptFile(at: source, to: directory.path("empty"), with: keys) },
                { try Cryptor.decryptFile(at: none, to: directory.path("other"), with: keys) },
                {
                    try Cryptor.decryptFile(
                        at: "\(none)\0", to: directory.path("other"), with: keys)
                },
                { try Cryptor.verifyFile(at: directory.path("empty"), with: keys) },
                {
                    try Cryptor.verifyFile(
                        at: source, with: keys, progress: { _ in throw CancellationError() })
                },
                {
                    try Cryptor.verifyFile(
                        at: source, with: keys, progress: { _ in throw ClientGone() })
                },
                { _ = try VerifiedFile(at: source, with: keys).read(7..<8) },
            ]
        let found = try works.compactMap { try caughtError(of: $0) }
        try #require(found.count == works.count)
        return found + [
            .openSSL(OpenSSLError(failed: "EVP_MAC_final", reason: "error:0000")),
            .openSSL(OpenSSLError(failed: "RAND_bytes")),
        ]
    }

    @Test(arguments: try errors.get())
    func isAFullSentence(error: CryptorError) throws {
        let sentence =
            error.file.map { String(error.description.dropFirst($0.shown.count + 2)) }
            ?? error.description
        #expect(try #require(sentence.first).isUppercase || sentence.hasPrefix("'"), "\(error)")
        #expect(sentence.hasSuffix(".") && !sentence.hasSuffix(".."), "\(error)")
        #expect(
            !sentence.contains("  ") && !sentence.contains("\n") && !sentence.contains("Optional("),
            "\(error)")
        #expect(sentence.split(separator: " ").count >= 3 && !error.isPublished, "\(error)")
        #expect(
            error.file == nil
                || error.path != nil && error.description.hasPrefix(error.file?.shown ?? ""),
            "\(error)")
        // In code that knows only Foundation's errors, it says the same.
        let unknown: any Error = error
        for text in [unknown.localizedDescription, (unknown as NSError).localizedDescription] {
            #expect(text == error.description)
        }
        #expect((unknown as NSError).code == error.code.number)
        #expect((unknown as NSError).domain == "CryptorFormat.CryptorError")
    }

    @Test func equalityIsThatOfTheCodes() throws {
        let errors = try Self.errors.get()
        for error in errors {
            for other in errors { #expect((error == other) == (error.code == other.code)) }
        }
        let codes = Set(errors.map(\.code))
        #expect(codes.count >= 12, "\(codes)")
        #expect(Set(codes.map(\.description)).count == codes.count, "two codes have one name")
        #expect(codes.isSubset(of: CryptorError.Code.allCases))
        #expect(
            CryptorError.Code.allCases.map(\.number) == Array(1...22),
            "the codes of NSError have changed, or one is missing")
        // A `catch` by code takes that code and no other.
        for error in [
            CryptorError.authenticationFailed as any Error, CryptorError.cancelled,
            CancellationError(),
        ] {
            var isForged = false
            do { throw error } catch CryptorError.Code.authenticationFailed {
                isForged = true
            } catch {}
            #expect(
                isForged == ((error as? CryptorError)?.code == .authenticationFailed), "\(error)")
        }
    }

    /// What a client may read names no file of this machine, and no call of this library.
    @Test(arguments: try errors.get())
    func theSummary(error: CryptorError) {
        let summary = error.summary
        #expect(!summary.contains("/") && !summary.contains("'"), "\(summary)")
        let withoutFormat = summary.replacing("RNCryptor", with: "")
        #expect(!withoutFormat.contains("Cryptor") && summary.hasSuffix("."), "\(summary)")
        #expect(!summary.hasPrefix("It ") && !summary.contains(": It "), "\(summary)")
        let sentence = ["A file: ", "The file"].reduce(summary) { text, start in
            text.hasPrefix(start) && error.file != nil ? String(text.dropFirst(start.count)) : text
        }
        #expect(error.description.contains(sentence), "\(error)")
    }

    /// Users test what they do about an error with one of their own.
    @Test func madeByUsers() {
        let full = CryptorError(
            .inputOutput, path: "/var/lib/message", systemErrorNumber: 28, isPublished: true,
            underlyingError: ClientGone())
        #expect(full.code == .inputOutput && full.path == "/var/lib/message")
        #expect(full.systemErrorNumber == 28 && full.isPublished)
        #expect(full.underlyingError is ClientGone)
        #expect(full.description.hasPrefix("/var/lib/message: "))
        #expect(full.summary == "A file: This error was made with the code 'inputOutput'.")
        let existing = CryptorError(.destinationExists, "It exists.").naming(
            FileName(path: "/var/lib/message".utf8))
        #expect(existing.summary == "The file exists.")
        for code in CryptorError.Code.allCases {
            let error = CryptorError(code)
            #expect(error.code == code && error.path == nil && error.systemErrorNumber == nil)
            #expect(!error.isPublished && error.underlyingError == nil)
            #expect(error.description.contains(code.description))
        }
    }

    @Test func aWrongPasswordAndAnAlteredMessageReadTheSame() throws {
        let right = try Credential.password("tr0ub4dor&3")
        var message = try Cryptor.encrypt([1, 2, 3], with: right)
        let wrong = try caughtError {
            _ = try Cryptor.decrypt(message, with: .password("Tr0ub4dor&3"))
        }
        message[40] ^= 1
        let altered = try caughtError { _ = try Cryptor.decrypt(message, with: right) }
        #expect(wrong?.code == .authenticationFailed)
        #expect(String(reflecting: wrong) == String(reflecting: altered))
    }

    // MARK: Secrets

    /// 32 bytes of text, so that they can be searched for as text, as hex and as numbers.
    private static let secret = "tr0ub4dor&3-correct-horse-batter"

    /// Spellings of any four bytes of the secret.
    private static let spellings = {
        let bytes = Array(secret.utf8)
        return bytes.indices.dropLast(3).flatMap { start in
            let part = bytes[start..<start + 4]
            return [
                String(decoding: part, as: UTF8.self), part.hex, part.hex.uppercased(),
                part.map(String.init).joined(separator: ", "),
            ]
        }
    }()

    /// All that can be read off a value without its API.
    private func text(of value: some Any) -> String {
        var text = [
            String(describing: value), String(reflecting: value), "\([value])",
            "\(Optional(value) as Any)",
        ]
        .joined()
        dump([value], to: &text)
        text += Mirror(reflecting: value).children.map { String(reflecting: $0.value) }.joined()
        return text
    }

    /// A noncopyable value cannot be passed to `dump`, but a class that owns it can.
    private final class Streams {
        var encryptor: Encryptor
        var decryptor: Decryptor

        init(_ credential: Credential) throws {
            encryptor = try Encryptor(credential)
            decryptor = try Decryptor(credential)
            var output: [UInt8] = []
            try encryptor.update([1, 2, 3], into: &output)
            try decryptor.update(
                try Cryptor.encrypt([1], with: credential), unverifiedInto: &output)
        }
    }

    /// Nothing that prints values shows a byte of a secret: neither the values that hold it nor
    /// errors.
    @Test func noValueShowsASecret() throws {
        let secret = Self.secret
        struct Plain { let text: String, bytes: [UInt8] }
        let shown = text(of: Plain(text: secret, bytes: Array(secret.utf8)))
        #expect(
            Self.spellings.filter(shown.contains).count >= 2 * (secret.count - 3),
            "the search finds what is there")

        let keys = try MessageKeys(encryptionKey: secret.utf8, hmacKey: secret.utf8)
        let (password, cryptor) = (try Credential.password(secret), try KeyedCryptor(keys))
        _ = try cryptor.decrypt(cryptor.encrypt([1, 2, 3]))
        let directory = try TemporaryDirectory()
        try directory.write(
            Cryptor.encrypt([UInt8](repeating: 7, count: 32) + secret.utf8, with: .keys(keys)),
            to: "m")
        let file = try VerifiedFile(at: directory.path("m"), with: .keys(keys))
        #expect(
            try file.read(32..<64) == Array(secret.utf8), "a file keeps the end of the plaintext")
        var values: [Any] = [
            SecretBytes(Array(secret.utf8)), keys, Credential.keys(keys), password, cryptor, file,
            try Streams(.keys(keys)), try Streams(password),
        ]
        for vector in try VectorDirectory.refused() {
            for credential in [password, .keys(keys)] {
                values.append(
                    try #require(
                        try caughtError {
                            _ = try Cryptor.decrypt(vector.message, with: credential)
                        }))
            }
        }
        values.append(
            try #require(
                try caughtError {
                    _ = try MessageKeys(encryptionKey: secret.utf8.dropLast(), hmacKey: [1])
                }))
        for value in values {
            let text = text(of: value)
            for spelling in Self.spellings where text.contains(spelling) {
                Issue.record("\(type(of: value)) shows \(spelling): \(text)")
            }
        }
    }
}
