import CCryptorSystem
import Synchronization

/// The one place that decides whether large work gets a second thread: while a core of this process
/// is free for it.
package enum Cores {
    /// How many cores this process may use, at least 1: by its affinity, and by the quota of its
    /// container (cgroups(7)).
    package static let count = limit(
        affinity: Int(ccryptor_core_count()), quota: text(of: "/sys/fs/cgroup/cpu.max"))

    /// Whether any work may use a second thread.
    package static var allowsSecondThread: Bool {
        get { isAllowed.load(ordering: .relaxed) }
        set { isAllowed.store(newValue, ordering: .relaxed) }
    }
    private static let isAllowed = Atomic(true)

    /// For tests: gives a second thread to all large work of this process, however few cores it
    /// has.
    package static func pretendToHaveMore() { pretendedCount.store(1 << 20, ordering: .relaxed) }
    private static let pretendedCount = Atomic(0)

    /// The number of threads at large work, those that help included.
    private static let busyCount = Atomic(0)
    /// The process that has the workers. A child after a fork has none of their threads.
    private static let process = ProcessIdentity()

    /// Takes the caller's core, and one for a second thread if there is one.
    static func reserve() -> Int {
        let count = busyCount.add(1, ordering: .relaxed).newValue
        let limit = Self.count + pretendedCount.load(ordering: .relaxed)
        guard count < limit, allowsSecondThread, process.isCurrent else { return 1 }
        busyCount.add(1, ordering: .relaxed)
        return 2
    }

    static func release(_ count: Int) { busyCount.subtract(count, ordering: .relaxed) }

    /// - Parameter quota: the contents of `cpu.max`: a time and a period in microseconds, or "max"
    ///   for no quota.
    static func limit(affinity: Int, quota: String) -> Int {
        let numbers = quota.split(whereSeparator: \.isWhitespace).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return max(1, affinity) }
        // A part of a core is still of use to a second thread.
        return max(1, min(affinity, (numbers[0] - 1) / numbers[1] + 1))
    }

    /// The start of a small file of the kernel's; empty if it cannot be read.
    static func text(of path: String) -> String {
        let descriptor = ccryptor_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return String(unsafeUninitializedCapacity: 4096) {
            max(0, read(descriptor, $0.baseAddress, $0.count))
        }
    }
}

/// Large work on one message or file, which may get a second thread, chunk by chunk. Small work
/// never does, and is not counted.
package struct LargeWork: Sendable {
    /// The length from which work is large. Waking a thread earlier costs more than it saves.
    package static let firstByteCount = 256 * 1024
    private var byteCount = 0

    package init() {}

    /// - Parameter count: the length of the next chunk.
    /// - Returns: the cores for the work on that chunk, until the value is gone.
    package mutating func reserveCores(forNext count: Int) -> ReservedCores {
        if byteCount < Self.firstByteCount { byteCount += min(count, Self.firstByteCount) }
        return ReservedCores(byteCount < Self.firstByteCount ? 0 : Cores.reserve())
    }
}

/// The cores for a part of large work, which are released with this value.
package struct ReservedCores: ~Copyable {
    private let count: Int
    init(_ count: Int) { self.count = count }
    deinit { if count > 0 { Cores.release(count) } }

    /// Whether a second thread may help.
    package var includeSecond: Bool { count == 2 }
}
