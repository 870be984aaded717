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
        .emptyPassword, .invalidKeyLength("HMAC", byteCount: 31), .messageTooShort(byteCount: 5, minimum: 66),
        .invalidMessageLength(byteCount: 99), .unsupportedVersion(7), .draftVersion, .unsupportedOptions(2),
        .needsPassword, .needsKeys, .looksBase64Encoded, .authenticationFailed, .authenticationFailedUnderAllBytes,
        .corruptPadding, .versionNotAccepted(.v2, accepting: [.v3]),
        .versionNotAccepted(.v1UnauthenticatedHeader, accepting: [.v3, .v2]), .versionNotAccepted(.v3, accepting: []),
        .outputTooSmall(needed: 66, available: 1),
        .cryptoLibraryFailure(OpenSSLError(function: "EVP_MAC_final", reason: "error:0000")),
        .cryptoLibraryFailure(OpenSSLError(function: "EVP_MAC_final", reason: nil)),
        .randomnessUnavailable(OpenSSLError(function: "RAND_bytes", reason: "error:0000")),
    ]

    /// The errors on files that come before an output is in its place.
    private static let fileErrors: [CryptorError] = {
        let (name, failure) = (Self.name("a"), SystemError(number: EIO))
        return [
            .destinationExists(name), .sameFile(name), .danglingLink(name), .foreignLink(.creatingOutput, name),
            .leased(.openingInput, name), .folderWithoutPath(name), .linkBelowFolder(.openingInput, name),
            .irregularBelowFolder(.creatingOutput, name),
            .foreignStream(name), .notRegular(name), .nameless(name),
            .sourceChanged(name), .linkInPlace(name), .notRegularInPlace(name), .locked(name),
            .destinationChanged(name), .notPrivate(name),
            .shorterThanItSays(name, byteCount: 6, expected: 4096), .askedTwice, .overloaded,
            .notFileURL(scheme: nil), .notFileURL(scheme: "https"),
            .invalidPath(.openingInput, name, because: SystemError(number: EINVAL)),
            .invalidPath(.openingInput, name, because: .leadsElsewhere), .severalNames(name, count: 2),
            .messageTooLong(spooling: 9, in: name), .shrankWhileRead(name, byteCount: 1, expected: 2),
            .changedWhileRead, .changedSinceOpened(name), .invalidRange(7..<8, of: name, plaintextByteCount: 3),
            .inputOutput(.writingOutput, name, because: failure),
        ]
    }()

    /// The errors that come after an output is in its place.
    private static let publishedErrors: [CryptorError] = {
        let (file, failure) = (Self.name("a"), SystemError(number: EIO))
        let causes: [CryptorError.SourceKept] = [
            .descriptor, .notRegular, .outputIsStream, .changed, .exchanged, .otherNames(3), .failure(failure),
            .renamed(name("b")),
        ]
        return [
            .notDurable(file, failure), .secondNameStays(file, second: name("b"), because: failure),
        ]
            + causes.map { .sourceKept(file, $0) }
    }()

    /// An error that comes after publication says that there is an output, and never that there is none.
    @Test func whatIsPublishedIsSaidSo() {
        for error in Self.publishedErrors {
            #expect(error.isPublished, "\(error)")
            #expect(error.sentence.contains(" is complete"), "\(error)")
            for claim in ["touched", "left behind", "Nothing"] { #expect(!error.sentence.contains(claim), "\(error)") }
        }
        for error in Self.errors + Self.fileErrors {
            #expect(!error.isPublished && !error.sentence.contains(" is complete"), "\(error)")
        }
    }

    @Test(arguments: errors + fileErrors + publishedErrors)
    func isAFullSentence(error: CryptorError) throws {
        for text in [error.sentence, error.advice].compactMap({ $0 }) {
            #expect(try #require(text.first).isUppercase || text.hasPrefix("'"), "\(text)")
            #expect(text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
            #expect(!text.contains("  ") && !text.contains("\n") && !text.contains("Optional("), "\(text)")
            #expect(text.split(separator: " ").count >= 3, "\(text)")
        }
        #expect(error.whatHappened.hasSuffix(error.sentence))
        #expect("\(error)" == error.whatHappened + (error.advice.map { " \($0)" } ?? ""))
    }

    private static func name(_ path: String) -> FileName { FileName(path: path.utf8) }

    @Test func equalityIsThatOfTheCodes() {
        let (file, other) = (Self.name("a"), Self.name("b"))
        #expect(CryptorError.draftVersion == .unsupportedVersion(7))
        #expect(CryptorError.needsKeys == .needsPassword)
        #expect(CryptorError.authenticationFailed != .corruptPadding)
        #expect(CryptorError.authenticationFailed.naming(file) == CryptorError.authenticationFailed.naming(other))
        for error in Self.errors {
            for other in Self.errors { #expect((error == other) == (error.code == other.code)) }
        }
        let codes = Set(Self.errors.map(\.code))
        #expect(Set(codes.map(\.description)).count == codes.count, "two codes have one name")
    }

    /// The errors work in code that knows only Foundation's errors, and as patterns of `catch`.
    @Test func fitsThePlatform() {
        let codes: [CryptorError.Code] = [
            .emptyPassword, .invalidKeyLength, .messageTooShort, .invalidMessageLength, .unsupportedVersion,
            .unsupportedOptions, .versionNotAccepted, .credentialMismatch, .looksBase64Encoded, .notBase64,
            .authenticationFailed, .corruptPadding, .messageTooLong, .outputTooSmall, .invalidRange,
            .randomnessUnavailable, .cryptoLibraryFailure, .inputOutput, .destinationExists, .sameFile, .invalidPath,
            .severalNames, .sourceKept, .askedTwice, .cancelled, .overloaded, .notInFolder,
        ]
        // These numbers must never change.
        #expect(codes.map(\.number) == Array(1...codes.count))
        for error in Self.errors + Self.fileErrors + Self.publishedErrors {
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
