/// A value that one thread has at a time.
///
/// Over `pthread_mutex_t`, which ThreadSanitizer knows: on Linux it does not see the locks of Swift's `Mutex`, and takes all
/// that they guard for races.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: `value` is touched under the lock only.
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: consuming sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(lock, nil)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deinitialize(count: 1)
        lock.deallocate()
    }

    /// Does `body`, which must not come here again, while nobody else has the value.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let status = pthread_mutex_lock(lock)
        precondition(status == 0, "pthread_mutex_lock: \(status)")
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
