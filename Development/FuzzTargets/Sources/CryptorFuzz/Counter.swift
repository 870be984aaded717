import Synchronization

/// Counts calls on any thread, from 1 on.
final class Counter: Sendable {
    private let calls = Atomic(0)

    /// The number of calls so far.
    var count: Int { calls.load(ordering: .relaxed) }

    func next() -> Int { calls.add(1, ordering: .relaxed).newValue }
}
