import CryptorPrimitives

/// A limited number of places. A caller that finds none free waits for one, in the order of arrival, or is refused.
final class AdmissionGate: Sendable {
    private struct State {
        var freeCount: Int
        var line = TicketQueue<Waiter<Void>>()
    }

    private let state: Lock<State>
    private let refuses: Bool

    /// - Parameter refuses: whether a caller that finds no free place is refused instead of waiting.
    init(placeCount: Int, refuses: Bool = false) {
        precondition(placeCount > 0, "nobody gets past a gate to \(placeCount) places")
        state = Lock(State(freeCount: placeCount))
        self.refuses = refuses
    }

    /// For tests: how many callers wait for a place.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Takes a place, and runs `body` in it.
    /// - Throws: `cancelled`, `overloaded`, or what `body` throws.
    func withPlace<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(CryptorError) -> Value
    ) async throws(CryptorError) -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter(isolation: isolated (any Actor)? = #isolation) async throws(CryptorError) {
        try await waiting { waiter in
            var isIn = false
            let ticket: UInt64? = state.withLock { state in
                guard state.freeCount == 0 else {
                    state.freeCount -= 1
                    isIn = true
                    return nil
                }
                return refuses ? nil : state.line.append(waiter)
            }
            guard let ticket else {
                waiter.resume(returning: isIn ? .success(()) : .failure(.overloaded))
                return {}
            }
            return { [self] in
                state.withLock { $0.line.remove(ticket) }?.resume(returning: .failure(.cancelled))
            }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.line.popFirst()
            if next == nil { state.freeCount += 1 }
            return next
        }
        next?.resume(returning: .success(()))
    }
}
