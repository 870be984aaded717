import CryptorPrimitives

/// A pool of threads for work that takes long: deriving keys from passwords, and large messages. Swift's own threads,
/// of which there are only as many as cores, stay free for other tasks meanwhile.
///
/// ```swift
/// let plaintext = try await CryptorPool.shared.decrypt(message, with: .password("correct horse battery staple"))
/// ```
/// Waiting work is done in the order in which it came. Files that are open come first. Pipes come last, because each
/// may keep a thread waiting. The keys of several waiting messages and files are derived together where the processor
/// does that in less time than one after another: four at a time with AVX-512, or eight where many wait.
///
/// A task that is cancelled while its work waits gets `cancelled` at once, and the work, with its secrets, is dropped.
/// Work that has begun is finished.
///
/// A pool is also a `TaskExecutor`: code within `withTaskExecutorPreference(pool)` runs on the pool's threads, and may
/// work as long as it wants without delaying the tasks on Swift's own threads. Such work is not counted as waiting.
///
/// In a child after `fork(2)` nothing can be awaited, neither from this pool nor from anything else: the child has none
/// of Swift's own threads. The synchronous functions of this library work there: those for files, streams and messages,
/// and ``KeyedCryptor``.
///
/// Threads start when there is work for them, and end when the last reference to the pool has gone; those of ``shared``
/// stay.
public final class CryptorPool: TaskExecutor, Sendable {
    /// The pool that the whole program shares, with as many threads as there are cores.
    public static let shared = CryptorPool()

    /// Work on no more bytes than this stays on its thread: waking another would cost as much as a part of the work.
    static let smallByteCount = 64 * 1024
    private static let mostThreads = 65_536

    /// The callers that wait for a place, and the work that waits for a thread.
    let gate: AdmissionGate
    let queue: PoolQueue
    private let crew: ThreadCrew
    let threadCount: Int

    /// What happens to a call that finds no free place.
    public enum WhenFull: Sendable {
        /// The call waits for a place, behind earlier calls. The pool keeps nothing of its work meanwhile.
        case wait
        /// The call throws `overloaded` at once, so that a service can report it instead of being late with everything.
        case refuse
    }

    /// Creates a separate pool. It has no threads before there is work.
    /// - Parameters:
    ///   - threadCount: the most threads, clamped to the range 1 to 65,536; nil for as many as there are cores.
    ///   - maximumWaitingCount: how many calls may wait or be worked on at a time, at least 1. The steps of a sequence
    ///     are neither counted nor refused in the middle: reading the chunks of a ``VerifiedFile``, and what
    ///     ``encryptFile(from:to:with:options:isolation:)`` writes after it has created its file.
    ///   - whenFull: what happens to calls that come while the pool is full.
    ///   - stackByteCount: the stack of each thread, clamped to the range 64 KiB to 1 GiB; nil for what the program's
    ///     own threads get. 64 KiB are enough for the work of this library; other code in tasks on the pool may need
    ///     more.
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
        // The files that are worked on and, for each thread, a batch of files whose keys are derived next, but no more
        // than 64 in all batches. Each file takes four descriptors.
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

