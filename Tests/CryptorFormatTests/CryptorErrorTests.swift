import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

@Suite struct CryptorErrorTests {
    private static let password = "tr0ub4dor&3"
    private static let key = Array("correct-horse-battery-staple-32b".utf8)

    /// The errors that need no file system.
    static let errors: [CryptorError] = [
        .messageTooShort(byteCount: 5, minimum: 66), .unsupportedVersion(7), .authenticationFailed, .corruptPadding,
        .cancelled, .openSSL(OpenSSLError(function: "EVP_MAC_final", reason: "error:0000")),
        .openSSL(OpenSSLError(function: "EVP_MAC_final", reason: nil)),
        .openSSL(OpenSSLError(function: "RAND_bytes", reason: "error:0000")),
    ]

    /// Errors on files, provoked one after the other.
    private static func fileErrors() throws -> [CryptorError] {
        let job = try FileJob(.decrypt, byteCount: 300_000)
        let (folder, keys) = (job.folder, job.credential)
        try folder.makeFolder("inner")
        try folder.symbolicLink("dangling", to: "missing")
        try folder.symbolicLink("link", to: "source")
        try folder.makeFIFO("fifo")
        for name in ["taken", "inner/file"] { try folder.write([1, 2, 3], to: name) }
        try folder.link("taken", to: "other name")
        let root = try OpenFolder(at: folder.path)
        func path(_ name: String) -> FileEndpoint { .path(folder.path(name)) }
        func shrink(_ progress: FileProgress) throws { try folder.truncate("source", to: 100_000) }
        let file = try VerifiedFile(at: job.source, with: keys)
        let works: [() throws -> Void] = [
            { try job.run(from: path("missing")) }, { try job.run(from: path("inner")) },
            { try job.run(from: path("source\0")) }, { try job.run(from: .descriptor(-1)) },
            { try job.run(from: .path("link", below: root)) }, { try job.run(from: .path("fifo", below: root)) },
            { try job.run(from: .path("../source", below: root)) },
            { _ = try OpenFolder(at: FileEndpoint.standardInput) },
            { try Cryptor.verifyFile(at: URL(string: "https://example.org/")!, with: keys) },
            { try Cryptor.verifyFile(at: URL(string: "x")!, with: keys) },
            { try job.run(to: path("taken")) }, { try job.run(to: path("inner")) },
            { try job.run(to: path("dangling")) },
            { try job.run(to: path("missing/out")) }, { try job.run(to: job.source) },
            { try Cryptor.rekeyFile(at: path("link"), to: path("link"), from: keys, into: keys) },
            { try Cryptor.rekeyFile(at: path("taken"), to: path("taken"), from: keys, into: keys) },
            { _ = try file.read(300_001..<300_002) }, { try job.run { _ in throw CancellationError() } },
            { try Cryptor.encryptFile(at: job.source, to: path("out"), with: keys, progress: shrink) },
            { _ = try file.read(200_000..<200_001) },
        ]
        return try works.enumerated().map { index, work in try #require(try caughtError(of: work), "\(index)") }
    }

    /// Errors that come after an output is in its place.
    private static func publishedErrors() throws -> [CryptorError] {
        try ["link", "two names", "changed", "descriptor", "null"].map { reason in
            let job = try FileJob(.encrypt)
            var (source, output) = (job.source, job.destination)
            switch reason {
            case "link":
                try job.folder.symbolicLink("link", to: "source")
                source = .path(job.folder.path("link"))
            case "two names": try job.folder.link("source", to: "other")
            case "null": output = .path("/dev/null")
            default: break
            }
            return try job.folder.withDescriptor(of: "source", O_RDONLY) { descriptor in
                if reason == "descriptor" { source = .descriptor(descriptor) }
                let error = try caughtError {
                    try Cryptor.encryptFile(
                        at: source, to: output, with: job.credential, options: FileOptions(removingSource: true)
                    ) { _ in if reason == "changed" { try job.folder.setTimes(1, 2, of: "source") } }
                }
                return try #require(error, "\(reason)")
            }
        }
    }

    /// An error that comes after publication says that there is an output, and never that there is none.
    @Test func whatIsPublishedIsSaidSo() throws {
        for error in try Self.publishedErrors() {
            #expect(error.isPublished, "\(error)")
            #expect(error.sentence.contains(" is complete"), "\(error)")
            for claim in ["touched", "left behind", "Nothing"] { #expect(!error.sentence.contains(claim), "\(error)") }
        }
        for error in try Self.errors + Self.fileErrors() {
            #expect(!error.isPublished && !error.sentence.contains(" is complete"), "\(error)")
        }
    }

    @Test func areFullSentences() throws {
        for error in try Self.errors + Self.fileErrors() + Self.publishedErrors() {
            for text in [error.sentence, error.advice].compactMap({ $0 }) {
                #expect(try #require(text.first).isUppercase || text.hasPrefix("'"), "\(text)")
                #expect(text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
                #expect(!text.contains("  ") && !text.contains("\n") && !text.contains("Optional("), "\(text)")
                #expect(text.split(separator: " ").count >= 3, "\(text)")
            }
            #expect(error.whatHappened.hasSuffix(error.sentence))
            #expect("\(error)" == error.whatHappened + (error.advice.map { " \($0)" } ?? ""))
        }
    }

    private static func name(_ path: String) -> FileName { FileName(path: path.utf8) }

    @Test func equalityIsThatOfTheCodes() {
        let (file, other) = (Self.name("a"), Self.name("b"))
        #expect(CryptorError.unsupportedVersion(8) == .unsupportedVersion(7))
        #expect(CryptorError.authenticationFailed != .corruptPadding)
        #expect(CryptorError.authenticationFailed.naming(file) == CryptorError.authenticationFailed.naming(other))
        for error in Self.errors {
            for other in Self.errors { #expect((error == other) == (error.code == other.code)) }
        }
        let codes = Set(Self.errors.map(\.code))
        #expect(Set(codes.map(\.description)).count == codes.count, "two codes have one name")
    }

    /// The errors work in code that knows only Foundation's errors, and as patterns of `catch`.
    @Test func fitsThePlatform() throws {
        let codes: [CryptorError.Code] = [
            .invalidCredential, .invalidMessageLength, .unsupportedVersion, .versionNotAccepted, .credentialMismatch,
            .looksBase64Encoded, .notBase64, .authenticationFailed, .corruptPadding, .messageTooLong, .outputTooSmall,
            .invalidRange, .cryptoLibraryFailure, .inputOutput, .destinationExists, .sameFile, .invalidPath,
            .sourceKept, .overloaded, .cancelled,
        ]
        // These numbers must never change.
        #expect(codes.map(\.number) == Array(1...codes.count))
        for error in try Self.errors + Self.fileErrors() + Self.publishedErrors() {
            let unknown: any Error = error
            #expect(unknown.localizedDescription == error.description)
            #expect((unknown as NSError).code == error.code.number)
            #expect((unknown as NSError).domain == "CryptorFormat.CryptorError")
            #expect((unknown as NSError).localizedDescription == error.description)
        }
        for (error, expected) in [
            (CryptorError.authenticationFailed as any Error, "forged"), (CryptorError.cancelled, "cancelled"),
            (CryptorError.corruptPadding, "other"), (CancellationError(), "other"),
        ] {
            let found: String
            do { throw error } catch CryptorError.Code.authenticationFailed {
                found = "forged"
            } catch CryptorError.Code.cancelled {
                found = "cancelled"
            } catch {
                found = "other"
            }
            #expect(found == expected)
        }
    }

    @Test func theFileIsNamedFirst() {
        let error = CryptorError.authenticationFailed.naming(Self.name("letters.rnc"))
        #expect(error.description == "letters.rnc: \(CryptorError.authenticationFailed.description)")
        #expect(error.naming(Self.name("other")).description == error.description)
    }

    /// No error shows the caller's password or keys, whatever vector is refused.
    @Test(arguments: try VectorFolder.refused())
    func holdsNoSecret(vector: RefusedVector) throws {
        let password = try Credential.password(Self.password)
        let keys = Credential.keys(try KeyPair(encryptionKey: Self.key, hmacKey: Self.key))
        for credential in [password, keys] {
            let error = #expect(throws: CryptorError.self, "\(vector)") {
                try Cryptor.decrypt(vector.message, with: credential)
            }
            let text = String(reflecting: error) + (error?.description ?? "")
            for secret in [Array(Self.password.utf8), Self.key] {
                let decimals = secret.map(String.init).joined(separator: ", ")
                for spelling in [String(decoding: secret, as: UTF8.self), secret.hex, decimals] {
                    #expect(!text.contains(spelling), "\(vector): \(text)")
                }
            }
        }
    }

    @Test func aWrongPasswordAndAnAlteredMessageReadTheSame() throws {
        let right = try Credential.password(Self.password)
        var message = try Cryptor.encrypt([1, 2, 3], with: right)
        let wrong = try Credential.password("Tr0ub4dor&3")
        let ofPassword = #expect(throws: CryptorError.self) { try Cryptor.decrypt(message, with: wrong) }
        message[40] ^= 1
        let ofMessage = #expect(throws: CryptorError.self) { try Cryptor.decrypt(message, with: right) }
        #expect(ofPassword?.code == .authenticationFailed)
        #expect(ofPassword?.description == ofMessage?.description)
        #expect(String(reflecting: ofPassword) == String(reflecting: ofMessage))
    }
}
