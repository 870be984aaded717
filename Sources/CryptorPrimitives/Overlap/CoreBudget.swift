import Synchronization

/// The caller's place among the threads that do large work of this library. While there is a core for a second thread, the
/// place comes with a helper; many streams at once then do not ask for more threads than there are cores.
package struct CoreBudget: ~Copyable {
    private static let busy = Atomic<Int>(0)
    private static let cores = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))

    /// Whether a second thread may work on the same.
    package let hasHelper: Bool

    package init() {
        hasHelper = Self.busy.add(2, ordering: .relaxed).oldValue + 2 <= Self.cores
        if !hasHelper { Self.busy.subtract(1, ordering: .relaxed) }
    }

    deinit {
        Self.busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed)
    }
}
