import CCryptorSystem

/// The library's own thread, because Dispatch has few threads, and other work waits for them.
enum WorkerThread {
    /// Starts a thread that runs `body` and ends. Only the exit of the process waits for its end.
    /// - Returns: false if the system has no thread left.
    static func start(_ body: @escaping Workers.Job) -> Bool {
        let passed = Unmanaged.passRetained(Body(body))
        // Signals must go to the program's own threads, where they interrupt reads and writes as
        // the program expects. Signals for the thread's own faults stay with it, for the handlers
        // that report crashes.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for fault in [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        guard ccryptor_start_thread({ WorkerThread.run($0) }, passed.toOpaque()) == 0 else {
            passed.release()
            return false
        }
        return true
    }

    private final class Body {
        let run: Workers.Job
        init(_ run: @escaping Workers.Job) { self.run = run }
    }

    /// - Parameter body: retained; an optional on some systems only, and never nil.
    private static func run(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        pthread_detach(pthread_self())
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }
}
