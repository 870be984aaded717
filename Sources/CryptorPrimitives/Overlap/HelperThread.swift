/// A thread for work that lasts as long as a file does. Dispatch has few threads, and others wait for them.
struct HelperThread: ~Copyable {
    /// An eighth of it is enough for the work of this library, without optimisation. What the system would give, 8 MiB on
    /// Linux, is much where the address space is limited (`ulimit -v`).
    package static let ownStackByteCount = 512 * 1024

    private let thread: pthread_t

    /// Starts a thread that runs `body`; nil if the system has none left.
    /// - Parameter stackByteCount: nil for what the program's own threads get, for a `body` that runs more than the work of this
    ///   library.
    init?(stackByteCount: Int? = ownStackByteCount, _ body: @escaping @Sendable () -> Void) {
        let passed = Unmanaged.passRetained(Body(body))
        // Signals are for the threads of the program: it takes them as interruptions of its reads and writes.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        guard let thread = Self.start(passed, stackByteCount) else {
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

    /// Lets the thread go its way: nobody waits for its end.
    consuming func detach() {
        let status = pthread_detach(thread)
        precondition(status == 0, "pthread_detach: \(status)")
        discard self
    }

    private static func start(_ body: Unmanaged<Body>, _ stackByteCount: Int?) -> pthread_t? {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        // Refused only if it is less than what the system needs itself, which has its way then.
        if let stackByteCount { _ = pthread_attr_setstacksize(&attributes, stackByteCount) }
        var thread = Platform.noThread
        let status = pthread_create(&thread, &attributes, { runBody($0) }, body.toOpaque())
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
