import CryptorPrimitives

/// A task that waits for a result.
struct Waiter<Value: Sendable>: Sendable {
    fileprivate let outcome: Outcome<Result<Value, CryptorError>>
    fileprivate let continuation: CheckedContinuation<Void, Never>
    /// Takes the waiter's work back. The closure of `begin` is armed here first, then those of later steps.
    let withdrawal: Withdrawal

    func resume(returning result: Result<Value, CryptorError>) {
        outcome.set(result)
        withdrawal.end()
        continuation.resume()
    }
}

/// Hands a result over. The continuation could carry it, but ThreadSanitizer does not see what a thread that runs no
/// task passes through a continuation.
final class Outcome<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)

    func set(_ new: Value) { value.withLock { $0 = new } }

    func get() -> Value {
        guard let value = value.withLock({ $0 }) else { preconditionFailure("ended without a result") }
        return value
    }
}

/// Waits for the result of the work that `begin` starts.
/// - Parameters:
///   - begin: starts work that resumes the waiter. It returns a closure for when the task is cancelled, which takes the
///     work back and resumes the waiter with `cancelled`, unless a thread has begun the work.
///   - isolation: the caller's.
func waiting<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ begin: (Waiter<Value>) -> @Sendable () -> Void
) async throws(CryptorError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let withdrawal = Withdrawal()
    let outcome = Outcome<Result<Value, CryptorError>>()
    await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            withdrawal.arm(
                step: 0, begin(Waiter(outcome: outcome, continuation: continuation, withdrawal: withdrawal)))
        }
    } onCancel: {
        withdrawal.withdraw()
    }
    return try outcome.get().get()
}

/// Takes work back when its task is cancelled. The cancellation may come before there is work, or between two steps.
final class Withdrawal: Sendable {
    private enum State: Sendable {
        case unarmed
        case armed(step: Int, @Sendable () -> Void)
        case withdrawn
        /// Nobody waits any more.
        case ended
    }

    private let state = Lock(State.unarmed)

    /// Sets how to take back the work that waits. If the cancellation has come, it is taken back at once.
    /// - Parameter step: the number of this step of the work. A step that is armed after a later one, which may already
    ///   have begun, is ignored.
    func arm(step: Int, _ takeBack: @escaping @Sendable () -> Void) {
        let isWithdrawn = state.withLock { state in
            switch state {
            case .withdrawn: return true
            case .armed(let last, _) where last > step: break
            case .ended: break
            case .unarmed, .armed: state = .armed(step: step, takeBack)
            }
            return false
        }
        if isWithdrawn { takeBack() }
    }

    func withdraw() { leave(.withdrawn)?() }

    /// Releases the closure that would take the work back, because it holds the waiter.
    func end() { _ = leave(.ended) }

    private func leave(_ new: State) -> (@Sendable () -> Void)? {
        state.withLock { state in
            if case .ended = state { return nil }
            defer { state = new }
            if case .armed(_, let takeBack) = state { return takeBack }
            return nil
        }
    }
}
