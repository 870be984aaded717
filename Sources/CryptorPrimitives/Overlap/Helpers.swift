import CryptorSystem

/// Threads for large work beside the threads of the program: as many as there are cores, for all of this library.
enum Helpers {
    private static let workers = Workers(threadLimit: Cores.count)
    private static let mark = ForkMark.current

    /// Calls a thread to the work, which others may have done when it comes. Where the system has no thread, and in a
    /// child after a fork, the work is done here.
    static func call(_ work: @escaping @Sendable () -> Void) {
        if mark == ForkMark.current { workers.add(work) } else { work() }
    }
}
