/// Threads for large work beside the threads of the program: as many as there are cores, for all of this library.
enum Helpers {
    private static let queue = HelperQueue()
    private static let crew = ThreadCrew(
        maximumCount: CoreBudget.coreCount, stackByteCount: HelperThread.ownStackByteCount
    ) { queue.helpWithNext() }

    /// Calls a thread to the work, which others may have done when it comes. Where the system has no thread, the work is
    /// done here.
    static func call(_ work: @escaping @Sendable () -> Void) {
        queue.append(work)
        crew.call()
    }
}

private final class HelperQueue: Sendable {
    private let waiting = Lock<[@Sendable () -> Void]>([])

    func append(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

    /// - Returns: false if nothing waits.
    func helpWithNext() -> Bool {
        let next = waiting.withLock { waiting in waiting.isEmpty ? nil : waiting.removeFirst() }
        next?()
        return next != nil
    }
}
