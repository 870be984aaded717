import CCryptorSystem
import Dispatch

/// Threads that take jobs from one queue, first in, first out. A thread starts when a job finds
/// none that is free.
///
/// A child after a fork has none of these threads, and must not use the workers of its parent.
package final class Workers: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The jobs that were taken up last, in their order.
        var added: [Job] = []
        /// The jobs before these, the next one last. So neither adding nor taking one moves the
        /// others.
        var next: [Job] = []
        var threadCount = 0
        /// The number of threads that wait for a job, or have just begun.
        var idleCount = 0

        var jobCount: Int { added.count + next.count }

        mutating func takeJob() -> Job? {
            if next.isEmpty {
                next = added.reversed()
                added = []
            }
            return next.popLast()
        }
    }

    private let state = Lock(State())
    private let calls = DispatchSemaphore(value: 0)
    private let threadLimit: Int
    private let startThread: @Sendable (@escaping Job) -> Bool

    /// The threads that help with large work. They never end.
    static let shared = Workers(threadLimit: Cores.count)

    /// - Parameter threadLimit: the maximum number of threads at a time.
    package convenience init(threadLimit: Int) {
        self.init(threadLimit: threadLimit, startThread: WorkerThread.start)
    }

    /// - Parameter startThread: starts a thread that runs a job and ends; false if the system has
    ///   no thread left.
    init(threadLimit: Int, startThread: @escaping @Sendable (@escaping Job) -> Bool) {
        precondition(threadLimit > 0, "\(threadLimit) threads do no work")
        self.threadLimit = threadLimit
        self.startThread = startThread
    }

    /// Adds a job for one of the threads. If there is no thread, and the system provides none, it
    /// is done here.
    package func add(_ job: @escaping @Sendable () -> Void) {
        let isAdded = state.withLock { state in
            // A thread is started under the lock: a job that is added meanwhile must know whether
            // there is a thread.
            let isThreadMissing =
                state.idleCount <= state.jobCount && state.threadCount < threadLimit
            if isThreadMissing, startThread({ [self] in work() }) {
                state.threadCount += 1
                state.idleCount += 1
            }
            if state.threadCount > 0 { state.added.append(job) }
            return state.threadCount > 0
        }
        if isAdded { calls.signal() } else { job() }
    }

    /// The threads do the jobs that are left, and end. No job may be added afterwards. Nobody waits
    /// for the threads: the caller may be one of them.
    package func close() { for _ in 0..<state.withLock({ $0.threadCount }) { calls.signal() } }

    private func work() {
        while let job = nextJob() {
            job()
            state.withLock { $0.idleCount += 1 }
        }
    }

    /// - Returns: nil if the workers are closed and nothing is left to do.
    private func nextJob() -> Job? {
        calls.wait()
        return state.withLock { state in
            guard let job = state.takeJob() else { return nil }
            state.idleCount -= 1
            return job
        }
    }
}
