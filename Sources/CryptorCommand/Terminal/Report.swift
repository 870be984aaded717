import CryptorFiles
import CryptorSystem
import Synchronization

/// Writes results to standard output and complaints to standard error, where it also shows a line
/// of progress, which the next output replaces.
///
/// Names are quoted where they are put into a text (``Word/shown``). If a control character is left
/// in a text, from a message of the system or of OpenSSL, it is escaped.
enum Report {
    static func tell(_ text: String) throws(CommandError) {
        try write(Array(withoutControls(text, keepingNewlines: true).utf8))
    }

    /// Writes sentences, whose lines end between words if standard output is a terminal.
    static func tell(sentences: String) throws(CommandError) {
        let columns = terminalColumns(STDOUT_FILENO)
        try tell(columns.map { Layout.wrapped(sentences, $0, hanging: 2) } ?? sentences)
    }

    /// Writes to standard output.
    /// - Parameter isKey: whether it must be on the disk, if it is a file, before anything that
    ///   needs it.
    static func write(_ bytes: [UInt8], isKey: Bool = false) throws(CommandError) {
        clearPassing()
        do throws(SystemError) {
            try write(bytes, to: STDOUT_FILENO)
            if isKey { try FileDescriptor(borrowing: STDOUT_FILENO).synchronize() }
        } catch {
            guard Interruption.signal == 0 else { throw .interrupted(writingTo: .standardOutput) }
            var failure = CommandError(
                .inputOutput, "standard output: It cannot be written: \(error).")
            failure.isSilent = error.number == EPIPE
            throw failure
        }
    }

    private static let isQuietNow = Atomic<Bool>(false)

    /// Whether `--quiet` is given, so that no note and no hint is written.
    static var isQuiet: Bool {
        get { isQuietNow.load(ordering: .relaxed) }
        set { isQuietNow.store(newValue, ordering: .relaxed) }
    }

    static func complain(_ error: CommandError) {
        if error.isSilent || error.message.isEmpty { return }
        complain("error", error.message)
        if let hint = error.hint { complain("hint", hint) }
    }

    static func complain(_ kind: String, _ text: String) {
        if isQuiet, ["note", "hint"].contains(kind) { return }
        clearPassing()
        let start = "rncryptor: \(kind): "
        // A hint has lines of its own. Any other newline would begin a line that nobody wrote.
        var line = start + withoutControls(text, keepingNewlines: kind == "hint")
        line.replace("\n", with: "\n" + String(repeating: " ", count: start.count))
        if let columns = terminalColumns(STDERR_FILENO) {
            line = Layout.wrapped(line, columns, hanging: 2)
        }
        try? write(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes a note for a program, which is an object of JSON.
    static func note(json object: String) {
        if isQuiet { return }
        clearPassing()
        try? write(Array("\(object)\n".utf8), to: STDERR_FILENO)
    }

    /// After a signal, this writes nothing to standard output, and no more to standard error than
    /// it takes at once.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        let file = FileDescriptor(borrowing: descriptor)
        var count = 0
        while count < bytes.count {
            if Interruption.signal != 0 {
                guard descriptor == STDERR_FILENO, isReady(file) else { throw .interrupted }
            }
            do throws(SystemError) {
                count += try file.write(bytes[count...])
            } catch .wouldBlock {
                // Whatever ends the wait, the next write tells how it is.
                _ = try? file.wait(forReading: false, milliseconds: -1)
            } catch .interrupted {
                continue
            }
        }
    }

    private static func isReady(_ file: borrowing FileDescriptor) -> Bool {
        (try? file.wait(forReading: false, milliseconds: 0)) ?? false
    }

    // MARK: The passing line

    private static let isPassingLineShown = Atomic<Bool>(false)

    /// Shows a line on standard error until something else is written. It is left out if this would
    /// have to wait, as at a terminal that is held by Ctrl-S.
    static func showPassing(_ line: String) {
        guard isReady(FileDescriptor(borrowing: STDERR_FILENO)) else { return }
        isPassingLineShown.store(true, ordering: .relaxed)
        try? write(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
    }

    static func clearPassing() {
        guard isPassingLineShown.exchange(false, ordering: .relaxed) else { return }
        try? write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }

    // MARK: Control characters

    /// The text with its control characters escaped, since a terminal would obey them.
    private static func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isKept = scalar == "\n" && keepingNewlines
            if isKept || scalar.properties.generalCategory != .control {
                result.unicodeScalars.append(scalar)
            } else {
                for byte in scalar.utf8 { result += "\\x\(byte.hexadecimal)" }
            }
        }
        return result
    }
}
