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

    /// What a decryption released into a pipe, and its error.
    private func released(
        _ message: [UInt8], _ source: Source, _ naming: Naming, with credential: Credential
    ) throws -> ([UInt8], CryptorError?) {
        let folder = try TemporaryFolder()
        try folder.write(message, to: "message")
        let writer = try PipeWriter(source == .pipe ? message : [])
        let reader = try PipeReader()
        let input: FileEndpoint =
            source == .pipe ? .descriptor(try #require(writer.readEnd)) : .path(folder.path("message"))
        let output = FileEndpoint.descriptor(try #require(reader.writeEnd))
        let error = try caughtError {
            try naming.use { try Cryptor.decryptFile(at: input, to: output, with: credential) }
        }
        #expect(try folder.names() == ["message"])
        if let error { #expect(error.path == input.description) }
        return (try reader.finish(), error)
    }

    @Test(arguments: FileFailureTests.Damage.allCases, Source.allCases)
    func nothingOfADamagedMessage(damage: FileFailureTests.Damage, source: Source) throws {
        for length in [16, 1000, 1_300_000, 2_200_000] {
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
            for length in [0, 32, 1_048_576, 1_300_000] {
                let plaintext = LongBytes.bytes(length / 16 * 16)
                let message = try Self.message(endingIn: block, after: plaintext)
                let (released, error) = try released(message, source, naming, with: credential)
                #expect(error?.code == (isSound ? nil : .corruptPadding), "\(block), \(length) bytes")
                let expected = plaintext + block.dropLast(Int(block[15]))
                #expect(firstDifference(released, isSound ? expected : []) == nil, "\(block), \(length) bytes")
            }
        }
    }

    @Test(arguments: Naming.allCases)
    func noFileBeforeACorruptPadding(naming: Naming) throws {
        for task in [FileTask.decrypt, .rekey] {
            let job = try FileJob(task)
            let message = try Self.message(endingIn: [UInt8](repeating: 0, count: 16), after: job.plaintext.dropLast(8))
            try job.folder.write(message, to: "source")
            let error = #expect(throws: CryptorError.self) { try naming.use { try job.run() } }
            #expect(error?.code == .corruptPadding)
            #expect(error?.path == job.source.description)
            #expect(try job.folder.names() == ["source"])
        }
    }

    /// A caller that takes chunks gets what a stream would get.
    @Test(arguments: [0, 15, 600_000, 1_300_000], Source.allCases)
    func chunksOfAnAuthenticMessage(byteCount: Int, source: Source) throws {
        let job = try FileJob(.decrypt, byteCount: byteCount)
        for isAltered in [false, true] {
            if isAltered { try job.folder.alter("source", job.sourceBytes.count - 1..<job.sourceBytes.count) }
            let writer = try PipeWriter(source == .pipe ? job.folder.read("source") : [])
            let input = source == .pipe ? FileEndpoint.descriptor(try #require(writer.readEnd)) : job.source
            var plaintext: [UInt8] = []
            let error = try caughtError {
                try Cryptor.decryptFile(at: input, with: job.credential) { plaintext += $0 }
            }
            #expect(error?.code == (isAltered ? .authenticationFailed : nil))
            #expect(firstDifference(plaintext, isAltered ? [] : job.plaintext) == nil, "\(SeededGenerator())")
        }
    }

    @Test func whoReceivesMayCancel() throws {
        struct Enough: Error {}
        let job = try FileJob(.decrypt, byteCount: 1_300_000)
        var calls = 0
        let error = try caughtError {
            try Cryptor.decryptFile(at: job.source, with: job.credential) { _ in
                calls += 1
                throw Enough()
            }
        }
        #expect(error?.code == .cancelled)
        #expect(calls == 1)
    }
}
