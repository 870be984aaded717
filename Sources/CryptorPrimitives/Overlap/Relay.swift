import CryptorSystem
import Dispatch

/// A step of the work on a stream, such as a cipher, that takes one chunk after the other.
package protocol RelayStep: ~Copyable, Sendable {
    associatedtype Chunk: Sendable
    associatedtype Failure: Error

    /// After it has thrown, it is not called again.
    mutating func process(_ chunk: inout Chunk) throws(Failure)
}

/// Passes chunks through a step, while the caller fills the next chunks and empties the finished ones. Chunks come out
/// in the order in which they went in.
///
/// The step is done by a helper's thread (``Helpers``) or by the caller, whichever comes to it first: nobody waits for
/// a thread that has not begun, however busy the machine is, or for a thread that the system does not give.
package struct Relay<Step: RelayStep & ~Copyable>: ~Copyable, Sendable {
    private let belt: RelayBelt<Step>
    /// The most chunks under way.
    private let depth: Int
    private var count = 0

    /// - Parameter depth: the most chunks under way. If none of them is done when the caller needs one, the caller
    ///   sleeps until most of them are: on a virtual machine, waking it costs the other thread as much as 16 KiB of its
    ///   work.
    package init(_ step: consuming Step, depth: Int = 8) {
        belt = RelayBelt(step)
        self.depth = depth
    }

    deinit { belt.stop() }

    /// Passes a chunk in.
    /// - Parameter besideCaller: whether a helper may process the chunk later. Otherwise it is processed here, after
    ///   all chunks before it, unless a helper is at the step.
    /// - Returns: the oldest chunk, processed, once enough are under way; always one if `besideCaller` is false.
    /// - Throws: what the step threw for that chunk, or for one before it.
    package mutating func pass(
        _ chunk: consuming Step.Chunk, besideCaller: Bool
    ) throws(Step.Failure) -> Step.Chunk? {
        belt.add(chunk)
        count += 1
        if besideCaller { belt.call() } else { belt.work() }
        return count >= (besideCaller ? depth : 1) ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way. After a failure every call throws it again.
    package mutating func next() throws(Step.Failure) -> Step.Chunk? {
        guard count > 0 else { return nil }
        let chunk = try belt.next(atOnce: depth * 3 / 4)
        count -= 1
        return chunk
    }

    /// Calls `body` with the step, on this thread. All chunks must have come out before.
    package mutating func withStep<Result: ~Copyable, Failure: Error>(
        _ body: (inout Step) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(count == 0, "\(count) chunks are under way")
        return try belt.withStep(body)
    }
}

/// The part of a relay that its threads share.
private final class RelayBelt<Step: RelayStep & ~Copyable>: @unchecked Sendable {
    // Unchecked: the step belongs to the thread that has set `isTaken`, or else to the caller.
    private struct State {
        /// Oldest first.
        var waiting: [Step.Chunk] = []
        var done: [Step.Chunk] = []
        /// Whether a thread is at the step.
        var isTaken = false
        /// Whether a helper has been called and has not come yet.
        var isCalled = false
        /// How many finished chunks the caller sleeps for. It is also woken when the thread leaves the step.
        var awaitedCount: Int?
        var failure: Step.Failure?
    }

    /// Nil once the relay has gone, so that a helper that comes too late finds no secret.
    private var step: Step?
    private let state = Lock(State())
    private let news = DispatchSemaphore(value: 0)

    init(_ step: consuming Step) {
        self.step = consume step
    }

    // MARK: For the caller

    func add(_ chunk: consuming Step.Chunk) {
        // This function must not keep a reference to the chunk, or the thread that processes it would copy its memory.
        var chunk = Optional(chunk)
        state.withLock { state in
            if let chunk = chunk.take() { state.waiting.append(chunk) }
        }
    }

    /// Calls a helper, unless a thread is at the step or a helper is on its way.
    func call() {
        let isNeeded = state.withLock { state in
            guard !state.isTaken, !state.isCalled else { return false }
            state.isCalled = true
            return true
        }
        if isNeeded { Helpers.call { [self] in help() } }
    }

    /// - Parameter count: how many chunks to wait for, if there is a need to wait.
    func next(atOnce count: Int) throws(Step.Failure) -> Step.Chunk {
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

    /// Drops the waiting chunks. No thread is at the step when this returns.
    func stop() {
        state.withLock { $0.waiting = [] }
        awaitEnd()
        step = nil
    }

    private func awaitEnd() {
        while state.withLock({ state in
            if state.isTaken { state.awaitedCount = .max }
            return state.isTaken
        }) {
            news.wait()
        }
    }

    // MARK: For the caller and the helpers

    private func help() {
        state.withLock { $0.isCalled = false }
        work()
    }

    /// Processes the waiting chunks, at most `limit` of them, unless another thread is at the step.
    func work(limit: Int = .max) {
        let isFree = state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
        guard isFree else { return }
        var count = 0
        while let chunk = take(leaving: count >= limit) {
            process(chunk)
            count += 1
        }
    }

    /// - Parameter leaving: whether this thread should leave the step now.
    /// - Returns: the next chunk; nil if there is none to process here. This thread is no longer at the step then.
    private func take(leaving: Bool) -> Step.Chunk? {
        var chunk: Step.Chunk?
        let isAwaited = state.withLock { state in
            if !leaving, state.failure == nil, !state.waiting.isEmpty {
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
            // The chunk is taken out of the variable, so that the step has the only reference to its memory and does
            // not copy it.
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
