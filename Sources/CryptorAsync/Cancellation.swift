import CryptorFormat
import CryptorSystem
import Synchronization

/// Tells threads that do not run a task whether the task was cancelled.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Makes system calls that wait throw `cancelled` once the task was cancelled.
    var reporter: ProgressReporter {
        ProgressReporter { [self] _ in if isRequested { throw CryptorError.cancelled } }
    }

    func request() { flag.store(true, ordering: .relaxed) }
}
