import CryptorPrimitives

/// Threads of their own for what takes long: deriving keys from passwords, and large messages. Swift's own threads, which
/// are as few as there are cores, stay free for other tasks meanwhile.
///
/// ```swift
/// let plaintext = try await CryptorPool.shared.decrypt(message, with: .password("correct horse battery staple"))
/// ```
/// What waits is done in the order in which it came; files that are open come first, and pipes, which may have to be waited
/// for and hold a thread meanwhile, come last. Keys of several waiting messages and files are derived together where the
/// processor does that in less time than one after the other: four with AVX-512, or eight where many wait.
///
/// A task that is cancelled while its work waits gets `cancelled` at once, and the work, with its secrets, is dropped. Work
/// that has begun is finished.
///
/// A pool is also a `TaskExecutor`: what runs `withTaskExecutorPreference(pool)` runs on its threads, which then may work
/// as long as it wants without a tick of other tasks being late. Such work is not counted as waiting.
///
/// In a child after `fork(2)` nothing can be awaited, of this pool or of anything else: Swift's own threads stay with the
/// parent. What is not asynchronous in this library works there: files, streams, messages and ``KeyedCryptor``.
///
/// Threads start when there is work for them, and end when the last reference to the pool has gone; those of ``shared`` stay.
public final class CryptorPool: TaskExecutor, Sendable {
    /// One for everybody, with as many threads as there are cores.
    public static let shared = CryptorPool()

    /// What takes so few bytes of work is done where it is: to wake a thread costs as much as some of it.
    static let smallByteCount = 64 * 1024
    private static let mostThreads = 65_536

    /// For tests: who waits for a place, and what waits for a thread.
    let gate: AdmissionGate
    let queue: PoolQueue
    private let crew: ThreadCrew
    let threadCount: Int

    /// What becomes of a call that finds no place.
    public enum WhenFull: Sendable {
        /// It waits for one, behind those that came before, and takes no memory of the pool.
        case wait
        /// It throws `overloaded` at once, so that a service can say so instead of being late with everything.
        case refuse
    }

    /// A pool of its own, without a thread before there is work.
    /// - Parameters:
    ///   - threadCount: the most threads, 1 if it is less and 65,536 if it is more; nil for as many as there are cores.
    ///   - maximumWaitingCount: how many calls may wait or be worked on at a time, 1 if it is less. What a sequence gives
    ///     piece by piece is not counted, nor refused in the middle: chunks of a ``VerifiedFile``, and what
    ///     ``encryptFile(from:to:with:overwriting:isolation:)`` writes after it has created its file.
    ///   - whenFull: what becomes of those that come while the pool is full.
    ///   - stackByteCount: of each thread, 64 KiB if it is less and 1 GiB if it is more; nil for what the program's own threads
    ///     have. 64 KiB are enough for what this library does; what else tasks do on the pool may need more.
    public convenience init(
        threadCount: Int? = nil, maximumWaitingCount: Int = 1024, whenFull: WhenFull = .wait, stackByteCount: Int? = nil
    ) {
        self.init(
            threadCount: min(max(1, threadCount ?? CoreBudget.coreCount), Self.mostThreads),
            maximumWaitingCount: max(1, maximumWaitingCount),
            whenFull: whenFull, pairsAtATime: PBKDF2.pairsAtATime(), stackByteCount: stackByteCount)
    }

    /// For tests.
    /// - Parameters:
    ///   - batchCount: how many messages have their keys derived together, at most.
    ///   - willDerive: called before each derivation with the number of its messages, on its thread.
    package convenience init(
        threadCount: Int, maximumWaitingCount: Int = 1024, whenFull: WhenFull = .wait, batchCount: Int,
        willDerive: @escaping @Sendable (_ messageCount: Int) -> Void = { _ in }
    ) {
        self.init(
            threadCount: threadCount, maximumWaitingCount: maximumWaitingCount, whenFull: whenFull,
            pairsAtATime: (batchCount, batchCount), willDerive: willDerive)
    }

