import COpenSSL
import Synchronization

/// A thread of the library's own. Dispatch has few threads, and others wait for them.
enum HelperThread {
    /// An eighth of it is enough for the work of this library, without optimisation. What the system would give, 8 MiB on
    /// Linux, is much where the address space is limited (`ulimit -v`).
    static let ownStackByteCount = 512 * 1024
    private static let stackByteCounts = 64 * 1024...1 << 30

    /// Starts a thread that runs `body` and ends. Nobody waits for that but the end of the process.
    /// - Parameter stackByteCount: nil for what the program's own threads get, for a `body` that runs more than the work of this
    ///   library.
    /// - Returns: false if the system has no thread left.
    static func start(stackByteCount: Int?, _ body: @escaping @Sendable () -> Void) -> Bool {
        _ = waitsAtExit
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
        if let stackByteCount {
            let range = Self.stackByteCounts
            let byteCount = min(max(stackByteCount, range.lowerBound), range.upperBound)
            // Refused only if it is less than what the system needs itself, which has its way then.
            _ = pthread_attr_setstacksize(&attributes, byteCount)
        }
        var thread = Platform.noThread
        return pthread_create(&thread, &attributes, { runBody($0) }, body.toOpaque()) == 0
    }

    // MARK: The end of the process

    /// Threads that OpenSSL cleans up after at the moment.
    private static let endingCount = Atomic(0)
    private static let processIsEnding = Atomic(false)

    /// What OpenSSL keeps for a thread is freed here, and would otherwise be after the thread's end. It cleans up after a process
    /// as well, but not safely after both at once (OPENSSL_init_crypto(3)): a thread that comes too late stays as it is.
    fileprivate static func end() {
        endingCount.add(1, ordering: .sequentiallyConsistent)
        let isTooLate = processIsEnding.load(ordering: .sequentiallyConsistent)
        if !isTooLate { OPENSSL_thread_stop() }
        endingCount.subtract(1, ordering: .sequentiallyConsistent)
        while isTooLate { sleep(.max) }
    }

    /// What is registered last comes first, and OpenSSL registers itself with this.
    private static let waitsAtExit: Bool = {
        _ = OPENSSL_init_crypto(0, nil)
        return atexit { HelperThread.waitForTheEnding() } == 0
    }()

    private static func waitForTheEnding() {
        processIsEnding.store(true, ordering: .sequentiallyConsistent)
        // Not for ever: in a child after a fork, none of them is there.
        for _ in 0..<10_000 where endingCount.load(ordering: .sequentiallyConsistent) > 0 { usleep(100) }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// - Parameter body: retained; optional on some systems only, and never nil.
private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
    HelperThread.end()
    return nil
}
