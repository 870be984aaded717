import CryptorFiles
import CryptorFormat
import Synchronization

/// Tells threads that do not run a task whether the task was cancelled.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// A progress handler, which throws `cancelled` once the task was cancelled.
    func check(_ progress: FileProgress) throws {
        if isRequested { throw CryptorError.cancelled }
    }

    func request() { flag.store(true, ordering: .relaxed) }
}
