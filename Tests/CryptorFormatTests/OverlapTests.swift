import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The bytes are the same on one thread and on two. These tests get a second thread even if others use all cores.
@Suite(.withHelpers) struct OverlapTests {
    /// Sizes around the one from which a second thread is used, and sizes that are not whole blocks or pieces.
    private static let lengths = [524_287, 524_288, 524_289, 1_048_576, 1_500_001, 3_145_745]

    @Test(arguments: lengths)
    func wholeMessages(count: Int) throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(count)
        let serial = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .serial)
        let overlapped = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .automatic)
        #expect(sameBytes(serial, overlapped), "\(generator)")
        for concurrency in [Concurrency.serial, .automatic] {
            let read = try Cryptor.decrypt(serial, with: credential, concurrency: concurrency)
            #expect(sameBytes(read, plaintext), "\(concurrency), \(generator)")
        }
    }

    @Test(arguments: [600_000, 1_048_576, 1_048_577])
    func streams(chunk: Int) throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(5_000_011)
        let expected = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .serial)
        let writing = try ChunkedEncryption(plaintext, with: credential, header: header, .fixed(chunk))
        #expect(sameBytes(writing.message, expected), "\(generator)")
        let reading = try ChunkedDecryption(expected, with: credential, .fixed(chunk))
        #expect(reading.verifiedPlaintext.map { sameBytes($0, plaintext) } == true, "\(generator)")
    }

    @Test func alteredMessagesAreRefused() throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let message = try Cryptor.encrypt(generator.bytes(2_000_000), with: credential)
        for _ in 0..<50 {
            var altered = message
            altered[Int.random(in: 2..<message.count, using: &generator)] ^= 1
            let error = #expect(throws: CryptorError.self, "\(generator)") {
                try Cryptor.decrypt(altered, with: credential)
            }
            #expect(error?.code == .authenticationFailed, "\(generator)")
        }
    }

    /// If there are more streams than cores, most of them find no helper, and all of them end.
    @Test func manyAtOnce() async throws {
        let credential = Credential.keys(try .random())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    try CoreBudget.$isUnlimited.withValue(false) {
                        let plaintext = [UInt8](repeating: UInt8(index), count: 700_000 + index)
                        let message = try Cryptor.encrypt(plaintext, with: credential)
                        return try Cryptor.decrypt(message, with: credential) == plaintext
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    /// Lengths around the chunk with which the second thread starts, and of more chunks than are under way at once.
    private static let fileLengths =
        [0, 4, 5, 6, 16, 20].flatMap { chunks in
            [-1, 0, 1].map { max(0, chunks * MessageChunk.byteCount + $0) }
        } + [5 * SegmentByteCount.forSecondPass + 5]

    @Test(arguments: FileTask.allCases, fileLengths)
    func files(task: FileTask, length: Int) throws {
        let job = try FileJob(task, byteCount: length)
        try job.run(overwriting: true)
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        let reader = try PipeReader()
        let stream = FileEndpoint.descriptor(try #require(reader.writeEnd))
        try job.run(to: stream)
        let flaw = try job.flaw(in: reader.finish())
        #expect(flaw == nil, "to a pipe, \(SeededGenerator())")
    }

    /// An altered bit of a large message file is noticed, whichever thread reads it.
    @Test func alteredFilesAreRefused() throws {
        var generator = SeededGenerator()
        let job = try FileJob(.decrypt, byteCount: 2_000_000)
        for _ in 0..<50 {
            let offset = Int.random(in: 2..<job.sourceBytes.count, using: &generator)
            try job.folder.alter("source", offset..<offset + 1)
            for destination in [job.destination, .path("/dev/null")] {
                let error = #expect(throws: CryptorError.self, "\(generator)") { try job.run(to: destination) }
                #expect(error?.code == .authenticationFailed, "\(generator)")
            }
            #expect(try job.folder.names() == ["source"], "\(generator)")
            try job.folder.write(job.sourceBytes, to: "source")
        }
    }
}

private struct WithHelpers: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(for test: Test, testCase: Test.Case?, performing function: () async throws -> Void) async throws {
        try await CoreBudget.$isUnlimited.withValue(true) { try await function() }
    }
}

extension Trait where Self == WithHelpers {
    /// Gives a second thread to all work that asks for one.
    fileprivate static var withHelpers: Self { WithHelpers() }
}
