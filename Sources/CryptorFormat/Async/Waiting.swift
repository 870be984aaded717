import CryptorPrimitives

/// Somebody who waits in a task for a result.
struct Waiter<Value: Sendable>: Sendable {
    fileprivate let outcome: Outcome<Result<Value, CryptorError>>
    fileprivate let continuation: CheckedContinuation<Void, Never>
    /// What is set going for it after what `begin` has is armed here.
    let withdrawal: Withdrawal

    func resume(returning result: Result<Value, CryptorError>) {
        outcome.set(result)
        withdrawal.end()
        continuation.resume()
    }
}

/// Hands a result over. It could go through the continuation, but ThreadSanitizer does not see what passes there from a
/// thread that runs no task.
final class Outcome<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)

    func set(_ new: Value) { value.withLock { $0 = new } }

    func get() -> Value {
        guard let value = value.withLock({ $0 }) else { preconditionFailure("ended without a result") }
        return value
    }
}

/// Waits for what `begin` sets going.
/// - Parameters:
///   - begin: is given whom to resume. It returns how to take that back when the task is cancelled, which resumes the
///     waiter with `cancelled` unless somebody else has begun to work for it.
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

/// A cancellation may come before there is anything to take back, or between two things that follow each other.
final class Withdrawal: Sendable {
    private enum State: Sendable {
        case unarmed
        case armed(step: Int, @Sendable () -> Void)
        case withdrawn
        /// Nobody waits any more.
        case ended
    }

    private let state = Lock(State.unarmed)

    /// Takes back what waits: at once, if the cancellation has come.
    /// - Parameter step: of several things that follow each other, which one. The next may have begun before this is said of
    ///   the one before it.
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

    /// What could be taken back is let go: it holds whoever waited.
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
