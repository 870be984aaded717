import CCryptorProcess

/// Ctrl-C and its kin, turned into an orderly end: the signal is noted, the work in progress asks, throws, and cleans up.
enum Interruption {
    /// The signal that came, if one did.
    static var signal: Int32? {
        let number = cprocess_noted_signal()
        return number == 0 ? nil : number
    }

    /// From here on these signals are noted, and interrupt the calls of this thread. One that is ignored, as nohup(1) has it,
    /// stays ignored.
    static func watch() {
        _ = watcher
        cprocess_note_signals()
    }

    private static let watcher = pthread_self()

    /// Whether signals interrupt the calls of this thread. Those of the library's pool have none.
    static var comesHere: Bool { pthread_equal(watcher, pthread_self()) != 0 }

    /// For progress handlers, which cancel by throwing.
    static func check() throws(CancellationError) {
        if signal != nil { throw CancellationError() }
    }
}
