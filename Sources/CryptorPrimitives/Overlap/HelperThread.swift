/// A thread for work that lasts as long as a file does. Dispatch has few threads, and others wait for them.
struct HelperThread: ~Copyable {
    private let thread: pthread_t

    /// Starts a thread that runs `body`; nil if the system has none left.
    init?(_ body: @escaping @Sendable () -> Void) {
        let passed = Unmanaged.passRetained(Body(body))
        // Signals are for the threads of the program: it takes them as interruptions of its reads and writes.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        guard let thread = Self.start(passed) else {
            passed.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the end of the thread.
    deinit {
        let status = pthread_join(thread, nil)
        precondition(status == 0, "pthread_join: \(status)")
    }

    private static func start(_ body: Unmanaged<Body>) -> pthread_t? {
        var thread = Platform.noThread
        let status = pthread_create(&thread, nil, { runBody($0) }, body.toOpaque())
        return status == 0 ? thread : nil
    }
}

private final class Body {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// - Parameter body: retained; optional on some systems only, and never nil.
private func runBody(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
    return nil
}
