import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A sequence reads nothing before it is asked for a chunk, and keeps no more than it needs.
@Suite(.unlessItHangs) struct AsyncDemandTests {
    private let credential: Credential

    init() throws {
        var generator = SeededGenerator()
        credential = .keys(try generator.keyPair())
    }

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
                // Only the header, and up to 63 bytes that are held back, have been read and not released.
                released += chunk.count
                let read = min(source.pulls.count * size, message.count)
                #expect(read - released <= 18 + 63, "chunks of \(size): \(read) bytes read, \(released) released")
            }
            #expect(released == 5000)
        }
    }

    /// A chunk that counts how many of its kind exist.
    private struct CountedChunk: Collection, Sendable {
        final class Token: Sendable {
            static let living = Atomic(0)
            static let most = Atomic(0)
            init() {
                let count = Self.living.add(1, ordering: .relaxed).newValue
                Self.most.max(count, ordering: .relaxed)
            }
            deinit { Self.living.subtract(1, ordering: .relaxed) }
        }

        let token = Token()
        let endIndex: Int
        var startIndex: Int { 0 }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index) }
    }

    private struct Endless: AsyncSequence, AsyncIteratorProtocol {
        typealias Failure = Never
        func makeAsyncIterator() -> Endless { self }
        func next(isolation: isolated (any Actor)?) async -> CountedChunk? { CountedChunk(endIndex: 500) }
    }

    @Test func keepsOneChunkAtATime() async throws {
        var iterator = Endless().encrypted(with: credential).makeAsyncIterator()
        for _ in 0..<repetitions(2000) { _ = try await iterator.next(isolation: nil) }
        #expect(CountedChunk.Token.most.load(ordering: .relaxed) <= 2)
        #expect(CountedChunk.Token.living.load(ordering: .relaxed) <= 1)
    }

    /// The chunks that come out are small, however large those of the source are.
    @Test func largeChunksAreSplit() async throws {
        let plaintext = LongBytes.bytes(3 << 20)
        let encrypting = await Reading(ChunkSource([plaintext]).encrypted(with: credential))
        #expect(encrypting.chunks.count > 48 && encrypting.chunks.allSatisfy { $0.count <= 64 * 1024 + 48 })
        let message = encrypting.bytes
        #expect(firstDifference(try Cryptor.decrypt(message, with: credential), plaintext) == nil)
        let decrypting = await Reading(ChunkSource([message]).decryptedUnverified(with: credential))
        #expect(decrypting.chunks.count > 48 && decrypting.chunks.allSatisfy { $0.count <= 64 * 1024 + 16 })
        #expect(firstDifference(decrypting.bytes, plaintext) == nil)
    }

    /// A message that was held back comes out at its end, in small chunks as well.
    @Test func whatWasHeldBackIsSplit() async throws {
        let password = try Credential.password("pässword")
        let accepting = Acceptance.default.withShortenedPasswords()
        let header = Header(
            version: .v2, salts: Header.Salts(encryption: [UInt8](0..<8), hmac: [UInt8](8..<16)),
            iv: [UInt8](0..<16))
        let plaintext = LongBytes.bytes(300_000)
        let message = try Cryptor.encrypt(plaintext, with: password, header: header)
        let source = ChunkSource(Chunking.fixed(100_000).chunks(of: message))
        let reading = await Reading(source.decryptedUnverified(with: password, accepting: accepting))
        #expect(reading.error == nil && reading.chunks.allSatisfy { $0.count <= 64 * 1024 })
        #expect(firstDifference(reading.bytes, plaintext) == nil)
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
}
