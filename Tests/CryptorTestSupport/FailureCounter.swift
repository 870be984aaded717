import Synchronization

/// Collects what went wrong on several threads.
package final class FailureCounter: Sendable {
    private let failures = Mutex<[String]>([])

    package init() {}

    package func note(_ failure: String) { failures.withLock { $0.append(failure) } }

    package var all: [String] { failures.withLock { $0 } }
}
