import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Which work waits for a pool. Here the pool is full, so that work which asks for it is refused.
@Suite(.unlessItHangs) struct PoolPlaceTests {
    private let keys: Credential

    init() throws { keys = try FileJob.keys(1) }

    private func fullPool() async -> (pool: CryptorPool, blocker: Blocker) {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 1)
        return (pool, await Blocker(occupying: pool.messages))
    }

    private func code(
        gives expected: [UInt8]? = nil, _ work: () async throws(CryptorError) -> [UInt8]
    ) async -> CryptorError.Code? {
        do throws(CryptorError) {
            let bytes = try await work()
            if let expected { #expect(sameBytes(bytes, expected)) }
            return nil
        } catch {
            return error.code
        }
    }

    /// Up to 64 KiB are encrypted where the task runs.
    @Test(arguments: [(0, false), (65_536, false), (65_537, true)])
    func encryptionUnderKeys(byteCount: Int, isRefused: Bool) async throws {
        let (pool, blocker) = await fullPool()
        defer { blocker.open() }
        let keys = keys
        let plaintext = LongBytes.bytes(byteCount)
        let found = await code { () async throws(CryptorError) in try await pool.encrypt(plaintext, with: keys) }
        #expect(found == (isRefused ? .overloaded : nil))
    }

    /// The longest message of at most 64 KiB has 65,522 bytes.
    @Test(arguments: [(0, false), (65_471, false), (65_472, true)])
    func decryptionUnderKeys(byteCount: Int, isRefused: Bool) async throws {
        let (pool, blocker) = await fullPool()
        defer { blocker.open() }
        let keys = keys
        let plaintext = LongBytes.bytes(byteCount)
        let message = try Cryptor.encrypt(plaintext, with: keys)
        let found = await code(gives: plaintext) { () async throws(CryptorError) in
            try await pool.decrypt(message, with: keys)
        }
        #expect(found == (isRefused ? .overloaded : nil), "\(message.count) bytes")
    }

    /// Streams under keys wait for nothing, however long they are, because nothing has to be derived.
    @Test func streamsUnderKeys() async throws {
        let (pool, blocker) = await fullPool()
        defer { blocker.open() }
        let plaintext = LongBytes.bytes(200_000)
        let writing = await Reading(ChunkSource([plaintext]).encrypted(with: keys, on: pool))
        #expect(writing.error == nil)
        #expect(sameBytes(try Cryptor.decrypt(writing.bytes, with: keys), plaintext))
        let reading = await Reading(ChunkSource([writing.bytes]).decryptedUnverified(with: keys, on: pool))
        #expect(reading.error == nil && sameBytes(reading.bytes, plaintext))
        let password = try Credential.password("correct horse")
        let refused = await Reading(ChunkSource([plaintext]).encrypted(with: password, on: pool))
        #expect(refused.code == .overloaded && refused.isSticky && refused.chunks.isEmpty)
    }
}
