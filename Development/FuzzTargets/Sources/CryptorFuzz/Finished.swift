@testable import CryptorPrimitives
import Dispatch

/// Runs a task to its end while libFuzzer's thread waits, so that no work of one input is left for the next.
func finished<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Lock<Result<Value, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        isDone.signal()
    }
    isDone.wait()
    guard let outcome = result.withLock({ $0 }) else { fail("a task ended without a result") }
    return try outcome.get()
}

/// Cancels the task that calls it.
func cancelThisTask() {
    withUnsafeCurrentTask { $0?.cancel() }
}
