import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A stream gets nothing of a message that is not authentic, because what is written there is seen at once.
@Suite struct StreamReleaseTests {
    enum Source: CaseIterable, Sendable { case file, pipe }

    /// What a decryption released into a pipe, and its error. A caller that takes chunks gets the same.
    private func released(
        _ message: [UInt8], _ source: Source, _ naming: Naming, with credential: Credential
    ) throws -> ([UInt8], CryptorError?) {
        let folder = try TemporaryFolder()
        try folder.write(message, to: "message")
        let (writer, reader) = (try PipeWriter(source == .pipe ? message : []), try PipeReader())
        let input: FileEndpoint =
            source == .pipe ? .descriptor(try #require(writer.readEnd)) : .path(folder.path("message"))
        let output = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let error = try caughtError {
            try naming.use { try Cryptor.decryptFile(at: input, to: output, with: credential) }
        }
        #expect(try folder.names() == ["message"])
        if let error { #expect(error.path == input.description) }
        let plaintext = try reader.finish()
        if source == .file {
            var chunks: [UInt8] = []
            let same = try caughtError { try Cryptor.decryptFile(at: input, with: credential) { chunks += $0 } }
            #expect(same?.code == error?.code && sameBytes(chunks, plaintext))
        }
        return (plaintext, error)
    }

    @Test(arguments: FileFailureTests.Damage.allCases, Source.allCases)
    func nothingOfADamagedMessage(damage: FileFailureTests.Damage, source: Source) throws {
        for length in [16, 1000, 1_300_000] {
            let job = try FileJob(.decrypt, byteCount: length)
            let credential = damage == .wrongCredential ? try FileJob.keys(77) : job.credential
            for naming in Naming.allCases {
                let (plaintext, error) = try released(
                    damage.apply(to: job.sourceBytes), source, naming, with: credential)
                #expect(error?.code == damage.expected, "\(length) bytes, \(naming), \(SeededGenerator())")
                #expect(plaintext.count == 0, "\(length) bytes, \(naming), \(SeededGenerator())")
            }
        }
    }

    /// A message that may have a wrong padding under a right HMAC, as only a faulty program writes it.
    static func message(endingIn block: [UInt8], after plaintext: [UInt8]) throws -> [UInt8] {
        let secret = [UInt8](repeating: 1, count: 32)
        let iv = [UInt8](repeating: 9, count: 16)
        let padded = try BareCBC.encrypt(plaintext + block, key: SecretBytes(secret), iv: iv)
        var message = [3, 0] + iv + padded.dropLast(16)
        var authenticator = try HMACAuthenticator(key: SecretBytes([UInt8](repeating: 2, count: 32)))
        try authenticator.update(message)
        try withRoom(for: 32, appendingTo: &message) { (output) throws(OpenSSLError) in
            try authenticator.finish(into: &output)
        }
        return message
    }

    static let endings: [([UInt8], isSound: Bool)] = [
        ([UInt8](repeating: 16, count: 16), true), ([UInt8](repeating: 65, count: 15) + [1], true),
        ([UInt8](repeating: 0, count: 16), false), ([UInt8](repeating: 17, count: 16), false),
        ([UInt8](repeating: 65, count: 14) + [1, 2], false), ([UInt8](repeating: 65, count: 15) + [255], false),
    ]

    @Test(arguments: Source.allCases, Naming.allCases)
    func nothingBeforeACorruptPadding(source: Source, naming: Naming) throws {
        let credential = try FileJob.keys(1)
        for (block, isSound) in Self.endings {
            for length in [0, 32, 1_300_000] {
                let plaintext = LongBytes.bytes(length / 16 * 16)
                let message = try Self.message(endingIn: block, after: plaintext)
                let (released, error) = try released(message, source, naming, with: credential)
                #expect(error?.code == (isSound ? nil : .corruptPadding), "\(block), \(length) bytes")
                let expected = plaintext + block.dropLast(Int(block[15]))
                #expect(firstDifference(released, isSound ? expected : []) == nil, "\(block), \(length) bytes")
                let folder = try TemporaryFolder()
                try folder.write(message, to: "message")
                let verified = try caughtError {
                    let count = try Cryptor.verifyFile(at: folder.path("message"), with: credential)
                    #expect(count == expected.count, "\(block)")
                }
                #expect(verified?.code == error?.code, "\(block)")
            }
        }
    }

    @Test(arguments: Way.all.filter { $0.task != .encrypt }) func noFileBeforeACorruptPadding(way: Way) throws {
        let job = try FileJob(way)
        let message = try Self.message(endingIn: [UInt8](repeating: 0, count: 16), after: job.plaintext.dropLast(8))
        try job.folder.write(message, to: "source")
        let error = try caughtError { try job.run() }
        #expect(error?.code == .corruptPadding && error?.path == job.source.description)
        #expect(try job.folder.names() == ["source"])
    }

    @Test func whoReceivesMayCancel() throws {
        let job = try FileJob(.decrypt, byteCount: 1_300_000)
        var calls = 0
        let error = try caughtError {
            try Cryptor.decryptFile(at: job.source, with: job.credential) { _ in
                calls += 1
                throw CancellationError()
            }
        }
        #expect(error?.code == .cancelled)
        #expect(calls == 1)
    }

    /// A stream gets nothing if the first pass is cancelled, and complete segments if the second one is.
    @Test(arguments: [0, 2_500_000, 4_000_000]) func cancelled(limit: Int) throws {
        let job = try FileJob(.decrypt, byteCount: 2_500_000)
        let reader = try PipeReader()
        let error = try caughtError {
            try job.run(to: .descriptor(try #require(reader.writeEnd))) {
                if $0.bytesDone > limit { throw CancellationError() }
            }
        }
        #expect(error?.code == .cancelled)
        let released = try reader.finish()
        #expect(firstDifference(released, job.plaintext.prefix(released.count)) == nil)
        #expect(released.count % SegmentByteCount.forSecondPass == 0)
        #expect(released.isEmpty == (limit <= 2_500_000), "\(released.count) bytes after \(limit)")
    }
}
