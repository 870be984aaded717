/// A value that one thread at a time may touch: a mutex of POSIX (`pthread_mutex_lock(3)`) beside it, on the heap.
///
/// Swift's `Mutex` knows threads by numbers that it keeps; the copy of a thread in a child after `fork(2)` has another
/// number than it remembers, and `Mutex` ends the process at the next wait. A mutex of POSIX may be used in a child,
/// if no other thread held it when the process was forked; and ThreadSanitizer knows it.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: whoever holds the mutex is alone with the value. Values that are no `Sendable` come in by `sending` only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        Self.require(pthread_mutex_init(mutex, nil), "pthread_mutex_init")
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        // Without a look at what it returns: in a child after a fork, the holder may be a thread that is not there.
        _ = pthread_mutex_destroy(mutex)
        value.deinitialize(count: 1)
        value.deallocate()
        mutex.deallocate()
    }

    /// Waits until no other thread is in here.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        Self.require(pthread_mutex_lock(mutex), "pthread_mutex_lock")
        defer { Self.require(pthread_mutex_unlock(mutex), "pthread_mutex_unlock") }
        return try body(&value.pointee)
    }

    /// Waits for nobody: nil if another thread is in here, or was when the process was forked from its parent.
    package borrowing func withLockIfFree<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { Self.require(pthread_mutex_unlock(mutex), "pthread_mutex_unlock") }
        return body(&value.pointee)
    }

    private static func require(_ status: CInt, _ function: StaticString) {
        precondition(status == 0, "\(function): \(status)")
    }
}
