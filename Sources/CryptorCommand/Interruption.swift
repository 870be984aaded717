import Synchronization

/// Ctrl-C and its kin, turned into an orderly end: the signal is noted, the work in progress asks, throws, and cleans up.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private static let noted = Atomic<Int32>(0)

    /// The signal that came, if one did.
    static var signal: Int32? {
        let number = noted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// From here on these signals are noted. One that is ignored, as nohup(1) has it, stays ignored.
    static func watch() {
        for number in signals where !isIgnored(number) { handle(number) { Interruption.note($0) } }
        handle(SIGALRM) { Interruption.again($0) }
        unblock(signals + [SIGALRM])
    }

    // The handlers call only what signal-safety(7) allows.

    private static func note(_ number: Int32) {
        noted.store(number, ordering: .relaxed)
        // A call of the system that began just before the signal came would not return: an alarm interrupts it.
        _ = alarm(1)
    }

    private static func again(_ number: Int32) {
        _ = alarm(1)
    }

    /// Thrown by a progress handler to cancel.
    struct Noted: Error {}

    static func check() throws(Noted) {
        if signal != nil { throw Noted() }
    }
}
