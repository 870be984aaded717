/// The terminal of this process, for prompts: not standard input, which may be data.
struct Terminal: ~Copyable {
    private let descriptor: Int32

    /// Nil if the process has no terminal.
    init?() {
        let descriptor = openFile("/dev/tty", O_RDWR)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    func show(_ text: String) throws(CommandError) {
        guard writeAll(text, to: descriptor) else {
            throw CommandError(.inputOutput, "the terminal: \(systemMessage(errno)).")
        }
    }

    /// Shows `prompt` and reads a line that is not shown, at most `maximum` bytes without its newline. The echo comes
    /// back in any case: signals that end the process only interrupt the reading (``Interruption``).
    func readSecret(_ prompt: String, maximum: Int) throws(CommandError) -> [UInt8] {
        guard let echo = EchoGuard(silencing: descriptor), writeAll(prompt, to: descriptor) else {
            throw CommandError(.inputOutput, "the terminal: \(systemMessage(errno)).")
        }
        defer {
            echo.restore()
            _ = writeAll("\n", to: descriptor)
        }
        var line: [UInt8] = []
        line.reserveCapacity(maximum)
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR && Interruption.signal == nil { continue }
            if Interruption.signal != nil {
                cleanse(&line)
                throw .interrupted
            }
            guard count >= 0 else { throw CommandError(.inputOutput, "the terminal: \(systemMessage(errno)).") }
            guard count == 1, byte != UInt8(ascii: "\n") else { return line }
            guard line.count < maximum else {
                cleanse(&line)
                throw CommandError(.malformed, "the password has more than \(maximum) bytes")
            }
            line.append(byte)
        }
    }
}

/// Switches a terminal's echo off, and on again.
private struct EchoGuard {
    private let descriptor: Int32
    private let original: termios

    /// Nil if the terminal refuses.
    init?(silencing descriptor: Int32) {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        self.original = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else { return nil }
    }

    func restore() {
        var settings = original
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    }
}
