import CryptorTestSupport
import Dispatch

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Keeps a thread of a pool's queue busy until it is opened.
final class Blocker: Sendable {
    private let hasArrived = Tally()
    private let release = DispatchSemaphore(value: 0)

    /// Returns when it occupies a thread.
    init(occupying queue: PoolQueue) async {
        Task { [self] in try await queue.run { (_) throws(CryptorError) in self.stay() } }
        await until { hasArrived.count == 1 }
    }

    private func stay() {
        hasArrived.add()
        release.wait()
    }

    func open() { release.signal() }
}