    /// Runs a task on this pool from code that is not asynchronous, and waits for its end. The calling thread counts as
    /// one of the pool's threads meanwhile and works with them; where the system gives no threads, it does all of the
    /// work.
    ///
    /// The calling thread may be doing other work of the pool when the task ends, and finishes that before it returns:
    /// a pipe may take long. A separate pool has no other work.
    ///
    /// Do not call this on a thread that others wait for: one of Swift's own, or one of this pool, such as in a
    /// progress handler.
    /// - Parameter operation: the task.
    /// - Returns: what `operation` returns.
    /// - Throws: what `operation` throws.
    public func runAndWait<Value: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = Outcome<Result<Value, Failure>>()
        let moved = Moved(operation)
        crew.join { end in
            Task(executorPreference: self) {
                await Self.run(moved, outcome)
                end()
            }
        }
        // Work that others added just before the end may have been left to this thread.
        if queue.count > 0 { crew.call() }
        return try outcome.get().get()
    }

    /// Takes an operation out of its box, so that neither it nor what it holds is left when this returns.
    private static func run<Value: Sendable, Failure: Error>(
        _ operation: Moved<@Sendable () async throws(Failure) -> Value>, _ outcome: Outcome<Result<Value, Failure>>
    ) async {
        let operation = operation.take()
        do throws(Failure) { outcome.set(.success(try await operation())) } catch { outcome.set(.failure(error)) }
    }

    private func add(_ work: PoolQueue.Work, in lane: PoolQueue.Lane = .usual) -> PoolQueue.Ticket {
        defer { crew.call() }
        return queue.append(work, to: lane)
    }

    /// Queues the work that `work` makes for a waiter, and waits for its result.
    private func waitFor<Value: Sendable>(
        in lane: PoolQueue.Lane = .usual, _ work: (Waiter<Value>) -> PoolQueue.Work
    ) async throws(CryptorError) -> Value {
        try await waiting { waiter in
            let ticket = add(work(waiter), in: lane)
            return { [queue, crew] in
                guard let work = queue.remove(ticket) else { return }
                waiter.resume(returning: .failure(.cancelled))
                // Work behind a file that could not be opened yet no longer has to wait.
                if work.isOpening { crew.call() }
            }
        }
    }

    // MARK: For the library

    /// Runs `body` on a thread of the pool.
    /// - Throws: `cancelled` or `overloaded`, with `body` dropped, or what `body` throws.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await gate.withPlace { () throws(CryptorError) in try await runOnThread(body) }
    }

    /// Like `run`, but takes no place: the caller has one, or is in the middle of a file and must not be refused.
    func runOnThread<Value: Sendable>(
        in lane: PoolQueue.Lane = .usual, _ body: @escaping @Sendable () throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await waitFor(in: lane) { waiter in
            .job { waiter.resume(returning: Result { () throws(CryptorError) in try body() }) }
        }
    }

    /// Returns the keys, which the pool derives if that is necessary.
    func keys(from source: KeySource) async throws(CryptorError) -> KeyPair {
        guard source.isDerived else { return try source.keys() }
        return try await gate.withPlace { () throws(CryptorError) in try await derive(source) { $0 } }
    }

    /// Runs `body` with the keys. Little work follows at once on the thread that derived them; other work may move to
    /// another thread, when its turn comes.
    func perform<Value: Sendable>(
        _ source: KeySource, byteCount: Int, _ body: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        let isSmall = byteCount <= Self.smallByteCount
        guard source.isDerived else {
            let keys = try source.keys()
            guard isSmall else { return try await run { () throws(CryptorError) in try body(keys) } }
            if Task.isCancelled { throw .cancelled }
            return try body(keys)
        }
        return try await gate.withPlace { () throws(CryptorError) in
            if isSmall { return try await derive(source, body) }
            return try await waitFor { waiter in
                derivation(source, step: 1, for: waiter, end: { waiter.resume(returning: $0) }, then: body)
            }
        }
    }

    /// Derives keys, and runs `body` with them on the same thread.
    private func derive<Value: Sendable>(
        _ source: KeySource, _ body: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await waitFor { waiter in
            .derivation(source) { keys in
                waiter.resume(returning: Result { () throws(CryptorError) in try body(try keys.get()) })
            }
        }
    }

    /// Returns work that derives keys and then queues `rest`, which runs with them when its turn comes.
    /// - Parameter step: the step of `rest`, for `Withdrawal.arm(step:_:)`.
    private func derivation<Value: Sendable>(
        _ source: KeySource, step: Int, for waiter: Waiter<Value>,
        end: @escaping @Sendable (Result<Value, CryptorError>) -> Void,
        then rest: @escaping @Sendable (KeyPair) throws(CryptorError) -> Value
    ) -> PoolQueue.Work {
        .derivation(source) { [self] keys in
            let rest = PoolQueue.Work.job {
                end(Result { () throws(CryptorError) in try rest(try keys.get()) })
            }
            wait(step: step, for: rest, in: .rest, waiter, end)
        }
    }

    /// Queues the next step of work that has begun, until its turn comes or it is taken back.
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
