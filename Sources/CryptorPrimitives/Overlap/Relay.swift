import Dispatch
import Synchronization

/// A step of the work on a stream, such as a cipher, that takes one chunk after the other.
package protocol RelayStep: ~Copyable, Sendable {
    associatedtype Chunk: Sendable
    associatedtype Failure: Error

    /// After it has thrown, it is not called again.
    mutating func process(_ chunk: inout Chunk) throws(Failure)
}

/// Chunks on their way through a step, beside a caller who fills the next ones and empties the last ones. They come out in
/// the order in which they went in.
///
/// The step is done by a helper's thread (``Helpers``) or by the caller, whoever comes to it first: nobody waits for a thread
/// that has not begun, however busy the machine is, nor for one that the system does not give.
package struct Relay<Step: RelayStep & ~Copyable>: ~Copyable, Sendable {
    private let belt: RelayBelt<Step>
    /// The chunks under way at most.
    private let depth: Int
    private var count = 0

    /// - Parameter depth: the chunks under way at most. When all of them wait for the other thread, the caller waits for most
    ///   of them: to wake it costs that thread as much as 16 KiB of its work on a virtual machine.
    package init(_ step: consuming Step, depth: Int = 8) {
        belt = RelayBelt(step)
        self.depth = depth
    }

    deinit { belt.stop() }

    /// Passes a chunk in.
    /// - Parameter besideCaller: whether a helper may process it, later; otherwise it is processed here, with all before it.
    /// - Returns: the oldest chunk, processed, once enough are under way; with no helper, there always is one.
    /// - Throws: what the step threw at it.
    package mutating func pass(
        _ chunk: consuming Step.Chunk, besideCaller: Bool
    ) throws(Step.Failure) -> Step.Chunk? {
        belt.add(chunk)
        count += 1
        if besideCaller { belt.call() } else { belt.work() }
        return count >= (besideCaller ? depth : 1) ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way.
    package mutating func next() throws(Step.Failure) -> Step.Chunk? {
        guard count > 0 else { return nil }
        defer { count -= 1 }
        return try belt.next(atOnce: depth * 3 / 4)
    }

    /// Does `body` with the step, here. No chunk may be under way.
    package mutating func withStep<Result: ~Copyable, Failure: Error>(
        _ body: (inout Step) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(count == 0, "\(count) chunks are under way")
        return try belt.withStep(body)
    }
}

/// What the threads know of a relay.
private final class RelayBelt<Step: RelayStep & ~Copyable>: HelperWork, @unchecked Sendable {
    // Unchecked: the step belongs to whoever has set `isTaken`.
    private struct State {
        /// Oldest first.
        var waiting: [Step.Chunk] = []
        var done: [Step.Chunk] = []
        /// Whether a thread is at the step.
        var isTaken = false
        /// Whether a helper has been called and has not come yet.
        var isCalled = false
        /// So many chunks the caller sleeps for, or for an end of the work.
        var awaitedCount: Int?
        var failure: Step.Failure?
    }

    /// Until the relay has gone: a helper that comes too late finds no secret.
    private var step: Step?
    private let state = Lock(State())
    private let news = DispatchSemaphore(value: 0)
    /// Of the process whose thread was the last at the step.
    private let mark = Atomic<UInt64>(0)

    init(_ step: consuming Step) {
        self.step = consume step
    }

    // MARK: In a child after a fork

    /// Whether the last thread at the step was of another process. It may have kept the step, and the lock.
    private var isInherited: Bool {
        let mark = mark.load(ordering: .relaxed)
        return mark != 0 && mark != ForkMark.current
    }

    /// What was at work when the process was forked has no end in the child.
    private func requireOwnThreads() {
        guard isInherited, state.withLockIfFree({ $0.isTaken }) != false else { return }
        fatalError("a stream was at work when the process was forked, and its child cannot use it")
    }

    // MARK: For the caller

    func add(_ chunk: consuming Step.Chunk) {
        // No reference may stay here: whoever processes the chunk would copy its memory.
        var chunk = Optional(chunk)
        requireOwnThreads()
        state.withLock { state in
            if let chunk = chunk.take() { state.waiting.append(chunk) }
        }
    }

    /// Has a helper come, unless one is here or on its way.
    func call() {
        let isNeeded = state.withLock { state in
            guard !state.isTaken, !state.isCalled else { return false }
            state.isCalled = true
            return true
        }
        if isNeeded { Helpers.call(self) }
    }

    /// - Parameter count: how many chunks to wait for, if there is a need to wait.
    func next(atOnce count: Int) throws(Step.Failure) -> Step.Chunk {
        requireOwnThreads()
        while true {
            var chunk: Step.Chunk?
            var failure: Step.Failure?
            let isTaken = state.withLock { state in
                if !state.done.isEmpty {
                    chunk = state.done.removeFirst()
                } else if let first = state.failure {
                    failure = first
                } else if state.isTaken {
                    state.awaitedCount = count
                }
                return state.isTaken
            }
            if let chunk = chunk.take() { return chunk }
            if let failure { throw failure }
            if isTaken { news.wait() } else { work(limit: 1) }
        }
    }

    func withStep<Result: ~Copyable, Failure: Error>(
        _ body: (inout Step) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        awaitEnd()
        guard var own = step.take() else { preconditionFailure("the relay has gone") }
        do throws(Failure) {
            let result = try body(&own)
            step = consume own
            return result
        } catch {
            step = consume own
            throw error
        }
    }

    /// What waits is forgotten, and nobody is at work when this returns.
    func stop() {
        if isInherited { return }
        state.withLock { $0.waiting = [] }
        awaitEnd()
        step = nil
    }

    private func awaitEnd() {
        requireOwnThreads()
        while state.withLock({ state in
            if state.isTaken { state.awaitedCount = .max }
            return state.isTaken
        }) {
            news.wait()
        }
    }

    // MARK: For either

    func help() {
        state.withLock { $0.isCalled = false }
        work()
    }

    /// Processes what waits, so many chunks at the most, unless another thread is at it.
    func work(limit: Int = .max) {
        let isFree = state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            mark.store(ForkMark.current ?? 0, ordering: .relaxed)
            return true
        }
        guard isFree else { return }
        var count = 0
        while let chunk = take(isLast: count >= limit) {
            process(chunk)
            count += 1
        }
    }

    /// - Returns: the next chunk; nil if there is none, and this thread is not at the step any more.
    private func take(isLast: Bool) -> Step.Chunk? {
        var chunk: Step.Chunk?
        let isAwaited = state.withLock { state in
            if !isLast, state.failure == nil, !state.waiting.isEmpty {
                chunk = state.waiting.removeFirst()
                return false
            }
            state.isTaken = false
            return state.awaitedCount.take() != nil
        }
        if isAwaited { news.signal() }
        return chunk
    }

    private func process(_ chunk: consuming Step.Chunk) {
        var chunk = Optional(chunk)
        var failure: Step.Failure?
        do throws(Step.Failure) {
            // Out of its place, so that the step has the only reference to the memory and does not copy it.
            guard var own = chunk.take() else { return }
            try step?.process(&own)
            chunk = own
        } catch {
            failure = error
        }
        let isAwaited = state.withLock { state in
            if let chunk = chunk.take() { state.done.append(chunk) }
            state.failure = failure
            guard let awaited = state.awaitedCount, state.done.count >= awaited else { return false }
            state.awaitedCount = nil
            return true
        }
        if isAwaited { news.signal() }
    }
}
