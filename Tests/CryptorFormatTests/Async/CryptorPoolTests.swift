import CryptorPrimitives
import CryptorSystem
import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What a pool does, when, and on which threads.
@Suite(.unlessItHangs) struct CryptorPoolTests {
    private let password: Credential
    private let keys: Credential

    init() throws {
        password = try .password("correct horse battery staple")
        keys = .keys(try KeyPair.random())
    }

    // MARK: Threads

    /// Large work runs on the pool's own thread, even with keys that need no derivation.
    @Test func largeWorkRunsOnItsOwnThread() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let small = try await pool.encrypt([1, 2, 3], with: keys)
        #expect(try await pool.decrypt(small, with: keys) == [1, 2, 3], "small work with keys waits for no thread")
        let plaintext = LongBytes.bytes(100_000)
        let large = Task { try await pool.encrypt(plaintext, with: keys) }
        await until { pool.messages.count == 1 }
        blocker.open()
        #expect(firstDifference(try Cryptor.decrypt(try await large.value, with: keys), plaintext) == nil)
        let withPassword = try await pool.encrypt(plaintext, with: password)
        let back = try await pool.decrypt(withPassword, with: password)
        #expect(firstDifference(back, plaintext) == nil)
    }

    /// The threads end when the pool is released, on whatever thread that happens.
    @Test func threadsEnd() async throws {
        weak var queue: PoolQueue?
        do {
            let pool = CryptorPool(threadCount: 3)
            queue = pool.messages
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { _ = try await pool.encrypt([1], with: password) } }
                try await group.waitForAll()
            }
        }
        await until { queue == nil }
    }

    /// A file that waits, as for the reader of a pipe, delays no message.
    @Test func filesDelayNoMessage() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.files)
        let message = try await pool.encrypt([1, 2, 3], with: password)
        #expect(try await pool.decrypt(message, with: password) == [1, 2, 3])
        blocker.open()
    }

    // MARK: What waits

    /// The keys of waiting messages are derived together, in order, and each message comes out right. Many are derived
    /// together only if enough work is left for the other threads.
    @Test(arguments: [
        (1, [4: [4], 7: [4, 3], 8: [8], 12: [8, 4], 20: [8, 8, 4]]),
        (2, [8: [4, 4], 11: [4, 4, 3], 12: [8, 4], 13: [8, 4, 1]]),
    ])
    func derivesTogether(threadCount: Int, expected: [Int: [Int]]) async throws {
        for (count, batches) in expected {
            let queue = PoolQueue(threadCount: threadCount, pendingLimit: .max, pairsAtATime: (4, 8))
            var blockers: [Blocker] = []
            for _ in 0..<threadCount { blockers.append(await Blocker(occupying: queue)) }
            let salt = [UInt8](repeating: 7, count: 8)
            let tasks = (0..<count).map { number in
                Task {
                    let source = KeySource.password(
                        SecretBytes([UInt8(number)]), Header.Salts(encryption: salt, hmac: salt))
                    let expected = try source.keys().copyKeys().hmacKey
                    return try await queue.derive(source) { $0.copyKeys().hmacKey == expected }
                }
            }
            await until { queue.count == count }
            var found: [Int] = []
            while case let batch = queue.takeNext(), !batch.isEmpty {
                found.append(batch.count)
                queue.finish(batch)
            }
            #expect(found == batches, "\(count) with \(threadCount) threads")
            for task in tasks { #expect(try await task.value == true) }
            for blocker in blockers { blocker.open() }
        }
    }

    /// Derivations are done together only if they follow each other.
    @Test func otherWorkInBetween() async throws {
        let queue = PoolQueue(threadCount: 1, pendingLimit: .max, pairsAtATime: (4, 4))
        let blocker = await Blocker(occupying: queue)
        let source = KeySource.known(try KeyPair.random())
        var tasks: [Task<Void, any Error>] = []
        for (number, kind) in "ddjddf".enumerated() {
            tasks.append(
                Task {
                    switch kind {
                    case "d": try await queue.derive(source) { _ in }
                    default: try await queue.run(first: kind == "f") { _ in }
                    }
                })
            await until { queue.count == number + 1 }
        }
        var found: [Int] = []
        while case let batch = queue.takeNext(), !batch.isEmpty {
            found.append(batch[0].source == nil ? -batch.count : batch.count)
            queue.finish(batch)
        }
        #expect(found == [-1, 2, -1, 2])
        for task in tasks { try await task.value }
        blocker.open()
    }

    /// A batch holds messages of several callers. The failure of one of them is its own.
    @Test(.enabled(if: ProcessInfo.processInfo.physicalMemory > 8 << 30))
    func aFailureInABatch() async throws {
        let queue = PoolQueue(threadCount: 1, pendingLimit: .max, pairsAtATime: (4, 4))
        let blocker = await Blocker(occupying: queue)
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        // PBKDF2 takes no password of 2 GiB. Its memory is never written before it is cleansed.
        let tooLong = SecretBytes(count: 1 << 31) { output in
            output.withUnsafeMutableBytes { bytes, count in count = bytes.count }
        }
        let tasks = [SecretBytes([1]), tooLong, SecretBytes([2])].map { password in
            Task { try await queue.derive(.password(password, salts)) { $0.copyKeys().hmacKey } }
        }
        await until { queue.count == 3 }
        blocker.open()
        for (task, password) in zip(tasks, [1, nil, 2] as [UInt8?]) {
            let expected = try password.map {
                try KeySource.password(SecretBytes([$0]), salts).keys().copyKeys().hmacKey
            }
            let found = try? await task.value
            #expect(found == expected, "\(String(describing: password))")
        }
    }

    /// A message that is refused does not affect the others that are worked on together.
    @Test func severalPasswords() async throws {
        let pool = CryptorPool(threadCount: 1, pairsAtATime: (4, 4))
        let blocker = await Blocker(occupying: pool.messages)
        let other = try Credential.password("another")
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        let right = Task { try await pool.decrypt(message, with: password) }
        let wrong = Task { try await pool.decrypt(message, with: other) }
        let written = Task { try await pool.encrypt([4], with: other) }
        await until { pool.messages.count == 3 }
        blocker.open()
        #expect(try await right.value == [1, 2, 3])
        let error = await #expect(throws: CryptorError.self) { try await wrong.value }
        #expect(error?.code == .authenticationFailed)
        #expect(try Cryptor.decrypt(try await written.value, with: other) == [4])
    }

    /// Without a limit all calls wait, and get their turn in the order in which they came.
    @Test func oneAfterTheOther() async throws {
        let order = Notes<Int>()
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<1100 {
            tasks.append(Task { try await pool.messages.run { (_) throws(CryptorError) in order.add(index) } })
            await until { pool.messages.count == index + 1 }
        }
        blocker.open()
        for task in tasks { try await task.value }
        #expect(order.all == Array(0..<1100))
    }

    /// A full pool refuses messages: a service may rather refuse a request than be late with all of them.
    @Test func aFullPoolRefuses() async throws {
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 3)
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        for _ in 0..<2 {
            let blocker = await Blocker(occupying: pool.messages)
            let waiting = (0..<2).map { _ in Task { try await pool.decrypt(message, with: password) } }
            await until { pool.messages.count == 2 }
            for _ in 0..<5 {
                let error = await #expect(throws: CryptorError.self) { try await pool.decrypt(message, with: password) }
                #expect(error?.code == .overloaded)
            }
            #expect(pool.messages.count == 2)
            blocker.open()
            for task in waiting { #expect(try await task.value == [1, 2, 3]) }
            // The blocker's own call may still be ending.
            while (try? await pool.decrypt(message, with: password)) == nil {}
        }
    }

    /// A call that has returned is no longer pending.
    @Test func oneAtATime() async throws {
        let pool = CryptorPool(threadCount: 2, maximumPendingCount: 1)
        for number in 0..<200 {
            #expect(try await pool.messages.run { (_) throws(CryptorError) in number } == number)
        }
        let plaintext = LongBytes.bytes(100_000)
        let message = try await pool.encrypt(plaintext, with: password)
        #expect(try await sameBytes(pool.decrypt(message, with: password), plaintext))
    }

    @Test func tenThousandTasksThroughASmallPool() async throws {
        let count = repetitions(10_000)
        let pool = CryptorPool(threadCount: 2)
        let wrong = Tally()
        await withTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    let plaintext = withUnsafeBytes(of: index) { Array($0) }
                    let credential = index.isMultiple(of: 100) ? password : keys
                    do {
                        let message = try await pool.encrypt(plaintext, with: credential)
                        let result = try await pool.messages.run { (_) throws(CryptorError) in
                            try Cryptor.decrypt(message, with: credential)
                        }
                        if result != plaintext { wrong.add() }
                    } catch {
                        wrong.add()
                    }
                }
            }
        }
        #expect(wrong.count == 0)
        #expect(pool.messages.count == 0)
    }

    // MARK: Cancellation

    /// Work that is cancelled in the queue is not done. Its secrets are cleansed, and others get their turn.
    @Test func cancelledWhileWaiting() async throws {
        /// Gone means cleansed.
        final class Witness: Sendable {
            nonisolated(unsafe) weak var secret: SecretBytes?
            init(_ secret: SecretBytes) { self.secret = secret }
        }
        var witnesses: [Witness] = []
        let pool = CryptorPool(threadCount: 1, maximumPendingCount: 7)
        let blocker = await Blocker(occupying: pool.messages)
        let tasks = (0..<6).map { index in
            let secret = SecretBytes(Array("password \(index)".utf8))
            witnesses.append(Witness(secret))
            return Task { [credential = Credential(kind: .password(secret))] in
                try await pool.encrypt([1], with: credential)
            }
        }
        await until { pool.messages.count == 6 }
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: CryptorError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(pool.messages.count == 0)
        let all = witnesses
        await until { all.allSatisfy { $0.secret == nil } }
        let later = Task { try await pool.encrypt([1, 2, 3], with: password) }
        await until { pool.messages.count == 1 }
        blocker.open()
        #expect(try Cryptor.decrypt(try await later.value, with: password) == [1, 2, 3])
    }

    /// However many calls are cancelled while no thread is free, those that wait keep their order.
    @Test func manyAreCancelled() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let order = Notes<Int>()
        var kept: [Task<Void, any Error>] = []
        for index in 0..<500 {
            let task = Task { try await pool.messages.run { (_) throws(CryptorError) in order.add(index) } }
            await until { pool.messages.count == kept.count + 1 }
            if index.isMultiple(of: 100) { kept.append(task) } else { task.cancel() }
            await until { pool.messages.count == kept.count }
        }
        blocker.open()
        for task in kept { try await task.value }
        #expect(order.all == [0, 100, 200, 300, 400])
    }

    @Test func cancelledBeforeItBegins() async throws {
        let pool = CryptorPool(threadCount: 1)
        for credential in [password, keys] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await pool.encrypt([1], with: credential)
            }
            let error = await #expect(throws: CryptorError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }

    /// Work that has begun is finished, whenever its task is cancelled, and no task waits forever.
    @Test func cancelledAtRandomMoments() async throws {
        let pool = CryptorPool(threadCount: 2)
        var generator = SeededGenerator()
        for _ in 0..<repetitions(20) {
            let tasks = (0..<20).map { index in
                Task { try await pool.encrypt([UInt8](repeating: 7, count: index * 8000), with: password) }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))
            for task in tasks { task.cancel() }
            for (index, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let message):
                    #expect(try Cryptor.decrypt(message, with: password).count == index * 8000, "\(generator)")
                case .failure(let error):
                    #expect((error as? CryptorError)?.code == .cancelled, "\(generator)")
                }
            }
        }
        #expect(pool.messages.count == 0)
        #expect(try await pool.decrypt(try await pool.encrypt([1], with: password), with: password) == [1])
    }

    /// The deadline of the article on services: what waits longer is dropped.
    @Test func aDeadline() async throws {
        let pool = CryptorPool(threadCount: 1)
        let blocker = await Blocker(occupying: pool.messages)
        let password = password
        let plaintext = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await pool.encrypt([1], with: password) }
            group.addTask {
                try await Task.sleep(for: .milliseconds(20))
                return nil
            }
            return try await group.next() ?? nil
        }
        #expect(plaintext == nil && pool.messages.count == 0)
        blocker.open()
    }
}
