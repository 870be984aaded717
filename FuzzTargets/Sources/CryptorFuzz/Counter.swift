import Synchronization

/// Calls, counted from 1 on whichever thread they come.
final class Counter: Sendable {
    private let calls = Atomic(0)

    /// How many there were.
    var count: Int { calls.load(ordering: .relaxed) }

    func next() -> Int { calls.add(1, ordering: .relaxed).newValue }
}
