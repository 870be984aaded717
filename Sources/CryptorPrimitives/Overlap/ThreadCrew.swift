import Dispatch

/// Threads that wait for work, started when there is work for one more. They end some time after they were dismissed.
package final class ThreadCrew: Sendable {
    private struct State {
        /// Threads, and those of them that wait or have just begun.
        var count = 0
        var idleCount = 0
        /// Calls that no thread has heard yet.
        var unheardCount = 0
        var isDismissed = false
        /// Of the process that has the threads.
        var mark = ForkMark.current

        /// In a child after a fork, no thread of its parent's is there.
        mutating func forgetThreadsOfParent() {
            guard mark != ForkMark.current else { return }
            self = State()
        }
    }

    private let maximumCount: Int
    private let runsForeignCode: Bool
    private let work: @Sendable () -> Bool
    private let state = Lock(State())
    private let calls = DispatchSemaphore(value: 0)

    /// For tests: the system has no thread to give.
    @TaskLocal package static var hasNoThreads = false

    /// - Parameters:
    ///   - maximumCount: the most threads at a time.
    ///   - runsForeignCode: see ``HelperThread``.
    ///   - work: does one piece of what waits, on one of the threads; false if there was none. It is kept for as long as the
    ///     threads live, and must not keep their crew.
    package init(maximumCount: Int, runsForeignCode: Bool = true, work: @escaping @Sendable () -> Bool) {
        precondition(maximumCount > 0, "a crew of \(maximumCount) threads does no work")
        self.maximumCount = maximumCount
        self.runsForeignCode = runsForeignCode
        self.work = work
    }

    /// For those who have added one piece of work.
    package func call() {
        let needsThread = state.withLock { state in
            state.forgetThreadsOfParent()
            state.unheardCount += 1
            guard state.unheardCount > state.idleCount, state.count < maximumCount else { return false }
            state.count += 1
            state.idleCount += 1
            return true
        }
        calls.signal()
        if needsThread { startThread() }
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
        if !Self.hasNoThreads, let thread = HelperThread(runsForeignCode: runsForeignCode, { [self] in stayOnCall() }) {
            return thread.detach()
        }
        let isAlone = state.withLock { state in
            state.count -= 1
            state.idleCount -= 1
            return state.count == 0
        }
        // Somebody has to do it.
        if isAlone { while work() {} }
    }

    private func stayOnCall() {
        while true {
            calls.wait()
            state.withLock { state in
                state.unheardCount = max(0, state.unheardCount - 1)
                state.idleCount -= 1
            }
            let hasWorked = work()
            let mayEnd = state.withLock { state in
                state.idleCount += 1
                return state.isDismissed && !hasWorked
            }
            if mayEnd { return }
        }
    }
}
