import Foundation
import Synchronization
public import Testing

/// Runs tests on other threads than those of Swift's concurrency, of which there are as many as
/// cores: while tests there wait for processes, a core has nothing to do.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// It holds for every test of a suite.
    public var isRecursive: Bool { true }

    /// Runs `function` on one of the threads, when one is free.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Threads.shared) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// Each test has a thread for itself while it runs.
    public static var onItsOwnThread: Self { OwnThread() }
}

private final class Threads: TaskExecutor {
    static let shared = Threads(count: 8)

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true {
                    waiting.wait()
                    let job = jobs.withLock { $0.removeFirst() }
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
    }
}
