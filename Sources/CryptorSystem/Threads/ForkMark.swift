import CCryptorSystem
package import Synchronization

/// Tells whether this process is still the one that asked before. Two processes must not both use
/// data that a fork copied.
///
/// On Linux, the mark is in memory that the kernel fills with zeros in a child (`MADV_WIPEONFORK`,
/// madvise(2)), however the child was forked: no handler has to be called. On Darwin, where no
/// child comes about without the C library, a handler writes the zero. Reading the mark costs one
/// load.
package enum ForkMark {
    /// A number other than zero, which changes in the child at each fork; nil if the system has no
    /// such memory.
    @inlinable package static var current: UInt64? {
        guard let memory else { return nil }
        let known = memory.pointee.load(ordering: .acquiring)
        return known != 0 ? known : fresh(on: memory)
    }

    @usableFromInline
    static func fresh(on memory: UnsafeMutablePointer<Atomic<UInt64>>) -> UInt64 {
        // The fork copied the count, so the child goes on where its parent was, past all marks that
        // it has inherited.
        let fresh = count.add(1, ordering: .relaxed).newValue
        let (isFirst, other) = memory.pointee.compareExchange(
            expected: 0, desired: fresh, ordering: .acquiringAndReleasing)
        return isFirst ? fresh : other
    }

    private static let count = Atomic<UInt64>(0)

    // The zeros there, now and in each child, are a valid atomic zero.
    @usableFromInline nonisolated(unsafe) static let memory =
        ccryptor_zeroed_by_fork()?.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
}
