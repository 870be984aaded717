import CryptorSystem
import CryptorFormat
import CryptorFiles
import CryptorPrimitives
import Synchronization

/// Calls that wait for the threads of a pool, first in, first out. Derivations of keys that follow
/// each other at the head are done together.
final class PoolQueue: Sendable {
    /// A call that waits. Its work is done or refused once; then its task goes on.
    struct Call: Sendable {
        /// For keys, if the work needs them.
        let request: KeyRequest?
        let work: @Sendable (Result<MessageKeys?, CryptorError>) -> Void
        let resume: @Sendable () -> Void

        func fail(_ error: CryptorError) {
            work(.failure(error))
            resume()
        }
    }

    private struct State {
        /// The calls that wait, by their numbers.
        var calls: [Int: Call] = [:]
        /// The numbers in their order, with those of calls that have left the queue.
        var order: ArraySlice<Int> = []
        /// How many calls wait or are worked on.
        var pendingCount = 0
        /// How many jobs of the workers have not begun. Each takes the calls that are at the head
        /// when it does.
        var jobCount = 0

        /// The call that comes next.
        var head: Call? {
            mutating get {
                while let first = order.first {
                    if let call = calls[first] { return call }
                    order.removeFirst()
                }
                return nil
            }
        }

        mutating func popFirst() -> Call? {
            guard let head else { return nil }
            calls[order.removeFirst()] = nil
            return head
        }

        mutating func remove(_ number: Int) -> Call? {
            guard let call = calls.removeValue(forKey: number) else { return nil }
            pendingCount -= 1
            // If no thread reaches the head, such numbers must not become many.
            if order.count > 2 * calls.count + 64 { order = order.filter { calls[$0] != nil }[...] }
            return call
        }
    }

    private let state = Lock(State())
    private let lastNumber = Atomic(0)
    private let workers: Workers
    private let pending: PendingCalls
    private let pendingLimit: Int
    /// For how many messages keys are derived together, while the queue is short and while it is
    /// long.
    private let batchSize: (short: Int, long: Int)
    /// How many calls make the queue long: the other threads have work then, too.
    private let longQueueCount: Int

    /// - Parameter pending: counts the calls, perhaps with those of other queues.
    init(
        threadCount: Int, pendingLimit: Int, batchSize: (short: Int, long: Int),
        countingIn pending: PendingCalls = PendingCalls()
    ) {
        workers = Workers(threadLimit: threadCount)
        self.pending = pending
        self.pendingLimit = pendingLimit
        self.batchSize = batchSize
        longQueueCount = threadCount == 1 ? batchSize.long : batchSize.long + batchSize.short
    }

    deinit { workers.close() }

    /// How many calls wait.
    var count: Int { state.withLock { $0.calls.count } }

    // MARK: For tasks

    /// Admits a call, or refuses it, before it consumes anything. Until its work comes, it does not
    /// count.
    /// - Throws: `overloaded` or `cancelled`.
    func admit() throws(CryptorError) {
        if Task.isCancelled { throw .cancelled }
        guard state.withLock({ $0.pendingCount < pendingLimit }) else { throw .overloaded }
    }

    /// Runs `body` on a thread of the pool.
    /// - Parameters:
    ///   - isAdmitted: whether the call was admitted, and is not refused any more.
    ///   - body: is told whether its task has been cancelled.
    /// - Throws: `cancelled` or `overloaded`, with `body` dropped, or the error of `body`.
    func run<Value: Sendable>(
        isAdmitted: Bool = false,
        _ body: @escaping @Sendable (Cancellation) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await wait(for: nil, isAdmitted: isAdmitted) { (_, cancellation) throws(CryptorError) in
            try body(cancellation)
        }
    }

    /// Derives keys, perhaps together with those of other calls, and runs `body` with them on the
    /// same thread.
    func derive<Value: Sendable>(
        _ request: KeyRequest, isAdmitted: Bool = false,
        _ body: @escaping @Sendable (MessageKeys) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await wait(for: request, isAdmitted: isAdmitted) { (keys, _) throws(CryptorError) in
            guard let keys else { preconditionFailure("keys were requested") }
            return try body(keys)
        }
    }

    private func wait<Value: Sendable>(
        for request: KeyRequest?, isAdmitted: Bool,
        _ body: @escaping @Sendable (MessageKeys?, Cancellation) throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let cancellation = Cancellation()
        let outcome = Outcome<Value>()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = Call(request: request) { keys in
                    outcome.set(
                        Result { () throws(CryptorError) in try body(try keys.get(), cancellation) }
                    )
                } resume: {
                    continuation.resume()
                }
                append(call, number: number, isAdmitted: isAdmitted, unless: cancellation)
            }
        } onCancel: {
            cancellation.request()
            cancel(number)
        }
        return try outcome.get()
    }

    private func append(
        _ call: Call, number: Int, isAdmitted: Bool, unless cancellation: Cancellation
    ) {
        let needsJob = state.withLock { (state) -> Result<Bool, CryptorError> in
            // A cancellation that came before this has found no call to drop.
            guard !cancellation.isRequested else { return .failure(.cancelled) }
            guard isAdmitted || state.pendingCount < pendingLimit else {
                return .failure(.overloaded)
            }
            state.pendingCount += 1
            pending.begin()
            state.calls[number] = call
            state.order.append(number)
            guard state.jobCount < state.calls.count else { return .success(false) }
            state.jobCount += 1
            return .success(true)
        }
        switch needsJob {
        case .success(true): workers.add { [self] in finish(takeNext()) }
        case .success(false): break
        case .failure(let error): call.fail(error)
        }
    }

    /// Drops a call that still waits, with its secrets.
    private func cancel(_ number: Int) {
        guard let call = state.withLock({ $0.remove(number) }) else { return }
        pending.end()
        call.fail(.cancelled)
    }

    // MARK: For the threads

    /// - Returns: the calls that are done next, together; none if all have been done or cancelled.
    func takeNext() -> [Call] {
        state.withLock { state in
            state.jobCount -= 1
            let count = state.calls.count >= longQueueCount ? batchSize.long : batchSize.short
            guard let head = state.popFirst() else { return [] }
            var batch = [head]
            // A derivation that takes long would delay the others.
            guard let iterations = head.request?.iterations else { return batch }
            while batch.count < count, state.head?.request?.iterations == iterations,
                let next = state.popFirst()
            {
                batch.append(next)
            }
            return batch
        }
    }

    func finish(_ batch: [Call]) {
        // If one request causes a failure, the others belong to other callers, and are derived
        // separately.
        let keys = try? KeyRequest.keys(for: batch.compactMap(\.request))
        for (index, call) in batch.enumerated() {
            call.work(
                Result { () throws(CryptorError) in
                    if let keys, call.request != nil {
                        keys[index]
                    } else {
                        try call.request?.keys()
                    }
                })
            state.withLock { $0.pendingCount -= 1 }
            pending.end()
            call.resume()
        }
    }
}

extension CryptorError {
    fileprivate static let overloaded = CryptorError(
        .overloaded,
        "The pool is full and refused the call before it read anything. Try again later.")
}

/// Hands a result over. The continuation could carry it, but ThreadSanitizer does not see values
/// that a thread without a task passes through a continuation.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, CryptorError>?>(nil)

    func set(_ new: Result<Value, CryptorError>) { result.withLock { $0 = new } }

    func get() throws(CryptorError) -> Value {
        guard let result = result.withLock({ $0 }) else {
            preconditionFailure("ended without a result")
        }
        return try result.get()
    }
}
