import Synchronization

/// The caller's place among the threads that do large work of this library. The place comes with a helper only while
/// there is a core for a second thread, so that many streams at once do not ask for more threads than there are cores.
package struct CoreBudget: ~Copyable {
    /// The number of threads at work in the lower half, and the mark of their process in the upper half, so that a
    /// child does not count the threads of its parent.
    private static let busy = Atomic<UInt64>(0)
    /// The number of cores of this machine, at least 1.
    package static let coreCount = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))

    /// For tests: whether every caller gets a helper.
    @TaskLocal package static var isUnlimited = false

    /// Whether a second thread may help with the caller's work.
    package private(set) var hasHelper = false
    private let isCounted: Bool
    private let mark = Self.currentMark

    /// - Parameter isLarge: whether the work counts at all.
    package init(isLarge: Bool = true) {
        isCounted = isLarge
        guard isLarge else { return }
        _ = add(1, limit: .max)
        hasHelper = takeSecondPlace()
    }

    /// Asks for a helper again: other threads may have ended their work.
    package mutating func askForHelper() {
        if !hasHelper { hasHelper = takeSecondPlace() }
    }

    deinit {
        // A child that inherited this place has not counted it.
        if isCounted, mark == Self.currentMark { _ = add(hasHelper ? -2 : -1, limit: .max) }
    }

    private static var currentMark: UInt32 { UInt32(truncatingIfNeeded: ForkMark.current ?? 0) }

    private func takeSecondPlace() -> Bool {
        // In a child, a place that was taken in the parent does not count, and gets no helper.
        mark == Self.currentMark && add(1, limit: Self.isUnlimited ? .max : Self.coreCount)
    }

    /// - Returns: false, with nothing added, if more than `limit` threads would be at work.
    private func add(_ difference: Int, limit: Int) -> Bool {
        var known = Self.busy.load(ordering: .relaxed)
        while true {
            let isOurs = UInt32(truncatingIfNeeded: known >> 32) == mark
            let count = (isOurs ? Int(UInt32(truncatingIfNeeded: known)) : 0) + difference
            guard count <= limit else { return false }
            let desired = UInt64(mark) << 32 | UInt64(count)
            let (isDone, other) = Self.busy.compareExchange(expected: known, desired: desired, ordering: .relaxed)
            if isDone { return true }
            known = other
        }
    }
}