    /// - Parameter pairsAtATime: how many messages have their keys derived together, if few and if many wait.
    init(
        threadCount: Int, maximumWaitingCount: Int, whenFull: WhenFull, pairsAtATime: (few: Int, many: Int),
        stackByteCount: Int? = nil, willDerive: @escaping @Sendable (_ messageCount: Int) -> Void = { _ in }
    ) {
        // Those that are worked on and, for each thread, a batch of those whose keys are next; each takes four descriptors.
        let openFileLimit = threadCount + min(threadCount * pairsAtATime.many, 64)
        let batches = PoolQueue.Batches(
            few: pairsAtATime.few, many: pairsAtATime.many, threadCount: threadCount)
        let queue = PoolQueue(batches: batches, openFileLimit: openFileLimit, willDerive: willDerive)
        self.queue = queue
        self.threadCount = threadCount
        gate = AdmissionGate(placeCount: maximumWaitingCount, refuses: whenFull == .refuse)
        crew = ThreadCrew(maximumCount: threadCount, stackByteCount: stackByteCount) { queue.runNext() }
    }

    deinit { crew.dismiss() }

    /// Runs a part of a task that prefers this pool: see `withTaskExecutorPreference(_:)`.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = add(.job { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) })
    }

    /// Runs a task on this pool from code that is not asynchronous, and waits for its end. The calling thread counts among
    /// those of the pool meanwhile and works with them; where the system gives no threads, it does all of the work.
    ///
    /// The calling thread may then be at work for others when the task ends, and returns after that: a pipe may take long.
    /// A pool of its own does nothing else.
    ///
    /// Not for a thread that others wait for: one of Swift's own, or of this pool, such as in a progress handler.
    /// - Parameter operation: the task.
    /// - Returns: what it returns.
    /// - Throws: what it throws.
    public func runAndWait<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Result<Value, Failure>>()
        crew.join { end in
            Task(executorPreference: self) {
                do throws(Failure) { outcome.set(.success(try await operation())) } catch {
                    outcome.set(.failure(error))
                }
                end()
            }
        }
        // What others have added at the end may have been left to this thread.
        if queue.count > 0 { crew.call() }
        return try outcome.get().get()
    }

    private func add(_ work: PoolQueue.Work, in lane: PoolQueue.Lane = .usual) -> PoolQueue.Ticket {
        defer { crew.call() }
        return queue.append(work, to: lane)
    }

    /// Waits for what `work` makes of `waiter`.
    private func waitFor<Value: Sendable>(
        in lane: PoolQueue.Lane = .usual, _ work: (Waiter<Value>) -> PoolQueue.Work
    ) async throws(CryptorError) -> Value {
        try await waiting { waiter in
            let ticket = add(work(waiter), in: lane)
            return { [queue, crew] in
                guard let work = queue.remove(ticket) else { return }
                waiter.resume(returning: .failure(.cancelled))
                // What came after a file that could not be opened yet need not wait.
                if work.isOpening { crew.call() }
            }
        }
    }

    // MARK: For the library

    /// Runs `body` on a thread of the pool.
    /// - Throws: `cancelled`, with `body` dropped, or what `body` throws.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await gate.withPlace { () throws(CryptorError) in try await runInPlace(body) }
    }

    /// The same for those who have been let in before: nobody is refused in the middle of a file.
    func runInPlace<Value: Sendable>(
        in lane: PoolQueue.Lane = .usual, _ body: @escaping @Sendable () throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await waitFor(in: lane) { waiter in
            .job { waiter.resume(returning: Result { () throws(CryptorError) in try body() }) }
        }
    }

    /// Keys, derived by the pool if they have to be.
    func keys(from source: KeySource) async throws(CryptorError) -> KeyPair {
        guard source.isDerived else { return try source.keys() }
        return try await gate.withPlace { () throws(CryptorError) in try await derive(source) { $0 } }
    }

    /// Does `body` with keys: at once on the thread that derived them, if it is little work, or on another when its turn
    /// comes.
    func perform<Value: Sendable>(
        _ source: KeySource, byteCount: Int, _ body: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        guard byteCount <= Self.smallByteCount else {
            return try await gate.withPlace { () throws(CryptorError) in
                guard source.isDerived else {
                    let keys = try source.keys()
                    return try await runInPlace { () throws(CryptorError) in try body(keys) }
                }
                return try await waitFor { waiter in
                    derivation(source, step: 1, waiter, { waiter.resume(returning: $0) }, then: body)
                }
            }
        }
        guard source.isDerived else {
            if Task.isCancelled { throw .cancelled }
            return try body(try source.keys())
        }
        return try await gate.withPlace { () throws(CryptorError) in try await derive(source, body) }
    }

    /// Does `body` with the keys, on the thread that derived them.
    private func derive<Value: Sendable>(
        _ source: KeySource, _ body: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await waitFor { waiter in
            .derivation(source) { keys in
                waiter.resume(returning: Result { () throws(CryptorError) in try body(try keys.get()) })
            }
        }
    }

    /// Works on a file: opens it, derives its keys together with those of others, and does the rest.
    /// - Parameter isQuick: whether `begin` waits for nobody. Otherwise, as with a pipe, nobody waits for it either.
    func work<Value: Sendable>(
        isQuick: Bool, _ begin: @escaping @Sendable () throws(CryptorError) -> FileWork<Value>
    ) async throws(CryptorError) -> Value {
        try await gate.withPlace { () throws(CryptorError) in
            guard isQuick else {
                return try await runInPlace(in: .last) { () throws(CryptorError) in try begin().finish() }
            }
            return try await waitFor { waiter in .opening { [self] in open(begin, waiter) } }
        }
    }

    /// Begins with a file, and has the rest done when its keys are there.
    private func open<Value: Sendable>(_ begin: () throws(CryptorError) -> FileWork<Value>, _ waiter: Waiter<Value>) {
        let opened = OpenedFile<Value>()
        let end = { @Sendable [self] (outcome: Result<Value, CryptorError>) in
            // Nobody hears of the end of what is still open.
            opened.close()
            let isWaitedFor = queue.closed()
            waiter.resume(returning: outcome)
            if isWaitedFor { crew.call() }
        }
        do throws(CryptorError) {
            guard let source = try opened.open(begin), source.isDerived else {
                return end(.success(try opened.finish()))
            }
            let derivation = derivation(source, step: 2, waiter, end) { (keys) throws(CryptorError) in
                try opened.finish(keys)
            }
            wait(step: 1, for: derivation, in: .fileKeys, waiter, end)
        } catch {
            end(.failure(error))
        }
    }

    /// What derives keys, and has the rest done with them when its turn comes.
    /// - Parameter step: that of the rest.
    private func derivation<Value: Sendable>(
        _ source: KeySource, step: Int, _ waiter: Waiter<Value>,
        _ end: @escaping @Sendable (Result<Value, CryptorError>) -> Void,
        then rest: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) -> PoolQueue.Work {
        .derivation(source) { [self] keys in
            let rest = PoolQueue.Work.job {
                end(Result { () throws(CryptorError) in try rest(try keys.get()) })
            }
            wait(step: step, for: rest, in: .rest, waiter, end)
        }
    }

    /// Has what has begun wait again, until its turn comes or it is taken back.
    private func wait<Value: Sendable>(
        step: Int, for work: PoolQueue.Work, in lane: PoolQueue.Lane, _ waiter: Waiter<Value>,
        _ end: @escaping @Sendable (Result<Value, CryptorError>) -> Void
    ) {
        let ticket = add(work, in: lane)
        waiter.withdrawal.arm(step: step) { [queue] in
            guard queue.remove(ticket) != nil else { return }
            end(.failure(.cancelled))
        }
    }
}

/// A file between its opening and its end. It is here only, so that it can be closed wherever it waits.
private final class OpenedFile<Value>: Sendable {
    private let work = Lock<FileWork<Value>?>(nil)

    /// - Returns: what its keys come from.
    func open(_ begin: () throws(CryptorError) -> FileWork<Value>) throws(CryptorError) -> KeySource? {
        let new = try begin()
        work.withLock { $0 = new }
        return new.keySource
    }

    /// Does the rest.
    func finish(_ keys: KeyPair? = nil) throws(CryptorError) -> Value {
        guard let work = work.withLock({ $0.take() }) else { preconditionFailure("worked on after it was closed") }
        return try work.finish(keys)
    }

    func close() { _ = work.withLock { $0.take() } }
}
