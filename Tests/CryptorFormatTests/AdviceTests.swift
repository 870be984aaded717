import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Code that errors advise stands in this file, so that it compiles, too.
@Suite struct AdviceTests {
    private let credential = Credential.emptyPassword
    private static let source = Result { try String(contentsOfFile: #filePath, encoding: .utf8) }

    /// The code of this file: comments and the search for what is advised do not count.
    private static func isCompiled(_ code: String) throws -> Bool {
        try source.get().split(separator: "\n").contains { line in
            let words = line.drop { $0 == " " }
            return !words.hasPrefix("//") && words.contains(code)
        }
    }

    /// The calls and values, each as it is advised.
    private func advised(_ message: [UInt8], _ text: String) async throws {
        _ = Credential.emptyPassword
        _ = FileOptions(base64: true)
        _ = Cryptor.message(fromBase64:) as (Substring.UTF8View) throws(CryptorError) -> [UInt8]
        _ = Cryptor.message(fromBase64:) as (Substring) throws(CryptorError) -> [UInt8]
        _ =
            Cryptor.decryptVersion0(_:with:)
            as ([UInt8], Credential) throws(CryptorError) -> [UInt8]
        _ = CryptorError(.callbackFailed).underlyingError
        let decrypt: ([UInt8], Credential) throws -> [UInt8] = { message, credential in
            // Cryptor.decrypt(_:with:) has a third parameter, which has a default.
            try Cryptor.decrypt(message, with: credential)
        }
        _ = try decrypt(message, credential)
        _ = try Cryptor.decrypt(message, with: credential, accepting: [.v3])
        _ = try Cryptor.decrypt(message, with: credential, accepting: [.v3, .v2])
        _ = try Cryptor.decrypt(
            message, with: credential, accepting: [.v3, .v2, .v1UnauthenticatedHeader])
        _ = try Cryptor.decrypt(message, with: credential, accepting: [.v1UnauthenticatedHeader])
        _ = try Cryptor.encrypt(text.utf8, with: credential)
        _ = try Cryptor.encrypt(Data(text.utf8), with: credential)
        _ = try Cryptor.decrypt(Cryptor.message(fromBase64: text.utf8), with: credential)
        let cryptor = try KeyedCryptor(credential)
        _ = try cryptor.encrypt(text.utf8)
        _ = try cryptor.decrypt(Cryptor.message(fromBase64: text.utf8))
        let pool = CryptorPool.shared
        _ = try await pool.encrypt(text.utf8, with: credential)
        _ = try await pool.decrypt(Cryptor.message(fromBase64: text.utf8), with: credential)
    }

    /// In the sources, advice is between quotes, or behind a colon in a message of the compiler's.
    @Test func ofTheSources() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let sources = package.appendingPathComponent("Sources")
        let files = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            guard
                ["CryptorFormat", "CryptorFiles", "CryptorAsync"].contains(
                    where: file.path.contains)
            else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                found += line.matches(of: /'([A-Z]\w*[.(][^']*)'/).map { String($0.1) }
                found += line.matches(of: /((?:Cryptor|cryptor|pool)\.\w+\(.*text\.utf8.*\))"?$/)
                    .map { String($0.1) }
            }
        }
        // What is named without its last parameter is called above.
        let others = Set(found).subtracting(["Cryptor.decrypt(_:with:)"])
        #expect(others.count >= 10, "\(others)")
        for code in others { #expect(try Self.isCompiled(code), "\(code)") }
    }

    /// The article on testing has two messages for tests, and says what they hold.
    @Test func knownMessages() throws {
        let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "../../Sources/CryptorFormat/CryptorFormat.docc/Testing.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        let messages = text.matches(of: /\n *(Aw[A-Za-z0-9+\/=\s]+)\n *"""/)
            .map { String($0.1.filter { $0 != " " }) }
        let password = try #require(text.firstMatch(of: /password = "(.*)"/)?.1)
        let keys = try MessageKeys(encryptionKey: Array(0..<32), hmacKey: Array(32..<64))
        let keyring = try Credential.keyring(
            primary: .password(String(password)), previous: [.keys(keys)])
        #expect(messages.count == 2)
        for message in messages {
            let plaintext = try Cryptor.decrypt(
                Cryptor.message(fromBase64: message.utf8), with: keyring)
            #expect(plaintext.elementsEqual("attack at dawn".utf8), "\(message)")
        }
    }

    /// Advice that is put together names the versions to accept.
    @Test(arguments: FormatVersion.allCases)
    func ofVersions(version: FormatVersion) throws {
        let message = try Cryptor.encrypt(
            [1, 2, 3], with: credential,
            header: MessageHeader(
                version: version, salts: .init(encryption: Array(1...8), hmac: Array(2...9)),
                iv: Array(1...16)))
        for accepting in [[], .default] as [Acceptance] where !accepting.accepts(version) {
            let error = try #require(
                try caughtError {
                    _ = try Cryptor.decrypt(message, with: credential, accepting: accepting)
                })
            #expect(error.code == .versionNotAccepted)
            let code = try #require(error.advice?.firstMatch(of: /'([^']*)'/)?.1)
            let alone = ["accepting: [.v2]"]
            #expect(try alone.contains(String(code)) || Self.isCompiled(String(code)), "\(code)")
        }
    }

    /// An option set of versions has no bits that stand for none, and none is lost. Programs may
    /// store the bits.
    @Test func bitsOfVersions() {
        #expect(Acceptance(rawValue: .max) == Acceptance(Set(FormatVersion.allCases)))
        for version in FormatVersion.allCases {
            let one = Acceptance([version])
            #expect(one.rawValue == 1 << version.rawValue && one.versions == [version])
            #expect(Acceptance(rawValue: one.rawValue) == one)
            #expect(Acceptance.default.accepts(version) == version.isAcceptedByDefault)
        }
        #expect(Acceptance(rawValue: 1).versions.isEmpty, "version 0 is none of them")
        #expect([.v3, .v2] == Acceptance.default)
    }
}
