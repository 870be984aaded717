import CryptorTestSupport
import Synchronization
import Testing

@testable import CryptorAsync

/// A sequence reads nothing before it is asked for a chunk and keeps no more than it needs; and one
/// that is not complete and authentic, or is cancelled, never ends as if it were.
@Suite(.unlessItHangs) struct SequenceTests {
    private struct SourceFailure: Error, Equatable {}

    private let credential: Credential
    private let plaintext: [UInt8]
    private let message: [UInt8]

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.messageKeys())
        plaintext = generator.bytes(150)
        message = try Cryptor.encrypt(plaintext, with: credential)
    }

    // MARK: Demand

    @Test func encryptionReadsAChunkForAChunk() async throws {
        let source = ChunkSource([[UInt8]](repeating: [UInt8](repeating: 7, count: 100), count: 50))
        let sequence = source.encrypted(with: credential)
        var iterator = sequence.makeAsyncIterator()
        #expect(source.pulls.count == 0)
        for index in 1...50 {
            #expect(try await iterator.next(isolation: nil) != nil)
            #expect(source.pulls.count == index)
        }
        #expect(try await iterator.next(isolation: nil) != nil, "the end of the message")
        #expect(source.pulls.count == 51)
        for _ in 0..<3 { #expect(try await iterator.next(isolation: nil) == nil) }
        #expect(source.pulls.count == 51, "a source that has ended is not asked again")
    }

    @Test func decryptionReadsNoMoreThanItNeeds() async throws {
        let message = try Cryptor.encrypt([UInt8](repeating: 7, count: 5000), with: credential)
        for size in [1, 16, 100] {
            let source = ChunkSource(Chunking.fixed(size).chunks(of: message))
            var released = 0
            var iterator = source.decryptedUnverified(with: credential).makeAsyncIterator()
            #expect(source.pulls.count == 0)
            while let chunk = try await iterator.next(isolation: nil) {
                // Only the header, and up to 63 bytes that are held back, have been read and not
                // released.
                released += chunk.count
                let read = min(source.pulls.count * size, message.count)
                #expect(
                    read - released <= 18 + 63,
                    "chunks of \(size): \(read) bytes read, \(released) released")
            }
            #expect(released == 5000)
        }
    }

    /// The chunks that come out are small, however large those of the source are.
    @Test func largeChunksAreSplit() async throws {
        let plaintext = LongBytes.bytes(3 << 20)
        let encrypting = await ReadSequence(ChunkSource([plaintext]).encrypted(with: credential))
        #expect(
            encrypting.chunks.count > 48
                && encrypting.chunks.allSatisfy { $0.count <= 64 * 1024 + 48 })
        let message = encrypting.bytes
        #expect(firstDifference(try Cryptor.decrypt(message, with: credential), plaintext) == nil)
        let decrypting = await ReadSequence(
            ChunkSource([message]).decryptedUnverified(with: credential))
        #expect(
            49..<60 ~= decrypting.chunks.count
                && decrypting.chunks.allSatisfy { $0.count <= 64 * 1024 + 16 })
        #expect(firstDifference(decrypting.bytes, plaintext) == nil)
    }

    /// A message that is refused or too long is not read to its end.
    @Test func collectingStopsEarly() async throws {
        let message = try Cryptor.encrypt([UInt8](repeating: 7, count: 5000), with: credential)
        let chunks = Chunking.fixed(100).chunks(of: message)
        let tooLong = ChunkSource(chunks)
        let error = await #expect(throws: CryptorError.self) {
            _ = try await Cryptor.decrypt(collecting: tooLong, upTo: 250, with: credential)
        }
        #expect(error?.code == .messageTooLong)
        #expect(tooLong.pulls.count == 3)
        let mismatch = ChunkSource(chunks)
        let password = try Credential.password("correct horse")
        await #expect(throws: CryptorError.self) {
            _ = try await Cryptor.decrypt(collecting: mismatch, upTo: 250, with: password)
        }
        #expect(mismatch.pulls.count == 1)
    }

    // MARK: Faults

    /// An actor has to call `next` on a copy of its iterator, and does not keep a copy that threw.
    @Test func copiesOfAnIteratorAreOneStream() async throws {
        var altered = message
        altered[100] ^= 1
        let source = ChunkSource(Chunking.fixed(64).chunks(of: altered))
        var kept = source.decryptedUnverified(with: credential).makeAsyncIterator()
        var failures = 0
        for _ in 0..<20 where failures < 3 {
            var copy = kept
            do {
                let chunk = try await copy.next(isolation: nil)
                #expect(chunk != nil, "it ended as if all were well")
                kept = copy
            } catch {
                #expect((error as? CryptorError)?.code == .authenticationFailed)
                failures += 1
            }
        }
        #expect(failures == 3)
    }

    /// One message is written, however often its iterator is copied.
    @Test func copiesOfAnIteratorWriteOneMessage() async throws {
        var first = ChunkSource([plaintext]).encrypted(with: credential).makeAsyncIterator()
        var written = try await first.next(isolation: nil) ?? []
        var second = first
        while let chunk = try await first.next(isolation: nil) { written += chunk }
        #expect(try await second.next(isolation: nil) == nil)
        #expect(try Cryptor.decrypt(written, with: credential) == plaintext)
    }

    /// An actor that lets several tasks ask one stream, as Swift permits.
    private actor Shared {
        private var iterator: any AsyncIteratorProtocol<[UInt8], any Error>
        private(set) var questionCount = 0

        init(_ source: some AsyncSequence<[UInt8], any Error> & Sendable) {
            iterator = source.makeAsyncIterator()
        }

        func next() async throws -> [UInt8]? {
            questionCount += 1
            var copy = iterator
            defer { iterator = copy }
            return try await copy.next(isolation: self)
        }
    }

    /// Two tasks ask one stream at the same time, and one of them may be cancelled. Both of them,
    /// and whoever asks later, get the same error, and nobody sees the stream end.
    @Test(arguments: [true, false], [nil, 0, 1])
    func askedByTwo(decrypting: Bool, cancelled: Int?) async throws {
        var forged = message
        forged[message.count / 2] ^= 1
        for count in [0, 100] {
            let (source, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            let shared =
                decrypting
                ? Shared(source.decryptedUnverified(with: credential))
                : Shared(source.encrypted(with: credential))
            if count > 0 {
                continuation.yield(Array(forged.prefix(count)))
                #expect(try await shared.next() != nil)
            }
            let before = await shared.questionCount
            let tasks = (0..<2).map { _ in
                Task {
                    while try await shared.next() != nil {}
                }
            }
            while await shared.questionCount < before + 2 { await Task.yield() }
            if let cancelled { tasks[cancelled].cancel() }
            continuation.yield(Array(forged.dropFirst(count)))
            continuation.finish()
            for task in tasks {
                let error = await #expect(throws: CryptorError.self, "\(count) bytes") {
                    try await task.value
                }
                #expect(
                    error?.code == .concurrentUse,
                    "\(count) bytes: \(String(describing: error))")
            }
            let later = await #expect(throws: CryptorError.self, "\(count) bytes, later") {
                try await shared.next()
            }
            #expect(later?.code == .concurrentUse)
        }
    }

    @Test(arguments: [0, 1, 40, 100, 200])
    func theSourceFails(after count: Int) async {
        for chunking in [Chunking.whole, .fixed(1), .padded(16)] {
            let source = ChunkSource(
                chunking.chunks(of: Array(message.prefix(count))), thenThrowing: SourceFailure())
            let decrypting = await ReadSequence(source.decryptedUnverified(with: credential))
            let encrypting = await ReadSequence(source.encrypted(with: credential))
            for reading in [decrypting, encrypting] {
                #expect(reading.error is SourceFailure, "\(chunking)")
                #expect(reading.isSticky, "\(chunking): then \(reading.later)")
            }
            await #expect(throws: SourceFailure.self) {
                _ = try await Cryptor.decrypt(collecting: source, upTo: 1000, with: credential)
            }
        }
    }

    // MARK: Cancellation

    /// If a source ends because its task was cancelled, that is not taken for the end of its data.
    @Test func aCancelledSourceIsNoEnd() async {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let pulled = Tally()
        let counted = stream.map { chunk in
            pulled.add()
            return chunk
        }
        let task = Task { await ReadSequence(counted.encrypted(with: credential)) }
        continuation.yield(plaintext)
        await until { pulled.count == 1 }
        task.cancel()
        let reading = await task.value
        #expect(
            reading.code == .cancelled && reading.isSticky, "\(String(describing: reading.error))")
        continuation.finish()

        let (messages, rest) = AsyncStream<[UInt8]>.makeStream()
        rest.yield(message)
        let collecting = Task {
            try await Cryptor.decrypt(collecting: messages, upTo: 1000, with: credential)
        }
        collecting.cancel()
        let error = await #expect(throws: CryptorError.self) { try await collecting.value }
        #expect(error?.code == .cancelled)
        rest.finish()
    }

    /// After a cancellation, a source is not asked again: it might not notice the cancellation, and
    /// go on forever.
    @Test(arguments: ["encrypt", "decrypt", "collect"])
    func nothingMoreIsRead(work: String) async throws {
        let keys = credential
        let source = ChunkSource(Chunking.fixed(100).chunks(of: message))
        let task = Task { () -> CryptorError.Code? in
            withUnsafeCurrentTask { $0?.cancel() }
            func code(_ reading: ReadSequence) -> CryptorError.Code? {
                reading.isSticky && reading.chunks.isEmpty ? reading.code : nil
            }
            switch work {
            case "encrypt": return code(await ReadSequence(source.encrypted(with: keys)))
            case "decrypt": return code(await ReadSequence(source.decryptedUnverified(with: keys)))
            default:
                return try await Outcome {
                    try await Cryptor.decrypt(collecting: source, upTo: 10_000, with: keys)
                }.error?.code
            }
        }
        #expect(try await task.value == .cancelled)
        #expect(source.pulls.count == 0, "nothing is asked for")
    }
}
