import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Verification reads all of a message and writes nothing. `FileFailureTests` covers what it refuses.
@Suite struct VerifyFileTests {
    @Test(arguments: FileRoundTripTests.lengths)
    func tellsTheLengthOfThePlaintext(length: Int) throws {
        let plaintext = LongBytes.bytes(length)
        for credential in try FileRoundTripTests.credentials() {
            let folder = try TemporaryFolder()
            let message = try Cryptor.encrypt(plaintext, with: credential)
            try folder.write(message, to: "message")
            let path = folder.path("message")
            #expect(try Cryptor.verifyFile(at: path, with: credential) == length)
            #expect(try Cryptor.verifyFile(at: URL(fileURLWithPath: path), with: credential) == length)
            #expect(
                try Cryptor.verifyFile(at: .path(path), with: credential, options: FileOptions(base64: true)) == length)
            let writer = try PipeWriter(message)
            let pipe = FileEndpoint.descriptor(try #require(writer.readEnd))
            #expect(try Cryptor.verifyFile(at: pipe, with: credential) == length)
            #expect(try folder.names() == ["message"])
        }
    }

    @Test func aCorruptPaddingIsRefused() throws {
        let folder = try TemporaryFolder()
        let credential = try FileJob.keys(1)
        for (block, isSound) in StreamReleaseTests.endings {
            let message = try StreamReleaseTests.message(endingIn: block, after: LongBytes.bytes(320))
            try folder.write(message, to: "message")
            let error = try caughtError {
                let count = try Cryptor.verifyFile(at: folder.path("message"), with: credential)
                #expect(count == 336 - Int(block[15]))
            }
            #expect(error?.code == (isSound ? nil : .corruptPadding), "\(block)")
        }
    }
}
