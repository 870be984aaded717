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
import COpenSSL
import Synchronization

/// A thread of the library's own, because Dispatch has few threads, and other work waits for them.
enum HelperThread {
    /// The work of this library needs an eighth of this, even without optimisation. The default of the system, 8 MiB on
    /// Linux, is much where the address space is limited (`ulimit -v`).
    static let ownStackByteCount = 512 * 1024
    private static let stackByteCounts = 64 * 1024...1 << 30

    /// Starts a thread that runs `body` and ends. Only the exit of the process waits for its end.
    /// - Parameter stackByteCount: the size of the stack; nil for what the program's own threads get, if `body` runs
    ///   more than the work of this library.
    /// - Returns: false if the system has no thread left.
    static func start(stackByteCount: Int?, _ body: @escaping @Sendable () -> Void) -> Bool {
        _ = waitsAtExit
        let passed = Unmanaged.passRetained(ThreadBody(body))
        // Signals must go to the program's own threads, where they interrupt reads and writes as the program expects.
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
            // Whole pages, since some systems refuse any other size. If the system refuses a size because it is less
            // than it needs itself, the thread gets the default size.
            let page = range.lowerBound
            _ = pthread_attr_setstacksize(&attributes, (byteCount + page - 1) / page * page)
        }
        var thread = Platform.noThread
        return pthread_create(&thread, &attributes, { runBody($0) }, body.toOpaque()) == 0
    }

    // MARK: The end of the process

    /// The number of threads that OpenSSL is cleaning up after at the moment.
    private static let endingCount = Atomic(0)
    private static let processIsEnding = Atomic(false)

    /// Frees what OpenSSL keeps for this thread, and would otherwise free after the thread's end. OpenSSL also cleans
    /// up when the process exits, but cannot safely do both at once (OPENSSL_init_crypto(3)): a thread that comes too
    /// late frees nothing, and sleeps until the process has ended.
    fileprivate static func end() {
        endingCount.add(1, ordering: .sequentiallyConsistent)
        let isTooLate = processIsEnding.load(ordering: .sequentiallyConsistent)
        if !isTooLate { OPENSSL_thread_stop() }
        endingCount.subtract(1, ordering: .sequentiallyConsistent)
        while isTooLate { sleep(.max) }
    }

    /// The exit handler that is registered last runs first, so OpenSSL registers its own before this one.
    private static let waitsAtExit: Bool = {
        _ = OPENSSL_init_crypto(0, nil)
        return atexit { HelperThread.waitForTheEnding() } == 0
    }()

    private static func waitForTheEnding() {
        processIsEnding.store(true, ordering: .sequentiallyConsistent)
        // The wait has a limit, because in a child after a fork the counted threads do not exist.
        for _ in 0..<10_000 where endingCount.load(ordering: .sequentiallyConsistent) > 0 { usleep(100) }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// - Parameter body: retained; an optional on some systems only, and never nil.
private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<ThreadBody>.fromOpaque(body).takeRetainedValue().run() }
    HelperThread.end()
    return nil
}
