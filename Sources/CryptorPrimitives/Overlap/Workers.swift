import CryptorSystem
import Dispatch

/// Threads that take jobs from one queue, first in, first out. A thread starts when a job finds none that is free.
///
/// The threads block all signals. A child after a fork has none of them, and must not use the workers of its parent.
package final class Workers: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var threadCount = 0
        /// The number of threads that wait for a job, or have just begun.
        var idleCount = 0
    }

    private let state = Lock(State())
    private let calls = DispatchSemaphore(value: 0)
    private let threadLimit: Int
    private let startThread: @Sendable (@escaping Job) -> Bool

    /// - Parameters:
    ///   - threadLimit: the most threads at a time.
    ///   - startThread: starts a thread that runs a job and ends; false if the system has no thread left.
    package init(
        threadLimit: Int,
        startThread: @escaping @Sendable (@escaping Job) -> Bool = { body in
            HelperThread.start(stackByteCount: HelperThread.ownStackByteCount, body)
        }
    ) {
        precondition(threadLimit > 0, "\(threadLimit) threads do no work")
        self.threadLimit = threadLimit
        self.startThread = startThread
    }

    /// Adds a job for one of the threads. Where there is no thread, and the system gives none, it is done here.
    package func add(_ job: @escaping Job) {
        let isAdded = state.withLock { state in
            // A thread is started under the lock: a job that is added meanwhile must know whether there is a thread.
            if state.idleCount <= state.jobs.count, state.threadCount < threadLimit, startThread({ [self] in work() }) {
                state.threadCount += 1
                state.idleCount += 1
            }
            if state.threadCount > 0 { state.jobs.append(job) }
            return state.threadCount > 0
        }
        if isAdded { calls.signal() } else { job() }
    }

    /// The threads do the jobs that are left, and end. No job may be added afterwards. Nobody waits for the threads: the
    /// caller may be one of them.
    package func close() {
        let count = state.withLock { $0.threadCount }
        for _ in 0..<count { calls.signal() }
    }

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
            guard !state.jobs.isEmpty else { return nil }
            state.idleCount -= 1
            return state.jobs.removeFirst()
        }
    }
}
