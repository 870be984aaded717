import CryptorSystem
import Synchronization

/// A number that several threads write.
package final class Tally: Sendable {
    private let number = Atomic(0)
    package init() {}
    package var count: Int { number.load(ordering: .sequentiallyConsistent) }
    @discardableResult package func add(_ other: Int = 1) -> Int {
        number.add(other, ordering: .sequentiallyConsistent).newValue
    }
}

/// What several threads note, in order.
package final class Notes<Note: Sendable>: Sendable {
    private let notes = Lock<[Note]>([])
    package init() {}
    package var all: [Note] { notes.withLock { $0 } }
    package func add(_ note: Note) { add(contentsOf: [note]) }
    package func add(contentsOf more: some Sequence<Note> & Sendable) {
        notes.withLock { $0.append(contentsOf: more) }
    }
}

/// Waits until another task or thread makes `condition` true.
package func until(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(1)) }
}
