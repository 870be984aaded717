import COpenSSL
import Synchronization

/// A thread of the library's own. Dispatch has few threads, and others wait for them.
enum HelperThread {
    /// An eighth of it is enough for the work of this library, without optimisation. What the system would give, 8 MiB on
    /// Linux, is much where the address space is limited (`ulimit -v`).
    static let ownStackByteCount = 512 * 1024

    /// Starts a thread that runs `body` and ends. Nobody waits for that but the end of the process, if it is told: see
    /// ``willEnd(_:)``.
    /// - Parameter stackByteCount: nil for what the program's own threads get, for a `body` that runs more than the work of this
    ///   library.
    /// - Returns: false if the system has no thread left.
    static func start(stackByteCount: Int?, _ body: @escaping @Sendable () -> Void) -> Bool {
        let passed = Unmanaged.passRetained(ThreadBody(body))
        // Signals are for the threads of the program: it takes them as interruptions of its reads and writes.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        guard start(passed, stackByteCount) else {
            passed.release()
            return false
        }
        return true
    }

    private static func start(_ body: Unmanaged<ThreadBody>, _ stackByteCount: Int?) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        guard pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED)) == 0 else { return false }
        // Refused only if it is less than what the system needs itself, which has its way then.
        if let stackByteCount { _ = pthread_attr_setstacksize(&attributes, stackByteCount) }
        var thread = Platform.noThread
        return pthread_create(&thread, &attributes, { runBody($0) }, body.toOpaque()) == 0
    }

    // MARK: The end of the process

    fileprivate static let endingCount = Atomic(0)
    /// The process whose threads these are.
    private static let process = Atomic<pid_t>(0)

    /// For those who have told so many threads to end: a process that ends meanwhile waits for them, as OpenSSL cleans up after a
    /// thread and after a process, but not safely after both at once (OPENSSL_init_crypto(3)).
    static func willEnd(_ count: Int) {
        _ = waitsAtExit
        // In a child after a fork, no thread of its parent's is there.
        if process.exchange(getpid(), ordering: .relaxed) != getpid() { endingCount.store(0, ordering: .relaxed) }
        endingCount.add(count, ordering: .relaxed)
    }

    private static let waitsAtExit: Bool = {
        // What is registered last comes first, and OpenSSL registers itself with this.
        _ = OPENSSL_init_crypto(0, nil)
        return atexit { HelperThread.waitForTheEnding() } == 0
    }()

    /// Not for ever: they have nothing left to do.
    private static func waitForTheEnding() {
        for _ in 0..<10_000 {
            guard endingCount.load(ordering: .acquiring) > 0, process.load(ordering: .relaxed) == getpid() else {
                return
            }
            usleep(100)
        }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// - Parameter body: retained; optional on some systems only, and never nil.
private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
    // What OpenSSL keeps for a thread would otherwise be freed after this.
    OPENSSL_thread_stop()
    HelperThread.endingCount.subtract(1, ordering: .releasing)
    return nil
}
