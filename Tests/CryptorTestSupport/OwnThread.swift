import Foundation
public import Testing

/// Runs each test on a thread of its own. Swift's concurrency has as many threads as there are
/// cores, so while tests there wait for processes, a core has nothing to do.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// It holds for every test of a suite.
    public var isRecursive: Bool { true }

    /// Runs `function` on other threads than those of Swift's concurrency.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Threads()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// Each test gets a thread of its own.
    public static var onItsOwnThread: Self { OwnThread() }
}

private final class Threads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
