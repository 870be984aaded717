/// What cannot be copied, on its way into a closure, and perhaps to another thread. Taken out once.
package final class Moved<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: whoever puts it in does not keep it, and whoever gets it to another thread does so by a lock.
    private var value: Value?

    package init(_ value: consuming Value) { self.value = .some(value) }

    package func take() -> Value {
        guard let value = value.take() else { preconditionFailure("taken before") }
        return value
    }
}
