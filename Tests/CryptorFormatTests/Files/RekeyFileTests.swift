import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Rekeying changes the credential, and keeps the plaintext.
@Suite struct RekeyFileTests {
    @Test(arguments: FileRoundTripTests.lengths, Naming.allCases)
    func fromPasswordToKeysToPassword(length: Int, naming: Naming) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("message")
        let plaintext = LongBytes.bytes(length)
        let chain: [Credential] = [try .password("first"), try FileJob.keys(1), try .password("second")]
        try folder.write(try Cryptor.encrypt(plaintext, with: chain[0]), to: "message")
        for (old, new) in zip(chain, chain.dropFirst()) {
            let before = try folder.read("message")
            try naming.use { try Cryptor.rekeyFile(at: path, to: path, from: old, into: new) }
            let after = try folder.read("message")
            let found = try Cryptor.decrypt(after, with: new)
            #expect(firstDifference(found, plaintext) == nil, "\(length) bytes, \(SeededGenerator())")
            let error = #expect(throws: CryptorError.self) { try Cryptor.verifyFile(at: path, with: old) }
            #expect(error?.code == .credentialMismatch)
            #expect(try Header(parsing: after).iv != Header(parsing: before).iv)
        }
        let error = #expect(throws: CryptorError.self) { try Cryptor.verifyFile(at: path, with: chain[0]) }
        #expect(error?.code == .authenticationFailed)
        #expect(try folder.names() == ["message"])
    }

    @Test(arguments: Naming.allCases)
    func anotherDestinationLeavesTheSource(naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_300_000)
        let inode = try job.folder.inode(of: "source")
        try naming.use { try job.run() }
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.inode(of: "source") == inode)
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        // Nothing of the old ciphertext is in the new one.
        let blocks = Set(job.sourceBytes.dropFirst(18).prefix(16_000).chunked(by: 16))
        let new = Set(try job.folder.read("destination").dropFirst(18).prefix(16_000).chunked(by: 16))
        #expect(blocks.isDisjoint(with: new))
    }

    @Test(arguments: Naming.allCases)
    func theWrongCredentialChangesNothing(naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_300_000)
        let inode = try job.folder.inode(of: "source")
        for (credential, expected) in [
            (try FileJob.keys(77), CryptorError.Code.authenticationFailed),
            (try .password("keys it has"), .credentialMismatch),
        ] {
            let error = #expect(throws: CryptorError.self) {
                try naming.use { try job.run(to: job.source, with: credential) }
            }
            #expect(error?.code == expected)
            #expect(error?.path == job.source.description)
            #expect(try job.isSourceUntouched())
            #expect(try job.folder.inode(of: "source") == inode)
            #expect(try job.folder.names() == ["source"])
        }
    }

    @Test(arguments: FileRoundTripTests.lengths)
    func fromAPipe(length: Int) throws {
        let job = try FileJob(.rekey, byteCount: length)
        let writer = try PipeWriter(job.sourceBytes)
        try job.run(from: .descriptor(try #require(writer.readEnd)))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.folder.names() == ["destination", "source"])
    }

    /// The new message is encrypted anew, even under the old credential.
    @Test func theSameCredentialAgain() throws {
        let job = try FileJob(.rekey)
        try Cryptor.rekeyFile(
            at: job.source, to: job.source, from: job.credential, into: job.credential)
        let message = try job.folder.read("source")
        #expect(try firstDifference(Cryptor.decrypt(message, with: job.credential), job.plaintext) == nil)
        #expect(try Header(parsing: message).iv != Header(parsing: job.sourceBytes).iv)
    }
}

extension Sequence<UInt8> {
    fileprivate func chunked(by count: Int) -> [[UInt8]] {
        let bytes = Array(self)
        return stride(from: 0, to: bytes.count, by: count).map { Array(bytes[$0..<Swift.min($0 + count, bytes.count)]) }
    }
}
