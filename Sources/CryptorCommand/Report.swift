/// What the command says: results to standard output, complaints to standard error.
///
/// Names are quoted where they get into a text (``shown(_:)``). Should a control character be left in one, from the
/// system's or OpenSSL's words, it is shown and does nothing.
enum Report {
    static func tell(_ text: String) throws(CommandError) {
        try write(Array(withoutControls(text, keepingNewlines: true).utf8))
    }

    /// Writes to standard output.
    static func write(_ bytes: [UInt8]) throws(CommandError) {
        guard writeAll(bytes, to: STDOUT_FILENO) else {
            let number = errno
            throw Interruption.signal == nil
                ? CommandError.standardOutput(number) : .interrupted
        }
    }

    static func complain(_ error: CommandError) {
        var text = "rncryptor: error: \(withoutControls(error.message, keepingNewlines: false))\n"
        if let hint = error.hint { text += "rncryptor: hint: \(withoutControls(hint, keepingNewlines: true))\n" }
        // One call, so that the words of two threads do not mix.
        _ = writeAll(text, to: STDERR_FILENO, evenAfterSignal: true)
    }
}

/// Writes all of `text`, or says that it could not.
func writeAll(_ text: String, to descriptor: Int32, evenAfterSignal: Bool = false) -> Bool {
    writeAll(Array(text.utf8), to: descriptor, evenAfterSignal: evenAfterSignal)
}

/// Writes all of `bytes`, or says that it could not, with the reason in `errno`.
///
/// It does not wait for a reader after a signal, not even on a thread that gets none: EINTR.
/// - Parameter evenAfterSignal: whether to go on after a signal as long as there is no need to wait.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, evenAfterSignal: Bool = false) -> Bool {
    let output = Outlet(descriptor)
    var rest = bytes[...]
    while !rest.isEmpty {
        let isReady = isReady(output.descriptor, toRead: false, timeout: 100)
        guard Interruption.signal == nil || isReady && evenAfterSignal else {
            errno = EINTR
            return false
        }
        guard isReady else { continue }
        let piece = rest.prefix(output.byteLimit)
        let count = unsafe piece.withUnsafeBytes { unsafe write(output.descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        if count < 0 && errno == EAGAIN {
            // A terminal may say that it is ready, and have no room for a newline, which becomes two characters.
            _ = usleep(10_000)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

/// How to write to a descriptor without waiting, once it is ready.
private struct Outlet {
    let descriptor: Int32
    /// The most bytes to write at once.
    let byteLimit: Int

    private static let standardOutput = terminalWithoutWaiting(STDOUT_FILENO)
    private static let standardError = terminalWithoutWaiting(STDERR_FILENO)

    init(_ descriptor: Int32) {
        let status = status(of: descriptor)
        switch status.map({ $0.st_mode & S_IFMT }) {
        case S_IFREG:
            self.init(descriptor: descriptor, byteLimit: .max)
        case S_IFCHR where descriptor == STDOUT_FILENO:
            self.init(descriptor: Self.standardOutput, byteLimit: Int(PIPE_BUF))
        case S_IFCHR where descriptor == STDERR_FILENO:
            self.init(descriptor: Self.standardError, byteLimit: Int(PIPE_BUF))
        default:
            // What is ready has room for so many.
            self.init(descriptor: descriptor, byteLimit: Int(PIPE_BUF))
        }
    }

    private init(descriptor: Int32, byteLimit: Int) {
        self.descriptor = descriptor
        self.byteLimit = byteLimit
    }

    /// A terminal may be ready, and have room for a part. It is opened once more: the mode of the descriptor belongs to
    /// everybody who has it.
    private static func terminalWithoutWaiting(_ descriptor: Int32) -> Int32 {
        guard isatty(descriptor) == 1 else { return descriptor }
        let own = openFile(Array("/dev/fd/\(descriptor)".utf8), O_WRONLY | O_NONBLOCK | O_NOCTTY)
        return own < 0 ? descriptor : own
    }
}
