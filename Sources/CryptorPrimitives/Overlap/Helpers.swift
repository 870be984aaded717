import Synchronization

/// Threads for large work beside the threads of the program: as many as there are cores, for all of this library.
final class Helpers: Sendable {
    private let queue: HelperQueue
    private let crew: ThreadCrew
    private let mark = ForkMark.current
    /// The helpers of the parent process, kept because one of their threads may have held a lock during the fork.
    private let ancestors: Helpers?

    private init(_ ancestors: Helpers?) {
        let queue = HelperQueue()
        self.queue = queue
        self.ancestors = ancestors
        crew = ThreadCrew(maximumCount: CoreBudget.coreCount, stackByteCount: HelperThread.ownStackByteCount) {
            queue.helpWithNext()
        }
    }

    /// Calls a thread to the work, which others may have done when it comes. Where the system has no thread, the work is
    /// done here.
    static func call(_ work: @escaping @Sendable () -> Void) {
        let helpers = ofThisProcess()
        helpers.queue.append(work)
        helpers.crew.call()
    }

    /// A pointer to the helpers of this process, retained for as long as it runs.
    private static let known = Atomic<UInt>(0)

    private static func ofThisProcess() -> Helpers {
        let bits = known.load(ordering: .acquiring)
        let helpers = object(bits)
        if let helpers, helpers.mark == ForkMark.current { return helpers }
        let fresh = Unmanaged.passRetained(Helpers(helpers))
        let (isFirst, other) = known.compareExchange(
            expected: bits, desired: UInt(bitPattern: fresh.toOpaque()), ordering: .acquiringAndReleasing)
        if isFirst { return fresh.takeUnretainedValue() }
        fresh.release()
        return object(other) ?? ofThisProcess()
    }

    private static func object(_ bits: UInt) -> Helpers? {
        UnsafeRawPointer(bitPattern: bits).map { Unmanaged<Helpers>.fromOpaque($0).takeUnretainedValue() }
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
