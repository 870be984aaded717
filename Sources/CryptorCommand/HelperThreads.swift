import Dispatch

/// Threads beside the calling one. The system may give fewer than were asked for, or none: whoever starts them can do all
/// of the work alone.
final class HelperThreads {
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private var threads: [pthread_t] = []
    private let ended = DispatchSemaphore(value: 0)

    /// Starts up to `count` threads.
    /// - Parameter body: called on each with its number, from 0.
    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        for number in 0..<count {
            let thread = startThread { [ended] in
                body(number)
                ended.signal()
            }
            guard let thread else { return }
            threads.append(thread)
        }
    }

    /// How many there are.
    var count: Int { threads.count }

    /// Waits for the end of all. After a signal, the calls of the system that they wait in are interrupted, until each has
    /// seen that there was one.
    func join() {
        for _ in threads {
            while ended.wait(timeout: .now() + Self.patience) == .timedOut {
                if Interruption.signal != nil { threads.forEach(interruptThread) }
            }
        }
        threads.forEach(joinThread)
        threads = []
    }
}
