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
        for line in error.details { text += "\(withoutControls(line, keepingNewlines: false))\n" }
        if let hint = error.hint { text += "rncryptor: hint: \(withoutControls(hint, keepingNewlines: true))\n" }
        // One call, so that the words of two threads do not mix.
        _ = writeAll(text, to: STDERR_FILENO, evenAfterSignal: true)
    }
}

/// The same text without anything that a terminal would obey.
func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
    let isHarmless = { (scalar: Unicode.Scalar) in
        scalar.properties.generalCategory != .control || keepingNewlines && scalar == "\n"
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    return text.unicodeScalars.map { isHarmless($0) ? String($0) : escaped(Array(String($0).utf8)) }.joined()
}

private func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { "\\x" + hexadecimal([$0]) }.joined()
}

/// Writes all of `text`, or says that it could not.
func writeAll(_ text: String, to descriptor: Int32, evenAfterSignal: Bool = false) -> Bool {
    writeAll(Array(text.utf8), to: descriptor, evenAfterSignal: evenAfterSignal)
}

/// Writes all of `bytes`, or says that it could not, with the reason in `errno`.
///
/// After a signal it waits for no reader: EINTR. One that comes meanwhile interrupts the waiting, on helper threads as well.
/// - Parameter evenAfterSignal: whether to go on after a signal as long as there is no need to wait.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, evenAfterSignal: Bool = false) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        var piece = rest
        if Interruption.signal != nil {
            guard evenAfterSignal, isReady(descriptor, toRead: false, timeout: 100) else {
                errno = EINTR
                return false
            }
            // A pipe that is ready has room for so many.
            piece = rest.prefix(Int(PIPE_BUF))
        }
        let count = unsafe piece.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        if count < 0 && errno == EAGAIN {
            _ = isReady(descriptor, toRead: false, timeout: 100)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
