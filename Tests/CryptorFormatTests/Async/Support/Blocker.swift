import Dispatch
import Synchronization

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Keeps a thread of a pool's queue busy until it is opened.
final class Blocker: Sendable {
    private let hasArrived = Atomic(false)
    private let release = DispatchSemaphore(value: 0)

    /// Returns when it occupies a thread.
    init(occupying queue: PoolQueue) async {
        Task { [self] in try await queue.run { (_) throws(CryptorError) in self.stay() } }
        await until { hasArrived.load(ordering: .sequentiallyConsistent) }
    }

    private func stay() {
        hasArrived.store(true, ordering: .sequentiallyConsistent)
        release.wait()
    }

    func open() { release.signal() }
}

/// Waits until another task or thread makes `condition` true.
func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
}

/// A number that several threads write.
final class Tally: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .sequentiallyConsistent) }
    func add(_ other: Int = 1) { number.add(other, ordering: .sequentiallyConsistent) }
}

/// What several threads note, in order.
final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])
    var all: [Note] { notes.withLock { $0 } }
    func add(_ note: Note) { notes.withLock { $0.append(note) } }
}
