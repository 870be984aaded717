import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Many messages in one call of a pool.
@Suite(.unlessItHangs) struct PoolBatchTests {
    private let password: Credential
    private let keys: Credential

    init() throws {
        password = try .password("correct horse battery staple")
        keys = try FileJob.keys(1)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100], [1, 2, 5])
    func eachInItsPlace(count: Int, threads: Int) async throws {
        let pool = CryptorPool(threadCount: threads)
        let plaintexts = (0..<count).map { LongBytes.bytes($0) }
        for credential in count > 20 ? [keys] : [keys, password] {
            let messages = try await pool.encryptAll(plaintexts, with: credential).map { try $0.get() }
            #expect(try messages.map { try Cryptor.decrypt($0, with: credential) } == plaintexts)
            let decrypted = try await pool.decryptAll(messages, with: credential).map { try $0.get() }
            #expect(decrypted == plaintexts)
            let data = try await pool.decryptAll(messages.map { Data($0) }, with: credential).map { try $0.get() }
            #expect(data == plaintexts.map { Data($0) })
            let others = try await pool.encryptAll(data, with: credential).map {
                try Cryptor.decrypt($0.get(), with: credential)
            }
            #expect(others == data)
        }
    }

    /// A failure affects no other message of the batch.
    @Test func eachHasItsOwnFailure() async throws {
        let plaintexts = (0..<100).map { LongBytes.bytes($0) }
        var messages = Cryptor.encryptAll(plaintexts, with: keys).compactMap { try? $0.get() }
        for index in stride(from: 0, to: 100, by: 7) { messages[index][20] ^= 1 }
        for index in stride(from: 3, to: 100, by: 7) { messages[index] = [1, 2, 3] }
        let results = await CryptorPool.shared.decryptAll(messages, with: keys)
        #expect(results == Cryptor.decryptAll(messages, with: keys))
        #expect(results.count { (try? $0.get()) == nil } == 29)
    }

    @Test func aFullPoolRefusesAllOfThem() async throws {
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: 1, whenFull: .refuse, batchCount: 1)
        let blocker = await Blocker(occupying: pool)
        let results = await pool.encryptAll([[1], [2], [3]], with: keys)
        #expect(results.map { $0.error?.code } == [.overloaded, .overloaded, .overloaded])
        blocker.open()
        // All messages of a call have one place together.
        await until { pool.queue.count == 0 }
        var messages: [Result<[UInt8], CryptorError>] = []
        repeat {
            messages = await pool.encryptAll([[UInt8]](repeating: [1], count: 100), with: keys)
        } while messages[0].error?.code == .overloaded
        #expect(messages.allSatisfy { $0.error == nil })
    }

    /// Work that comes later does not wait for all messages of a batch.
    @Test func othersGetTheirTurn() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool)
        let ended = Notes<String>()
        let batch = Task {
            defer { ended.add("batch") }
            return await pool.encryptAll([[UInt8]](repeating: [1], count: 1000), with: keys)
        }
        await until { pool.queue.count == 1 }
        let other = Task {
            try await pool.run { () throws(CryptorError) in ended.add("other") }
        }
        await until { pool.queue.count == 2 }
        blocker.open()
        try await other.value
        #expect(await batch.value.count == 1000)
        #expect(ended.all == ["other", "batch"])
    }

    @Test func cancelled() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool)
        let batch = Task { await pool.encryptAll([[UInt8]](repeating: [1], count: 1000), with: password) }
        await until { pool.queue.count == 1 }
        batch.cancel()
        let results = await batch.value
        #expect(results.count == 1000)
        #expect(results.allSatisfy { $0.error?.code == .cancelled })
        blocker.open()
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
