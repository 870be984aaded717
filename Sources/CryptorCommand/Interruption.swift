import CryptorFiles

/// Turns Ctrl-C and similar signals into an orderly end: the signal is noted, and the work in
/// progress checks for it, throws and cleans up.
enum Interruption {
    /// The signal that came, or 0.
    static var signal: Int32 { cprocess_noted_signal() }

    /// A progress handler, which cancels by throwing.
    static func check(_ progress: FileProgress) throws {
        AttributeWarning.note(progress)
        if signal != 0 { throw CancellationError() }
    }
}
