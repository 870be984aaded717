import CProcess

/// Ctrl-C and its kin, turned into an orderly end: the signal is noted, the work in progress asks, throws, and cleans up.
enum Interruption {
    /// The signal that came, if one did.
    static var signal: Int32? {
        let number = cprocess_noted_signal()
        return number == 0 ? nil : number
    }

    /// From here on these signals are noted. One that is ignored, as nohup(1) has it, stays ignored.
    static func watch() {
        cprocess_note_signals()
    }

    /// Thrown by a progress handler to cancel.
    struct Noted: Error {}

    static func check() throws(Noted) {
        if signal != nil { throw Noted() }
    }
}
