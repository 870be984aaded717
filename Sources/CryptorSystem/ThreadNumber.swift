package import CCryptorSystem
import Synchronization

/// Numbers the threads in the order in which they first ask, so that each starts at a slot of its own.
package enum ThreadNumber {
    /// Nil if the system has no more keys for thread-specific data.
    @usableFromInline static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    private static let count = Atomic<Int>(0)

    @inlinable package static var current: Int {
        guard let key else { return 0 }
        let known = Int(bitPattern: pthread_getspecific(key))
        return known != 0 ? known : fresh(key)
    }

    @usableFromInline
    static func fresh(_ key: pthread_key_t) -> Int {
        let number = count.add(1, ordering: .relaxed).newValue
        // If the number cannot be kept, the thread gets another one next time, which does as well.
        _ = pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        return number
    }
}
