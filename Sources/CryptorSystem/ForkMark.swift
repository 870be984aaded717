import CCryptorSystem
package import Synchronization

/// Tells whether this process is still the one that asked before. Two processes must not both use
/// what a fork copied.
///
/// The mark is in a page that the kernel fills with zeros in a child (`MADV_WIPEONFORK`,
/// madvise(2)), however the child was forked: no handler has to be called, and reading the mark
/// costs one load.
package enum ForkMark {
    /// A number other than zero, which changes in the child at each fork; nil if the kernel has no
    /// such pages.
    @inlinable package static var current: UInt64? {
        guard let page else { return nil }
        let known = page.pointee.load(ordering: .acquiring)
        return known != 0 ? known : fresh(on: page)
    }

    @usableFromInline
    static func fresh(on page: UnsafeMutablePointer<Atomic<UInt64>>) -> UInt64 {
        // The fork copied the count, so the child goes on where its parent was, past all marks that
        // it has inherited.
        let fresh = count.add(1, ordering: .relaxed).newValue
        let (isFirst, other) = page.pointee.compareExchange(
            expected: 0, desired: fresh, ordering: .acquiringAndReleasing)
        return isFirst ? fresh : other
    }

    private static let count = Atomic<UInt64>(0)

    @usableFromInline nonisolated(unsafe) static let page: UnsafeMutablePointer<Atomic<UInt64>>? = {
        // QEMU's emulation of Linux takes any advice, and follows none.
        guard ccryptor_wipe_on_fork != 0, madvise(nil, 0, -1) != 0 else { return nil }
        let byteCount = Int(sysconf(CInt(_SC_PAGESIZE)))
        let memory = mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, Int(bitPattern: memory) != -1 else { return nil }
        guard madvise(memory, byteCount, ccryptor_wipe_on_fork) == 0 else {
            munmap(memory, byteCount)
            return nil
        }
        // The zeros that the kernel puts there, now and in each child, are a valid atomic zero.
        return memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }()
}
