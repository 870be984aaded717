import Synchronization

/// Tells whether this process is still the one that asked before. What was copied by a fork must not be used by two.
///
/// A page that the kernel fills with zeros in a child (`MADV_WIPEONFORK`, madvise(2)), however it was forked: nobody has to
/// call a handler for it, and looking costs a load.
package enum ForkMark {
    /// For tests: contexts that are made meanwhile, and random bytes that are drawn, do without.
    @TaskLocal package static var isAbsent = false

    /// A number other than zero that changes with each fork, for the child; nil where the kernel has no such pages.
    static var current: UInt64? {
        guard let page else { return nil }
        let known = page.pointee.load(ordering: .acquiring)
        if known != 0 { return known }
        // The count was copied by the fork, so the child goes on where its parent was, past all that it has inherited.
        let fresh = count.add(1, ordering: .relaxed).newValue
        let (isFirst, other) = page.pointee.compareExchange(
            expected: 0, desired: fresh, ordering: .acquiringAndReleasing)
        return isFirst ? fresh : other
    }

    private static let count = Atomic<UInt64>(0)

    private nonisolated(unsafe) static let page: UnsafeMutablePointer<Atomic<UInt64>>? = {
        guard let advice = Platform.wipeOnFork else { return nil }
        let byteCount = Int(sysconf(CInt(_SC_PAGESIZE)))
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        guard madvise(memory, byteCount, advice) == 0 else {
            munmap(memory, byteCount)
            return nil
        }
        // Zero, as the kernel made it and will make it again, is an atomic zero.
        return memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    }()
}
