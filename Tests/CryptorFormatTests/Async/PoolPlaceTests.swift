import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// Which work needs a place in a pool. Here the only place is taken, so that work which asks for one is refused.
@Suite(.unlessItHangs) struct PoolPlaceTests {
    private let keys: Credential

    init() throws { keys = try FileJob.keys(1) }

    private func fullPool() async -> (pool: CryptorPool, blocker: Blocker) {
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: 1, whenFull: .refuse, batchCount: 1)
        return (pool, await Blocker(occupying: pool))
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

    /// Streams under keys need no place, however long they are, because nothing has to be derived.
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

    /// Work on a file under keys derives nothing.
    @Test func filesUnderKeysDeriveNothing() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 4) { _ in Issue.record("keys were derived") }
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "plain")
        try await pool.encryptFile(at: folder.path("plain"), to: folder.path("message"), with: keys)
        #expect(try await pool.verifyFile(at: folder.path("message"), with: keys) == 3)
        try await pool.decryptFile(at: folder.path("message"), to: folder.path("copy"), with: keys)
        #expect(try folder.read("copy") == [1, 2, 3])
    }

    /// Work on a pipe may have to wait for its other end, so other work is done first, even if it came later.
    @Test func aPipeComesLast() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1)
        let folder = try TemporaryFolder()
        try folder.makeFIFO("pipe")
        let (source, destination, keys) = (folder.path("pipe"), folder.path("message"), keys)
        let blocker = await Blocker(occupying: pool)
        let ofPipe = Task { try await pool.encryptFile(at: source, to: destination, with: keys) }
        await until { pool.queue.count == 1 }
        let wasDone = Notes<Bool>()
        let other = Task {
            try await pool.run { () throws(CryptorError) in
                wasDone.add(FileManager.default.fileExists(atPath: destination))
            }
        }
        await until { pool.queue.count == 2 }
        _ = PipeWriter([1, 2, 3], intoFIFO: source)
        blocker.open()
        try await other.value
        try await ofPipe.value
        #expect(wasDone.all == [false], "the pipe was read first")
        #expect(try Cryptor.decrypt(folder.read("message"), with: keys) == [1, 2, 3])
    }

    /// A long message has one place for its keys and for the rest. Work that came later, and waits for that place, does
    /// not overtake it.
    @Test func oneForKeysAndTheRest() async throws {
        let (isDeriving, release) = (Tally(), DispatchSemaphore(value: 0))
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: 1, batchCount: 1) { _ in
            isDeriving.add()
            release.wait()
        }
        let salt = [UInt8](repeating: 7, count: 8)
        let source = KeySource.password(SecretBytes([1]), Header.Salts(encryption: salt, hmac: salt))
        let notes = Notes<Int>()
        async let long: Void = pool.perform(source, byteCount: 65_537) { _ throws(CryptorError) in notes.add(1) }
        await until { isDeriving.count > 0 }
        async let short: Void = pool.run { () throws(CryptorError) in notes.add(2) }
        await until { pool.gate.waitingCount == 1 }
        release.signal()
        try await long
        try await short
        #expect(notes.all == [1, 2])
    }
}
