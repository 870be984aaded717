import Synchronization

/// The caller's place among the threads that do large work of this library. While there is a core for a second thread, the
/// place comes with a helper; many streams at once then do not ask for more threads than there are cores.
package struct CoreBudget: ~Copyable {
    private static let busy = Atomic<Int>(0)
    /// Of this machine; at least 1.
    package static let coreCount = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))

    /// For tests: a helper for everybody.
    @TaskLocal package static var isUnlimited = false

    /// Whether a second thread may work on the same.
    package private(set) var hasHelper = false

    package init() {
        Self.busy.add(1, ordering: .relaxed)
        askForHelper()
    }

    /// Asks again: others may have ended.
    package mutating func askForHelper() {
        guard !hasHelper else { return }
        hasHelper = Self.busy.add(1, ordering: .relaxed).oldValue < Self.coreCount || Self.isUnlimited
        if !hasHelper { Self.busy.subtract(1, ordering: .relaxed) }
    }

    deinit {
        Self.busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed)
    }
}
