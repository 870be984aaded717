import Dispatch
import Synchronization

/// Threads that wait for work. They are started when there is work for one more, and end some time after `dismiss()`.
package final class ThreadCrew: Sendable {
    private struct State {
        /// The number of threads, and of those that wait or have just begun.
        var count = 0
        var idleCount = 0
        /// The number of calls that no thread has heard yet.
        var unheardCount = 0
        var isDismissed = false
        /// The numbers of the calling threads that do the work themselves, because the system gives no thread for it.
        var lonely: Set<Int> = []
        /// The threads that have joined the crew and wait for work.
        var guests: [Guest] = []
    }

    /// A thread that is not the crew's own, and works in it until something else has ended.
    private final class Guest: Sendable {
        let news = DispatchSemaphore(value: 0)
        let hasEnded = Atomic(false)
    }

    private let maximumCount: Int
    private let stackByteCount: Int?
    private let work: @Sendable () -> Bool
    private let state = Lock(State())
    private let calls = DispatchSemaphore(value: 0)

    /// For tests: whether the system has no thread to give.
    @TaskLocal package static var hasNoThreads = false

    /// - Parameters:
    ///   - maximumCount: the most threads at a time.
    ///   - stackByteCount: see ``HelperThread``.
    ///   - work: does one piece of the waiting work, on one of the threads; false if none can be done. If a piece makes
    ///     another one possible, the same thread does that next. The closure lives as long as the threads, and must not
    ///     hold a reference to the crew.
    package init(maximumCount: Int, stackByteCount: Int? = nil, work: @escaping @Sendable () -> Bool) {
        precondition(maximumCount > 0, "a crew of \(maximumCount) threads does no work")
        self.maximumCount = maximumCount
        self.stackByteCount = stackByteCount
        self.work = work
    }

    /// Called after one piece of work was added, or has become possible for another thread.
    package func call() {
        var guest: Guest?
        let needsThread = state.withLock { state in
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

    /// Makes the calling thread one of the crew until the work that `begin` starts calls `end`. The thread is called
    /// before the others, and does all of the work if it is alone. It may leave just when it is called, so the caller
    /// of this function must use `call()` afterwards if work waits.
    package func join(_ begin: (_ end: @escaping @Sendable () -> Void) -> Void) {
        let guest = Guest()
        state.withLock { state in
            state.count += 1
        }
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

    /// Does the work on the calling thread. Work that a piece adds is done after that piece, not within it, because
    /// thousands could be nested otherwise.
    private func workAlone() {
        let number = ThreadNumber.current
        // The number 0 tells nothing about the thread.
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
            // Does all that can be done: a thread may have come for a piece when that could not be done yet.
            while work() {}
            let mayEnd = state.withLock { state in
                state.idleCount += 1
                return state.isDismissed
            }
            if mayEnd { return }
        }
    }
}
