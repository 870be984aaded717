/// What the command says: results to standard output, complaints to standard error.
enum Report {
    static func tell(_ text: String) throws(CommandError) {
        guard writeAll(text, to: STDOUT_FILENO) else {
            throw CommandError(.inputOutput, "standard output: It cannot be written: \(systemMessage(errno)).")
        }
    }

    static func complain(_ error: CommandError) {
        var text = "rncryptor: error: \(error.message)\n"
        if let hint = error.hint { text += "rncryptor: hint: \(hint)\n" }
        // One call, so that the words of two threads do not mix.
        _ = writeAll(text, to: STDERR_FILENO)
    }
}

/// Writes all of `text`, or says that it could not.
func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    writeAll(Array(text.utf8), to: descriptor)
}

/// Writes all of `bytes`, or says that it could not, with the reason in `errno`: after a signal, EINTR instead of a wait.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR && Interruption.signal == nil { continue }
        if count < 0 && errno == EAGAIN {
            guard Interruption.signal == nil else { return false }
            waitUntilReady(descriptor, toRead: false)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
