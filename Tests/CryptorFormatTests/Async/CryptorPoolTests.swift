import CryptorPrimitives
import Foundation
import CryptorTestSupport
import Testing

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

    /// Derivations run on the thread that the pool's own tasks run on, and on none that other tasks run on.
    @Test func derivesOnItsOwnThread() async throws {
        let derivingThreads = Notes<pthread_t>()
        let pool = CryptorPool(threadCount: 1, batchCount: 4) { _ in
            derivingThreads.add(pthread_self())
        }
        let own = await withTaskExecutorPreference(pool) { pthread_self() }
        let others = Notes<pthread_t>()
        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    others.add(pthread_self())
                    let plaintext = [UInt8(index)]
                    let message = try await pool.encrypt(plaintext, with: password)
                    #expect(try await pool.decrypt(message, with: password) == plaintext)
                    others.add(pthread_self())
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(derivingThreads.all) == [own])
        #expect(others.all.count == 40 && !others.all.contains(own))
    }

    /// Large work runs on the pool's own thread, even with keys that need no derivation.
    @Test func largeWorkRunsOnItsOwnThread() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 4)
        let blocker = await Blocker(occupying: pool)
        let small = try await pool.encrypt([1, 2, 3], with: keys)
        #expect(try await pool.decrypt(small, with: keys) == [1, 2, 3], "small work with keys waits for no thread")
        let plaintext = LongBytes.bytes(100_000)
        let large = Task { try await pool.encrypt(plaintext, with: keys) }
        await until { pool.queue.count == 1 }
        blocker.open()
        #expect(firstDifference(try Cryptor.decrypt(try await large.value, with: keys), plaintext) == nil)
        let withPassword = try await pool.encrypt(plaintext, with: password)
        let back = try await pool.decrypt(withPassword, with: password)
        #expect(firstDifference(back, plaintext) == nil)
    }

    @Test func executesTasks() async throws {
        let pool = CryptorPool(threadCount: 2, batchCount: 4)
        let total = await withTaskExecutorPreference(pool) {
            await withTaskGroup(of: Int.self) { group in
                for index in 0..<500 {
                    group.addTask {
                        await Task.yield()
                        return index
                    }
                }
                return await group.reduce(0, +)
            }
        }
        #expect(total == 499 * 500 / 2)
        let message = try await Task(executorPreference: pool) {
            try await pool.encrypt([1, 2, 3], with: password)
        }.value
        #expect(try Cryptor.decrypt(message, with: password) == [1, 2, 3])
    }

    /// The threads end when the pool is released, on whatever thread that happens.
    @Test func threadsEnd() async throws {
        weak var queue: PoolQueue?
        weak var other: PoolQueue?
        do {
            let pool = CryptorPool(threadCount: 3, batchCount: 1)
            queue = pool.queue
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { _ = try await pool.encrypt([1], with: password) } }
                try await group.waitForAll()
            }
            // The last reference to this pool may be released on its own thread.
            let own = CryptorPool(threadCount: 1, batchCount: 1)
            other = own.queue
            await Task(executorPreference: own) { await Task.yield() }.value
        }
        // Each thread holds the queue for as long as it lives.
        await until { queue == nil && other == nil }
    }

    @Test func worksWhereNoThreadCanBeStarted() async throws {
        let pool = CryptorPool(threadCount: 2, batchCount: 4)
        try await ThreadCrew.$hasNoThreads.withValue(true) {
            let message = try await pool.encrypt([1, 2, 3], with: password)
            #expect(try await pool.decrypt(message, with: password) == [1, 2, 3])
        }
        let message = try await pool.encrypt([1, 2, 3], with: password)
        #expect(try Cryptor.decrypt(message, with: password) == [1, 2, 3])
    }

    // MARK: What waits

    /// The keys of waiting messages are derived four at a time, in order, and each message comes out right.
    @Test func derivesInBatches() async throws {
        let batches = Notes<Int>()
        let pool = CryptorPool(threadCount: 1, batchCount: 4) { batches.add($0) }
        let blocker = await Blocker(occupying: pool)
        let tasks = (0..<10).map { index in
            Task { try await pool.encrypt([UInt8](repeating: 9, count: index), with: password) }
        }
        await until { pool.queue.count == 10 }
        blocker.open()
        for (index, task) in tasks.enumerated() {
            #expect(try Cryptor.decrypt(try await task.value, with: password).count == index)
        }
        #expect(batches.all == [4, 4, 2])
    }

    /// A message that is refused does not affect the others of its batch.
    @Test func aBatchOfSeveralPasswords() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 4)
        let blocker = await Blocker(occupying: pool)
        let other = try Credential.password("another")
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        let right = Task { try await pool.decrypt(message, with: password) }
        let wrong = Task { try await pool.decrypt(message, with: other) }
        let written = Task { try await pool.encrypt([4], with: other) }
        await until { pool.queue.count == 3 }
        blocker.open()
        #expect(try await right.value == [1, 2, 3])
        let error = await #expect(throws: CryptorError.self) { try await wrong.value }
        #expect(error?.code == .authenticationFailed)
        #expect(try Cryptor.decrypt(try await written.value, with: other) == [4])
    }

    /// When the pool is full, callers wait for a place, and get one in the order in which they came.
    @Test(arguments: [1, 3])
    func aFullPoolLetsInOneAfterTheOther(placeCount: Int) async throws {
        let order = Notes<Int>()
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: placeCount, batchCount: 1)
        let blocker = await Blocker(occupying: pool)
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<8 {
            tasks.append(
                Task { try await pool.run { () throws(CryptorError) in order.add(index) } })
            await until { pool.queue.count + pool.gate.waitingCount == index + 1 }
        }
        // The blocker has one place.
        #expect(pool.queue.count == placeCount - 1 && pool.gate.waitingCount == 9 - placeCount)
        blocker.open()
        for task in tasks { try await task.value }
        #expect(order.all.sorted() == Array(0..<8))
        #expect(order.all.enumerated().allSatisfy { abs($0.offset - $0.element) < placeCount }, "\(order.all)")
        #expect(pool.gate.waitingCount == 0)
    }

    /// A full pool refuses work if it was told to: a service may rather refuse a request than be late with all of them.
    @Test func aFullPoolRefusesIfItIsToldSo() async throws {
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: 3, whenFull: .refuse, batchCount: 1)
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        for _ in 0..<2 {
            let blocker = await Blocker(occupying: pool)
            let waiting = (0..<2).map { _ in Task { try await pool.decrypt(message, with: password) } }
            await until { pool.queue.count == 2 }
            for _ in 0..<5 {
                let error = await #expect(throws: CryptorError.self) { try await pool.decrypt(message, with: password) }
                #expect(error?.code == .overloaded)
            }
            #expect(pool.gate.waitingCount == 0 && pool.queue.count == 2)
            blocker.open()
            for task in waiting { #expect(try await task.value == [1, 2, 3]) }
            await until { pool.queue.count == 0 }
        }
        #expect(try await pool.decrypt(message, with: password) == [1, 2, 3])
    }

    @Test func aDeadline() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1)
        let message = try Cryptor.encrypt([1, 2, 3], with: password)
        let blocker = await Blocker(occupying: pool)
        let password = password
        let error = await #expect(throws: CryptorError.self) {
            try await CryptorPool.within(.milliseconds(50)) { try await pool.decrypt(message, with: password) }
        }
        #expect(error?.code == .timedOut)
        #expect(pool.queue.count == 0, "what waited is dropped")
        blocker.open()
        let plaintext = try await CryptorPool.within(.seconds(60)) { try await pool.decrypt(message, with: password) }
        #expect(plaintext == [1, 2, 3])
        let wrong = await #expect(throws: CryptorError.self) {
            try await CryptorPool.within(.seconds(60)) { try await pool.decrypt([9], with: password) }
        }
        #expect(wrong?.code == .unsupportedVersion)
        let task = Task { try await CryptorPool.within(.seconds(60)) { try await Task.sleep(for: .seconds(60)) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A cancelled task gets the result of work that ignores the cancellation, or else the library's error.
    @Test func aDeadlineOfWhoIsCancelled() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1)
        let blocker = await Blocker(occupying: pool)
        for _ in 0..<100 {
            let heedless = Task { try await CryptorPool.within(.seconds(600)) { 7 } }
            let waiting = Task {
                try await CryptorPool.within(.seconds(600)) { try await pool.run { () throws(CryptorError) in 7 } }
            }
            heedless.cancel()
            waiting.cancel()
            #expect(try await heedless.value == 7)
            let error = await #expect(throws: CryptorError.self) { try await waiting.value }
            #expect(error?.code == .cancelled)
        }
        blocker.open()
    }

    /// A pool has 1,024 places unless it is told how many.
    @Test(arguments: [CryptorPool(threadCount: 1), CryptorPool(threadCount: 1, batchCount: 1)])
    func oneThousandAndTwentyFourWait(pool: CryptorPool) async throws {
        let blocker = await Blocker(occupying: pool)
        let done = Tally()
        let tasks = (0..<1030).map { _ in Task { try await pool.run { () throws(CryptorError) in done.add() } } }
        await until { pool.queue.count + pool.gate.waitingCount == 1030 }
        #expect(pool.queue.count == 1023 && pool.gate.waitingCount == 7, "one place is the blocker's")
        blocker.open()
        for task in tasks { try await task.value }
        #expect(done.count == 1030)
    }

    @Test func tenThousandTasksThroughASmallPool() async throws {
        let count = repetitions(10_000)
        let pool = CryptorPool(threadCount: 2, maximumWaitingCount: 16, batchCount: 4)
        let most = Notes<Int>()
        let wrong = Tally()
        await withTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    let plaintext = withUnsafeBytes(of: index) { Array($0) }
                    let credential = index.isMultiple(of: 100) ? password : keys
                    do {
                        let message = try await pool.encrypt(plaintext, with: credential)
                        most.add(pool.queue.count)
                        let result = try await pool.run { () throws(CryptorError) in
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
        #expect(most.all.allSatisfy { $0 <= 16 })
        #expect(pool.queue.count == 0 && pool.gate.waitingCount == 0)
    }

    // MARK: Cancellation

    /// Work that is cancelled in the queue, or before it has a place, is not done. Its secrets are cleansed, and others
    /// get their turn.
    @Test func cancelledWhileWaiting() async throws {
        /// Gone means cleansed.
        final class Witness: Sendable {
            nonisolated(unsafe) weak var secret: SecretBytes?
            init(_ secret: SecretBytes) { self.secret = secret }
        }
        var witnesses: [Witness] = []
        let batches = Tally()
        let pool = CryptorPool(threadCount: 1, maximumWaitingCount: 4, batchCount: 1) { batches.add($0) }
        let blocker = await Blocker(occupying: pool)
        let tasks = (0..<6).map { index in
            let secret = SecretBytes(Array("password \(index)".utf8))
            witnesses.append(Witness(secret))
            return Task { [credential = Credential(kind: .password(secret))] in
                try await pool.encrypt([1], with: credential)
            }
        }
        await until { pool.queue.count == 3 && pool.gate.waitingCount == 3 }
        for task in tasks { task.cancel() }
        for task in tasks {
            let error = await #expect(throws: CryptorError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        #expect(pool.queue.count == 0 && pool.gate.waitingCount == 0)
        let all = witnesses
        await until { all.allSatisfy { $0.secret == nil } }
        blocker.open()
        let message = try await pool.encrypt([1, 2, 3], with: password)
        #expect(batches.count == 1, "only the last")
        #expect(try Cryptor.decrypt(message, with: password) == [1, 2, 3])
    }

    @Test func cancelledBeforeItBegins() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1) { _ in Issue.record("derived") }
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
        let pool = CryptorPool(threadCount: 2, maximumWaitingCount: 5, batchCount: 4)
        var generator = SeededGenerator()
        for _ in 0..<repetitions(20) {
            let tasks = (0..<20).map { index in
                Task { try await pool.encrypt([UInt8(index)], with: password) }
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...20_000, using: &generator)))
            for task in tasks { task.cancel() }
            for (index, task) in tasks.enumerated() {
                switch await task.result {
                case .success(let message):
                    #expect(try Cryptor.decrypt(message, with: password) == [UInt8(index)], "\(generator)")
                case .failure(let error):
                    #expect((error as? CryptorError)?.code == .cancelled, "\(generator)")
                }
            }
        }
        #expect(pool.queue.count == 0 && pool.gate.waitingCount == 0)
        #expect(try await pool.decrypt(try await pool.encrypt([1], with: password), with: password) == [1])
    }

    // MARK: Files

    @Test func files() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1)
        let folder = try TemporaryFolder()
        let plaintext = LongBytes.bytes(300_000)
        try folder.write(plaintext, to: "plain")
        let calls = Tally()
        try await pool.encryptFile(at: folder.path("plain"), to: folder.path("message"), with: keys) { _ in calls.add()
        }
        #expect(calls.count > 0)
        try await pool.rekeyFile(
            at: folder.path("message"), to: folder.path("message"), from: keys, into: password,
            options: FileOptions(overwriting: true))
        let count = try await pool.verifyFile(at: folder.path("message"), with: password)
        #expect(count == plaintext.count)
        try await pool.decryptFile(at: folder.path("message"), to: folder.path("copy"), with: password)
        #expect(firstDifference(try folder.read("copy"), plaintext) == nil)
    }

    @Test func aFileIsCancelledWithItsTask() async throws {
        let pool = CryptorPool(threadCount: 1, batchCount: 1)
        let folder = try TemporaryFolder()
        try folder.write(LongBytes.bytes(3 << 20), to: "plain")
        let (source, destination) = (folder.path("plain"), folder.path("message"))
        let (started, hasStarted) = (Tally(), DispatchSemaphore(value: 0))
        let task = Task {
            try await pool.encryptFile(at: source, to: destination, with: keys) { _ in
                started.add()
                if started.count == 1 { hasStarted.wait() }
            }
        }
        await until { started.count == 1 }
        task.cancel()
        hasStarted.signal()
        let error = await #expect(throws: CryptorError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try folder.names() == ["plain"])
    }
}
