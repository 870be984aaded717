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

    /// Shows `prompt` and reads a line that is not shown, at most `maximum` bytes without its newline. The echo comes
    /// back in any case, also if the process is interrupted or terminated meanwhile.
    func readSecret(_ prompt: String, maximum: Int) throws(CommandError) -> [UInt8] {
        guard let guardian = EchoGuard(silencing: descriptor), writeAll(prompt, to: descriptor) else {
            throw CommandError(.inputOutput, "the terminal: \(systemMessage(errno)).")
        }
        defer {
            guardian.restore()
            _ = writeAll("\n", to: descriptor)
        }
        var line: [UInt8] = []
        line.reserveCapacity(maximum)
        while true {
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
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

/// Switches a terminal's echo off, and on again whatever happens.
private struct EchoGuard {
    private let descriptor: Int32
    private let original: termios
    private let previousHandlers: [(Int32, (@convention(c) (Int32) -> Void)?)]
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Nil if the terminal refuses.
    init?(silencing descriptor: Int32) {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        self.original = settings
        unsafe interruptedTerminal = (descriptor, settings)
        self.previousHandlers = Self.signals.map { ($0, signal($0, restoreEchoAndExit)) }
        settings.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else {
            restore()
            return nil
        }
    }

    func restore() {
        var settings = original
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
        for (number, handler) in previousHandlers { _ = signal(number, handler) }
        unsafe interruptedTerminal = nil
    }
}

/// What the signal handler restores. Written while no handler is installed, read by the handler.
nonisolated(unsafe) private var interruptedTerminal: (descriptor: Int32, settings: termios)?

/// Calls nothing that signal-safety(7) does not allow.
private func restoreEchoAndExit(_ number: Int32) {
    if var terminal = unsafe interruptedTerminal {
        _ = unsafe tcsetattr(terminal.descriptor, TCSAFLUSH, &terminal.settings)
        var newline = UInt8(ascii: "\n")
        _ = unsafe write(terminal.descriptor, &newline, 1)
    }
    _exit(128 + number)
}
