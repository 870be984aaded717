import Synchronization

/// Numbers the threads in the order in which they first ask, so that each starts at a slot of its own.
enum ThreadNumber {
    /// Nil if the system has no more keys for thread-specific data.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    private static let count = Atomic<Int>(0)

    static var current: Int {
        guard let key else { return 0 }
        let known = Int(bitPattern: pthread_getspecific(key))
        if known != 0 { return known }
        let number = count.add(1, ordering: .relaxed).newValue
        // If the number cannot be kept, the thread gets another one next time, which does as well.
        _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        return number
    }
}
