package import CCryptorSystem

/// A value that one thread at a time may touch, with a POSIX mutex (`pthread_mutex_lock(3)`) beside
/// it, on the heap.
///
/// Swift's `Mutex` remembers threads by number. In a child after `fork(2)` the forking thread has
/// another number than `Mutex` remembers, and `Mutex` ends the process at the next wait.
/// ThreadSanitizer knows POSIX mutexes, too.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: only the thread that holds the mutex touches the value. A value that is not
    // `Sendable` can come in by `sending` only.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        Self.require(pthread_mutex_init(mutex, nil), "pthread_mutex_init")
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        // The status is ignored: in a child after a fork, the holder may be a thread that does not
        // exist there.
        _ = pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        value.deallocate()
        mutex.deallocate()
    }

    /// Waits until no other thread holds the lock, and calls `body` with the value.
    @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        Self.require(pthread_mutex_lock(mutex), "pthread_mutex_lock")
        defer { Self.require(pthread_mutex_unlock(mutex), "pthread_mutex_unlock") }
        return try body(&value.pointee)
    }

    @usableFromInline static func require(_ status: CInt, _ function: StaticString) {
        precondition(status == 0, "\(function): \(status)")
    }
}
