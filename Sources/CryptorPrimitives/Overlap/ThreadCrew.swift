import Dispatch
import Synchronization

/// Threads that wait for work, started when there is work for one more. They end some time after they were dismissed.
package final class ThreadCrew: Sendable {
    private struct State {
        /// Threads, and those of them that wait or have just begun.
        var count = 0
        var idleCount = 0
        /// Calls that no thread has heard yet.
        var unheardCount = 0
        var isDismissed = false
        /// Callers that do the work, where the system gives no thread for it: their numbers.
        var lonely: Set<Int> = []
        /// Threads of others that work here for a while.
        var guests: [Guest] = []
        /// Of the process that has the threads.
        var mark = ForkMark.current

        /// In a child after a fork, no thread of its parent's is there.
        mutating func forgetThreadsOfParent() {
            guard mark != ForkMark.current else { return }
            self = State()
        }
    }

    /// A thread of somebody else's, which waits in the crew for an end of its own.
    private final class Guest: Sendable {
        let news = DispatchSemaphore(value: 0)
        let hasEnded = Atomic(false)
    }

    private let maximumCount: Int
    private let stackByteCount: Int?
    private let work: @Sendable () -> Bool
    private let state = Lock(State())
    private let calls = DispatchSemaphore(value: 0)

    /// For tests: the system has no thread to give.
    @TaskLocal package static var hasNoThreads = false

    /// - Parameters:
    ///   - maximumCount: the most threads at a time.
    ///   - stackByteCount: see ``HelperThread``.
    ///   - work: does one piece of what waits, on one of the threads; false if none can be done. What then becomes possible
    ///     by a piece is done by its thread, next. It is kept for as long as the threads live, and must not keep their crew.
    package init(maximumCount: Int, stackByteCount: Int? = nil, work: @escaping @Sendable () -> Bool) {
        precondition(maximumCount > 0, "a crew of \(maximumCount) threads does no work")
        self.maximumCount = maximumCount
        self.stackByteCount = stackByteCount
        self.work = work
    }

    /// For those who have added one piece of work, or made that another thread can do one.
    package func call() {
        var guest: Guest?
        let needsThread = state.withLock { state in
            state.forgetThreadsOfParent()
            guest = state.guests.popLast()
            guard guest == nil else { return false }
            state.unheardCount += 1
            guard state.unheardCount > state.idleCount, state.count < maximumCount else { return false }
            state.count += 1
            state.idleCount += 1
            return true
        }
        if let guest {
            guest.news.signal()
            return
        }
        calls.signal()
        if needsThread { startThread() }
    }

    /// The calling thread becomes one of the crew, and counts among them, until the work that `begin` sets going calls what it
    /// is given. It is asked before others are, and does all of the work where it is alone. It may leave while somebody calls:
    /// whoever joins calls afterwards if something waits.
    package func join(_ begin: (_ end: @escaping @Sendable () -> Void) -> Void) {
        let guest = Guest()
        state.withLock { $0.count += 1 }
        begin { [guest] in
            guest.hasEnded.store(true, ordering: .releasing)
            guest.news.signal()
        }
        while !guest.hasEnded.load(ordering: .acquiring) {
            if work() { continue }
            let isIdle = state.withLock { state in
                // Somebody called while this thread worked.
                guard state.unheardCount == 0 else {
                    state.unheardCount -= 1
                    return false
                }
                state.guests.append(guest)
                return true
            }
            guard isIdle else { continue }
            guest.news.wait()
        }
        state.withLock { state in
            state.count -= 1
            state.guests.removeAll { $0 === guest }
        }
    }

    /// The threads do what is left, and end. Nobody waits for that: the caller may be one of them.
    package func dismiss() {
        let count = state.withLock { state in
            state.forgetThreadsOfParent()
            state.isDismissed = true
            return state.count
        }
        for _ in 0..<count { calls.signal() }
    }

    private func startThread() {
        if !Self.hasNoThreads, HelperThread.start(stackByteCount: stackByteCount, { [self] in stayOnCall() }) { return }
        let isAlone = state.withLock { state in
            state.count -= 1
            state.idleCount -= 1
            return state.count == 0
        }
        if isAlone { workAlone() }
    }

    /// Somebody has to do it. What a piece calls for is done after it, not within: there may be thousands.
    private func workAlone() {
        let number = ThreadNumber.current
        // Of 0 nobody knows whose it is.
        guard number == 0 || state.withLock({ $0.lonely.insert(number).inserted }) else { return }
        while work() {}
        state.withLock { _ = $0.lonely.remove(number) }
    }

    private func stayOnCall() {
        while true {
            calls.wait()
            state.withLock { state in
                state.unheardCount = max(0, state.unheardCount - 1)
                state.idleCount -= 1
            }
            // All that can be done: who was called for it may have come while it could not.
            while work() {}
            let mayEnd = state.withLock { state in
                state.idleCount += 1
                return state.isDismissed
            }
            if mayEnd { return }
        }
    }
}
