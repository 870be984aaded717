import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// After a cancellation, a source is not asked again: it might not notice the cancellation, and go on forever.
@Suite(.unlessItHangs) struct CancelledSequenceTests {
    private let keys: Credential
    private let plaintext = LongBytes.bytes(1000)

    init() throws { keys = try FileJob.keys(1) }

    @Test(arguments: [true, false])
    func nothingIsRead(isEncrypting: Bool) async throws {
        let keys = keys
        let bytes = isEncrypting ? plaintext : try Cryptor.encrypt(plaintext, with: keys)
        let source = ChunkSource([bytes, bytes])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return isEncrypting
                ? await Reading(source.encrypted(with: keys)) : await Reading(source.decryptedUnverified(with: keys))
        }
        let reading = await task.value
        #expect(reading.code == .cancelled && reading.isSticky && reading.chunks.isEmpty)
        #expect(source.pulls.count == 0, "nothing is asked for")
    }

    /// A cancellation takes effect between two pieces of one chunk as well.
    @Test func inTheMiddleOfAChunk() async {
        let keys = keys
        let source = ChunkSource([LongBytes.bytes(300_000)])
        let task = Task {
            var message = source.encrypted(with: keys).makeAsyncIterator()
            #expect(try await message.next(isolation: nil) != nil)
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await message.next(isolation: nil)
        }
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(source.pulls.count == 1)
    }

    @Test func collectingStops() async throws {
        let keys = keys
        let message = try Cryptor.encrypt(plaintext, with: keys)
        let source = ChunkSource(Chunking.fixed(100).chunks(of: message))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Cryptor.decrypt(collecting: source, upTo: 10_000, with: keys)
        }
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(source.pulls.count == 1, "the rest is not asked for")
    }
}
