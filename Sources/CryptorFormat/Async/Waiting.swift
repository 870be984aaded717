import CryptorPrimitives

/// Somebody who waits in a task for a result.
struct Waiter<Value: Sendable>: Sendable {
    fileprivate let outcome: Outcome<Result<Value, CryptorError>>
    fileprivate let continuation: CheckedContinuation<Void, Never>

    func resume(returning result: Result<Value, CryptorError>) {
        outcome.set(result)
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
            withdrawal.arm(begin(Waiter(outcome: outcome, continuation: continuation)))
        }
    } onCancel: {
        withdrawal.withdraw()
    }
    return try outcome.get().get()
}

/// A cancellation may come before there is anything to take back.
final class Withdrawal: Sendable {
    private enum State: Sendable {
        case unarmed
        case armed(@Sendable () -> Void)
        case withdrawn
    }

    private let state = Lock(State.unarmed)

    func arm(_ takeBack: @escaping @Sendable () -> Void) {
        let isWithdrawn = state.withLock { state in
            if case .withdrawn = state { return true }
            state = .armed(takeBack)
            return false
        }
        if isWithdrawn { takeBack() }
    }

    func withdraw() {
        let takeBack: (@Sendable () -> Void)? = state.withLock { state in
            defer { state = .withdrawn }
            if case .armed(let takeBack) = state { return takeBack }
            return nil
        }
        takeBack?()
    }
}
