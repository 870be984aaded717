import Dispatch
import Synchronization

/// Hands files out to threads, each file with what was prepared for it and a few more. A thread that finds none ready
/// prepares some; they then go to whoever is free, however long a file takes.
final class PreparedQueue<Context: Sendable>: Sendable {
    private let count: Int
    private let groupCount: Int
    private let prepare: @Sendable (Range<Int>) -> Context
    private let handedOut = Atomic<Int>(0)
    private let nextGroup = Atomic<Int>(0)
    private let ready = Mutex<[(index: Int, context: Context)]>([])
    /// Signalled for each file that becomes ready. Not all signals are waited for.
    private let news = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - count: the number of files.
    ///   - groupCount: the number to prepare at a time.
    ///   - prepare: called once for each group, on any thread.
    init(_ count: Int, inGroupsOf groupCount: Int, _ prepare: @escaping @Sendable (Range<Int>) -> Context) {
        self.count = count
        self.groupCount = groupCount
        self.prepare = prepare
    }

    /// The next file, or nil if each has been handed out.
    func next() -> (index: Int, context: Context)? {
        // Who gets beyond this gets a file: as many are prepared.
        guard handedOut.add(1, ordering: .relaxed).oldValue < count else { return nil }
        while true {
            if let file = ready.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return file }
            // If no group is left to prepare, another thread is at work on the file's. No wait with a limit: it lasts until
            // the next signal if another thread is woken by the one that came as time ran out.
            if !prepareGroup() { news.wait() }
        }
    }

    private func prepareGroup() -> Bool {
        let start = nextGroup.add(groupCount, ordering: .relaxed).oldValue
        guard start < count else { return false }
        let group = start..<min(start + groupCount, count)
        let context = prepare(group)
        ready.withLock { $0 += group.map { ($0, context) } }
        for _ in group { news.signal() }
        return true
    }
}
