#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif
import CryptorSystem
import Synchronization

/// The caller's place among the threads that do large work of this library. The place comes with a helper only while
/// there is a core for a second thread, so that many streams at once do not ask for more threads than there are cores.
///
/// In a child after a fork, everything runs on the calling thread: the helpers of its parent do not exist there.
package struct CoreBudget: ~Copyable {
    /// The number of threads at work.
    private static let busy = Atomic(0)
    /// The number of cores of this machine, at least 1.
    package static let coreCount = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    /// The mark of the process that has the helpers.
    private static let mark = ForkMark.current

    /// For tests: whether every caller gets a helper.
    @TaskLocal package static var isUnlimited = false

    /// Whether a second thread may help with the caller's work.
    package private(set) var hasHelper = false
    private let isCounted: Bool

    /// - Parameter isLarge: whether the work counts at all.
    package init(isLarge: Bool = true) {
        isCounted = isLarge
        guard isLarge else { return }
        Self.busy.add(1, ordering: .relaxed)
        askForHelper()
    }

    /// Asks for a helper, or asks again: other threads may have ended their work.
    package mutating func askForHelper() {
        guard !hasHelper, Self.mark == ForkMark.current else { return }
        let count = Self.busy.add(1, ordering: .relaxed).newValue
        hasHelper = Self.isUnlimited || count <= Self.coreCount
        if !hasHelper { Self.busy.subtract(1, ordering: .relaxed) }
    }

    deinit {
        if isCounted { Self.busy.subtract(hasHelper ? 2 : 1, ordering: .relaxed) }
    }
}
