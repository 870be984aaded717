import Dispatch

/// Passes chunks through a step, such as a cipher, while the caller fills the next chunks and
/// empties the finished ones. Chunks come out in the order in which they went in.
///
/// The step is done by a worker or, when the caller waits, by the caller, whichever comes first:
/// nothing waits for a thread that has not started, however busy the machine is, or that the system
/// does not provide.
package struct Pipeline<Chunk: Sendable, Failure: Error>: ~Copyable, Sendable {
    private let queue: PipelineQueue<Chunk, Failure>
    /// The maximum number of chunks under way.
    private let depth: Int
    private var count = 0

    /// - Parameters:
    ///   - depth: the maximum number of chunks under way. If none of them is done when the caller
    ///     needs one, the caller sleeps until most of them are: on a virtual machine, waking it
    ///     costs the other thread as much as 16 KiB of its work.
    ///   - step: called for one chunk after the other. After it has thrown, it is not called again.
    package init(depth: Int, _ step: @escaping @Sendable (inout Chunk) throws(Failure) -> Void) {
        queue = PipelineQueue(step)
        self.depth = depth
    }

    /// Waits for the worker, and drops the step and all chunks.
    deinit { queue.stop() }

    /// Passes a chunk in.
    /// - Parameter besideCaller: whether a worker may process the chunk later.
    /// - Returns: the oldest chunk, processed, once enough are under way; always one if
    ///   `besideCaller` is false.
    /// - Throws: the error of the step for that chunk, or for one before it.
    package mutating func pass(_ chunk: consuming Chunk, besideCaller: Bool) throws(Failure)
        -> Chunk?
    {
        queue.add(chunk, callingWorker: besideCaller)
        count += 1
        return count >= (besideCaller ? depth : 1) ? try next() : nil
    }

    /// Waits for the oldest chunk; nil if none is under way. After a failure every call throws it
    /// again.
    package mutating func next() throws(Failure) -> Chunk? {
        guard count > 0 else { return nil }
        let chunk = try queue.next(atOnce: depth * 3 / 4)
        count -= 1
        return chunk
    }
}

/// The part of a pipeline that its threads share.
private final class PipelineQueue<Chunk: Sendable, Failure: Error>: Sendable {
    typealias Step = @Sendable (inout Chunk) throws(Failure) -> Void

    private struct State {
        /// Nil once the pipeline is gone, so that a worker that comes too late finds no secret.
        var step: Step?
        /// Oldest first.
        var waiting: [Chunk] = []
        var done: [Chunk] = []
        /// Whether a thread is at the step.
        var isTaken = false
        /// Whether a worker has been called and has not come yet.
        var isCalled = false
        /// How many finished chunks the caller sleeps for. It is also woken when the thread leaves
        /// the step.
        var awaitedCount: Int?
        var failure: Failure?
    }

    private let state: Lock<State>
    private let news = DispatchSemaphore(value: 0)
    private let process = ProcessIdentity()

    init(_ step: @escaping Step) { state = Lock(State(step: step)) }

    func add(_ chunk: consuming Chunk, callingWorker: Bool) {
        // This function must not keep a reference to the chunk, or the thread that processes it
        // would copy its memory.
        var chunk = Optional(chunk)
        let isNeeded = state.withLock { state in
            if let chunk = chunk.take() { state.waiting.append(chunk) }
            guard callingWorker, !state.isTaken, !state.isCalled else { return false }
            state.isCalled = true
            return true
        }
        guard isNeeded else { return }
        Workers.shared.add { [self] in
            state.withLock { $0.isCalled = false }
            work(limit: .max)
        }
    }

    /// - Parameter count: how many chunks to wait for, if there is a need to wait.
    func next(atOnce count: Int) throws(Failure) -> Chunk {
        while true {
            let (result, isTaken) = state.withLock { (state) -> (Result<Chunk, Failure>?, Bool) in
                if !state.done.isEmpty { return (.success(state.done.removeFirst()), false) }
                if state.failure == nil, state.isTaken { state.awaitedCount = count }
                return (state.failure.map { .failure($0) }, state.isTaken)
            }
            if let result { return try result.get() }
            if isTaken { news.wait() } else { work(limit: 1) }
        }
    }

    func stop() {
        // A child that was forked in between has no worker to wait for, and perhaps a lock that no
        // thread releases.
        guard process.isCurrent else { return }
        var isTaken = true
        while isTaken {
            isTaken = state.withLock { state in
                state.waiting = []
                if state.isTaken { state.awaitedCount = .max } else { state.step = nil }
                return state.isTaken
            }
            if isTaken { news.wait() }
        }
    }

    /// Processes the waiting chunks, at most `limit` of them, unless another thread is at the step.
    private func work(limit: Int) {
        let isFree = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFree else { return }
        var chunk: Chunk?
        var failure: Failure?
        var count = 0
        while true {
            let step = exchange(&chunk, failure, leaving: count == limit)
            // The step has the only reference to the chunk's memory, so that it does not copy it.
            guard let step, var own = chunk.take() else { return }
            do throws(Failure) {
                try step(&own)
                chunk = own
            } catch {
                failure = error
            }
            count += 1
        }
    }

    /// Puts the chunk that has been processed among the others, and takes the next.
    /// - Parameter leaving: whether this thread should leave the step now.
    /// - Returns: the step; nil if there is no chunk to process here. This thread is no longer at
    ///   the step then.
    private func exchange(_ chunk: inout Chunk?, _ failure: Failure?, leaving: Bool) -> Step? {
        var step: Step?
        let isAwaited = state.withLock { state in
            if let done = chunk.take() { state.done.append(done) }
            if let failure { state.failure = failure }
            if !leaving, state.failure == nil, !state.waiting.isEmpty {
                chunk = state.waiting.removeFirst()
                step = state.step
            } else {
                state.isTaken = false
            }
            guard let count = state.awaitedCount, !state.isTaken || state.done.count >= count else {
                return false
            }
            state.awaitedCount = nil
            return true
        }
        if isAwaited { news.signal() }
        return step
    }
}

/// The value that the step of a pipeline uses, such as a cipher. The caller may use it when no
/// chunk is under way.
package final class PipelineValue<Value: ~Copyable & Sendable>: @unchecked Sendable {
    // Unchecked: the steps follow each other, and the pipeline's lock lies between them and the
    // caller.
    package var value: Value
    package init(_ value: consuming Value) { self.value = value }
}
