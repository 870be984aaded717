/// Carries a noncopyable value into a closure, and perhaps to another thread. The value can be taken out once.
package final class Moved<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: `init` consumes the value, so its caller cannot keep it, and it goes to another thread only by a lock.
    private var value: Value?

    package init(_ value: consuming Value) { self.value = .some(value) }

    package func take() -> Value {
        guard let value = value.take() else { preconditionFailure("taken before") }
        return value
    }
}
