import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Messages of versions 2, 1 and 0 that only a shortened reading of the password opens are refused in every way, unless
/// such readings are accepted. Some were written so, others forged by somebody who guessed a byte or two.
@Suite struct ShortenedPasswordTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let secret: Secret
        let message: [UInt8]
        let plaintext: [UInt8]

        var description: String { name }
    }

    private static let cases = Result {
        let written = try VectorFolder.readable().filter(\.needsShortenedPassword)
            .map { Case(name: $0.name, secret: $0.secret, message: $0.message, plaintext: $0.plaintext) }
        let forged = try VectorFolder.refused().compactMap { vector in
            vector.forgedPlaintext.map {
                Case(name: vector.name, secret: vector.secret, message: vector.message, plaintext: $0)
            }
        }
        return written + forged
    }

    @Test func thereAreSuchMessages() throws {
        let names = try Self.cases.get().map(\.name)
        for version in 0...2 {
            let count = names.count { $0.hasPrefix("v\(version)/refused/password-forged-") }
            #expect(count == 5, "version \(version)")
        }
        #expect(names.count >= 34)
    }

    // MARK: Through every way in

    /// The error does not tell such a message from one that opens under no reading at all.
    @Test(arguments: try cases.get())
    func isRefused(_ message: Case) async throws {
        let credential = try message.secret.credential
        for wayIn in WayIn.allCases {
            var altered = message.message
            altered[altered.count - 20] ^= 1
            var texts: [String] = []
            for bytes in [message.message, altered] {
                let error = await #expect(throws: CryptorError.self, "\(message), \(wayIn)") {
                    _ = try await wayIn.plaintext(of: bytes, with: credential)
                }
                #expect(error?.code == .authenticationFailed, "\(message), \(wayIn)")
                #expect(error?.mayNeedShortenedPassword == true, "\(message), \(wayIn)")
                var withoutPath = error
                withoutPath?.file = nil
                texts.append(withoutPath?.description ?? "")
            }
            #expect(texts[0] == texts[1], "\(message), \(wayIn)")
            #expect(texts[0].contains("'Acceptance.shortenedPasswords'"), "\(message), \(wayIn): \(texts[0])")
        }
    }

    /// Nothing is released under another reading.
    @Test(arguments: try cases.get())
    func releasesWhatAllBytesGive(_ message: Case) throws {
        let reading = try ChunkedDecryption(
            message.message, with: try message.secret.credential, accepting: .everything, .fixed(20))
        let bare = try BareCBC.releasable(of: message.message, with: message.secret)
        #expect(sameBytes(reading.unverified, bare), "\(message): released under another reading")
    }

    @Test(arguments: try cases.get())
    func isReadIfItIsAskedForByName(_ message: Case) async throws {
        let credential = try message.secret.credential
        for wayIn in WayIn.allCases {
            let plaintext = try await wayIn.plaintext(
                of: message.message, with: credential, accepting: .everything.withShortenedPasswords())
            let isVerifiedOnly = wayIn == .verifiedFile || wayIn == .poolVerifiedFile
            let expected = isVerifiedOnly ? plaintext.map { _ in 0 } : message.plaintext
            #expect(plaintext.count == message.plaintext.count, "\(message), \(wayIn)")
            #expect(firstDifference(plaintext, expected) == nil, "\(message), \(wayIn)")
        }
    }

    /// The option opens only messages that were written under a shortened reading.
    @Test(arguments: try VectorFolder.refused().filter { $0.forgedPlaintext == nil })
    func allElseStaysRefused(_ vector: RefusedVector) throws {
        let credential = try vector.secret.credential
        let accepting = Acceptance.everything.withShortenedPasswords()
        let error = #expect(throws: CryptorError.self, "\(vector)") {
            try Cryptor.decrypt(vector.message, with: credential, accepting: accepting)
        }
        #expect(error?.code == vector.fault.code && error?.mayNeedShortenedPassword == false, "\(vector)")
        let reading = try ChunkedDecryption(
            vector.message, with: credential, accepting: accepting, .fixed(17))
        #expect(reading.error?.code == vector.fault.code && reading.last.isEmpty, "\(vector)")
    }

    // MARK: The error's words

    /// The words depend on the version and the password, and on nothing else.
    @Test(arguments: FormatVersion.allCases, ["correct horse", "p\u{e4}ssword", "\u{1F511}", "密碼", "\u{7F}"])
    func theErrorNamesTheOption(version: FormatVersion, password: String) throws {
        let credential = try Credential.password(password)
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = Header(version: version, salts: salts, iv: Array(16..<32))
        let wrong = try Credential.password("another")
        let message = try Cryptor.encrypt([1, 2, 3], with: wrong, header: header)
        let isASCII = password.utf8.allSatisfy { $0 < 0x80 }
        for (accepting, isNamed) in [
            (Acceptance.everything, version != .v3 && !isASCII), (.everything.withShortenedPasswords(), false),
        ] {
            let error = #expect(throws: CryptorError.self) {
                try Cryptor.decrypt(message, with: credential, accepting: accepting)
            }
            #expect(error?.code == .authenticationFailed)
            #expect(error?.mayNeedShortenedPassword == isNamed)
            #expect(
                error?.description.contains("shortenedPasswords") == isNamed, "\(error?.description ?? "")")
        }
    }

    // MARK: What else there is

    /// A message that the first byte of an emoji opens.
    private func forgery(_ plaintext: [UInt8]) throws -> [UInt8] {
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = Header(version: .v2, salts: salts, iv: Array(16..<32))
        return try Cryptor.encrypt(plaintext, with: .password(utf8: [0xF0]), header: header)
    }

    /// Messages are written as version 3, under all bytes of the password.
    @Test func writingIsNotAffected() throws {
        let password = try Credential.password("\u{1F511}")
        let folder = try TemporaryFolder()
        try folder.write(try forgery([1, 2, 3]), to: "message")
        try Cryptor.rekeyFile(
            at: folder.path("message"), to: folder.path("message"), from: password, into: password,
            accepting: .default.withShortenedPasswords())
        let message = try folder.read("message")
        #expect(try Cryptor.decrypt(message, with: password, accepting: [.v3]) == [1, 2, 3])
    }

    /// No reading is longer than the password, even if its bytes are not UTF-8.
    @Test(arguments: [[0xFF], [0xF0], [0xF0, 0xF0], [0x80, 0xFF], [0xE9], [0x80], [0xF0, 0x80, 0xF0]] as [[UInt8]])
    func noReadingIsLongerThanThePassword(bytes: [UInt8]) {
        let counts = Credential.shortenedByteCounts(of: bytes.span.bytes)
        #expect(counts.allSatisfy { 1..<bytes.count ~= $0 }, "\(counts)")
        #expect(Set(counts).count == counts.count, "\(counts)")
    }

    @Test func keysHaveOneReading() throws {
        let keys = Credential.keys(try .random())
        let header = Header(version: .v2, salts: nil, iv: Array(0..<16))
        let message = try Cryptor.encrypt([1], with: keys, header: header)
        #expect(try Cryptor.decrypt(message, with: keys, accepting: .default.withShortenedPasswords()) == [1])
    }

    /// A list of versions never accepts shortened readings.
    @Test func isNoDefault() {
        let lists: [Acceptance] = [.default, [], [.v2], .everything, Acceptance([.v3])]
        #expect(lists.allSatisfy { !$0.shortenedPasswords })
    }
}
