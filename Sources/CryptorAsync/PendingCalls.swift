import CryptorFormat
import CryptorSystem
import Synchronization

/// Counts the calls that have begun and not ended, and wakes those who wait for the last to end.
final class PendingCalls: Sendable {
    private struct Waiters {
        var lastNumber = 0
        var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let number = Atomic(0)
    private let waiters = Lock(Waiters())

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func begin() { number.add(1, ordering: .sequentiallyConsistent) }

    func end() {
        guard number.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
        let woken = waiters.withLock { waiters in
            defer { waiters.continuations = [:] }
            return Array(waiters.continuations.values)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns once no call was pending.
    /// - Throws: `cancelled` at once if the task is cancelled.
    func waitUntilNone() async throws(CryptorError) {
        let cancellation = Cancellation()
        let waiter = waiters.withLock { waiters in
            waiters.lastNumber += 1
            return waiters.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = waiters.withLock { waiters in
                    // The end of the last call looks for waiters after the number has changed, and
                    // a cancellation looks for one after its flag has.
                    guard count > 0, !cancellation.isRequested else { return false }
                    waiters.continuations[waiter] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            cancellation.request()
            waiters.withLock { $0.continuations.removeValue(forKey: waiter) }?.resume()
        }
        if cancellation.isRequested { throw .cancelled }
    }
}
