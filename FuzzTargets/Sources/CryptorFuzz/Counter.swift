import Synchronization

/// Calls, counted from 1 on whichever thread they come.
final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
