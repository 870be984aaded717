import CryptorPrimitives

/// Threads of their own for what takes long: deriving keys from passwords, and large messages. Swift's own threads, which
/// are as few as there are cores, stay free for other tasks meanwhile.
///
/// ```swift
/// let plaintext = try await CryptorPool.shared.decrypt(message, with: .password("correct horse battery staple"))
/// ```
/// What waits is done in the order in which it came. Keys of several waiting messages are derived together where the
/// processor does that in less time than one after the other: four with AVX-512.
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

    /// For tests: who waits for a place, and what waits for a thread.
    let gate: AdmissionGate
    let queue: PoolQueue
    private let crew: ThreadCrew

    /// A pool of its own, without a thread before there is work.
    /// - Parameters:
    ///   - threadCount: the most threads, 1 if it is less; nil for as many as there are cores.
    ///   - maximumWaitingCount: how many calls may wait or be worked on at a time, 1 if it is less. Those that come while the
    ///     pool is full wait before it, in their order, and take no memory of it.
    public convenience init(threadCount: Int? = nil, maximumWaitingCount: Int = 1024) {
        self.init(
            threadCount: max(1, threadCount ?? CoreBudget.coreCount), maximumWaitingCount: max(1, maximumWaitingCount),
            batchCount: PBKDF2.pairsAtATime())
    }

    /// For tests.
    /// - Parameters:
    ///   - batchCount: how many messages have their keys derived together, at most.
    ///   - willDerive: called before each derivation with the number of its messages, on its thread.
    package init(
        threadCount: Int, maximumWaitingCount: Int = 1024, batchCount: Int,
        willDerive: @escaping @Sendable (_ messageCount: Int) -> Void = { _ in }
    ) {
        let queue = PoolQueue(batchCount: batchCount, willDerive: willDerive)
        self.queue = queue
        gate = AdmissionGate(placeCount: maximumWaitingCount)
        crew = ThreadCrew(maximumCount: threadCount) { queue.runNext() }
    }

    deinit { crew.dismiss() }

    /// Runs a part of a task that prefers this pool: see `withTaskExecutorPreference(_:)`.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add(.job { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) })
    }

    @discardableResult
    private func add(_ work: PoolQueue.Work) -> UInt64 {
        defer { crew.call() }
        return queue.append(work)
    }

    /// Waits for what `work` makes of `waiter`.
    private func waitFor<Value: Sendable>(
        _ work: (Waiter<Value>) -> PoolQueue.Work
    ) async throws(CryptorError) -> Value {
        try await waiting { waiter in
            let ticket = add(work(waiter))
            return { [queue] in
                if queue.remove(ticket) { waiter.resume(returning: .failure(.cancelled)) }
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

    private func runInPlace<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await waitFor { waiter in
            .job { waiter.resume(returning: Result { () throws(CryptorError) in try body() }) }
        }
    }

    /// The credential with the keys of the message with this header, derived by the pool; the credential itself if none
    /// have to be derived.
    func prepare(_ credential: Credential, for header: Header) async throws(CryptorError) -> Credential {
        guard let (password, salts) = credential.derivation(for: header) else { return credential }
        return try await gate.withPlace { () throws(CryptorError) in
            try await waitFor { waiter in
                .derivation(
                    PoolDerivation(password: password, salts: salts) { keys in
                        waiter.resume(returning: keys.map { credential.with($0, for: salts) })
                    })
            }
        }
    }

    /// Does `body` with the keys of the message with this header: at once on the thread that derived them, if it is little
    /// work, or on another when its turn comes.
    func perform<Value: Sendable>(
        _ credential: Credential, _ header: Header, byteCount: Int,
        _ body: @escaping @Sendable (Credential) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        let isSmall = byteCount <= Self.smallByteCount
        guard let (password, salts) = credential.derivation(for: header) else {
            // Nothing has to be derived, or nobody knows yet which password was meant: the body finds out.
            guard !isSmall || credential.candidates(for: header).count > 1 else {
                if Task.isCancelled { throw .cancelled }
                return try body(credential)
            }
            return try await run { () throws(CryptorError) in try body(credential) }
        }
        guard isSmall else {
            let prepared = try await prepare(credential, for: header)
            return try await run { () throws(CryptorError) in try body(prepared) }
        }
        return try await gate.withPlace { () throws(CryptorError) in
            try await waitFor { waiter in
                .derivation(
                    PoolDerivation(password: password, salts: salts) { keys in
                        let result = Result { () throws(CryptorError) in
                            try body(credential.with(try keys.get(), for: salts))
                        }
                        waiter.resume(returning: result)
                    })
            }
        }
    }
}

extension Credential {
    /// What has to be derived for the message with this header; nil if nothing has to be, or if there are several
    /// passwords that may have been meant.
    func derivation(for header: Header) -> (password: SecretBytes, salts: Header.Salts)? {
        guard case .password(let password) = kind, let salts = header.salts, prepared?[salts] == nil,
            candidates(for: header).count == 1
        else { return nil }
        return (password, salts)
    }
}
