import CCryptorProcess

/// Turns Ctrl-C and similar signals into an orderly end: the signal is noted, and the work in progress checks for it,
/// throws and cleans up.
enum Interruption {
    /// The signal that came, if one did.
    static var signal: Int32? {
        let number = cprocess_noted_signal()
        return number == 0 ? nil : number
    }

    /// From here on, these signals are noted and interrupt system calls of this thread. A signal that is ignored
    /// already, as under nohup(1), stays ignored.
    static func watch() {
        _ = watcher
        cprocess_note_signals()
    }

    private static let watcher = pthread_self()

    /// Whether signals interrupt system calls of this thread. The threads of the library's pool block all signals.
    static var comesHere: Bool { pthread_equal(watcher, pthread_self()) != 0 }

    /// For progress handlers, which cancel by throwing.
    static func check() throws(CancellationError) {
        if signal != nil { throw CancellationError() }
    }
}
