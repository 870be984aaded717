import CCryptorProcess

/// The terminal of this process, for prompts: not standard input, which may be data.
struct Terminal: ~Copyable {
    private let descriptor: Int32

    /// Nil if the process has no terminal.
    init?() {
        // The terminal is opened anew, so that O_NONBLOCK does not affect reads and writes of other processes.
        let descriptor = openFile(Array("/dev/tty".utf8), O_RDWR | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    func show(_ text: String) throws(CommandError) {
        if let number = writeAll(Array(text.utf8), to: descriptor) { throw Self.error(number) }
    }

    /// Shows `prompt` and reads a line that is not shown. The echo is on again afterwards in any case, and while the
    /// process is stopped.
    func readSecret(_ prompt: String) throws(CommandError) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: SecretFile.maximumByteCount + 1)
        var count = 0
        let number = readHiddenLine(descriptor, prompt, into: &line, count: &count)
        guard number == 0 else {
            throw number == EMSGSIZE
                ? CommandError(.malformed, "the password is longer than what a terminal passes on: use --password-file")
                : Self.error(number)
        }
        line.removeLast(line.count - count)
        return line
    }

    private static func error(_ number: Int32) -> CommandError {
        Interruption.signal == nil
            ? CommandError(.inputOutput, "the terminal: \(systemMessage(number)).") : .interrupted
    }
}

/// Shows a prompt on the terminal and reads a line without showing it, with `cprocess_read_secret` of CCryptorProcess.
private func readHiddenLine(_ terminal: Int32, _ prompt: String, into line: inout [UInt8], count: inout Int) -> Int32 {
    unsafe line.withUnsafeMutableBufferPointer { buffer in
        unsafe cprocess_read_secret(terminal, prompt, buffer.baseAddress, buffer.count, &count)
    }
}
