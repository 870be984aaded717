import CryptorFiles
import Synchronization

/// Writes results to standard output and complaints to standard error, where it also shows a line of progress, which
/// the next output replaces.
///
/// Names are quoted where they are put into a text (``Word/shown``). If a control character is left in a text, from a
/// message of the system or of OpenSSL, it is escaped.
enum Report {
    static func tell(_ text: String) throws(CommandError) {
        try write(Array(withoutControls(text, keepingNewlines: true).utf8))
    }

    /// Writes to standard output.
    static func write(_ bytes: [UInt8]) throws(CommandError) {
        clearPassing()
        if let number = writeAll(bytes, to: STDOUT_FILENO) { throw .unwritable(.standardOutput, number) }
    }

    static func complain(_ error: CommandError) {
        if error.isSilent || error.message.isEmpty { return }
        complain("error", error.message)
        if let hint = error.hint { complain("hint", hint) }
    }

    static func warn(_ text: String) { complain("warning", text) }

    static func note(_ text: String) { complain("note", text) }

    private static func complain(_ kind: String, _ text: String) {
        clearPassing()
        // A hint has lines of its own. Any other newline would begin a line that nobody wrote.
        var line = "rncryptor: \(kind): \(withoutControls(text, keepingNewlines: kind == "hint"))"
        if let columns = terminalColumns(STDERR_FILENO) { line = Layout.wrapped(line, columns, hanging: 2) }
        _ = writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO, evenAfterSignal: true)
    }

    // MARK: The passing line

    private static let isPassingLineShown = Atomic<Bool>(false)

    /// Shows a line on standard error until something else is written. It is left out if this would have to wait, as at
    /// a terminal that is held by Ctrl-S.
    static func showPassing(_ line: String) {
        guard isReady(STDERR_FILENO, toRead: false, timeout: 0) else { return }
        isPassingLineShown.store(true, ordering: .relaxed)
        _ = writeAll(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
    }

    /// Removes the line, if one is shown.
    static func clearPassing() {
        guard isPassingLineShown.exchange(false, ordering: .relaxed) else { return }
        _ = writeAll(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO, evenAfterSignal: true)
    }

    /// The text with its control characters escaped, since a terminal would obey them.
    private static func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
        let isHarmless = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory != .control || keepingNewlines && scalar == "\n"
        }
        guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
        return text.unicodeScalars.map { scalar in
            isHarmless(scalar) ? String(scalar) : scalar.utf8.map { "\\x" + $0.hexadecimal }.joined()
        }.joined()
    }
}
