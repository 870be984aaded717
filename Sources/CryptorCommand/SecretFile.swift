import CryptorFormat

/// Small files that hold a secret.
enum SecretFile {
    /// A larger file is no password or key file, but the wrong file.
    static let maximumByteCount = 64 * 1024

    static func read(path: Word, inputIsStandardInput: Bool) throws(CommandError) -> [UInt8] {
        if path == "-" {
            return try read(
                descriptor: STDIN_FILENO, "standard input", inputIsStandardInput: inputIsStandardInput)
        }
        let result: Result<[UInt8], CommandError>
        do throws(CryptorError) {
            result = try PrivateFile.reading(
                .pathBytes(path.bytes), progress: { _ in try Interruption.check() }
            ) {
                descriptor in
                Result { () throws(CommandError) in
                    try read(descriptor: descriptor, path.shown, inputIsStandardInput: inputIsStandardInput)
                }
            }
        } catch {
            throw error.code == .cancelled ? .interrupted : CommandError(ExitStatus(error), error.description)
        }
        return try result.get()
    }

    static func read(
        descriptor: Int32, _ name: String, inputIsStandardInput: Bool
    ) throws(CommandError) -> [UInt8] {
        guard !inputIsStandardInput || !isStandardInput(descriptor) else {
            throw .secretIsData
        }
        guard isatty(descriptor) == 0 else {
            throw .usage(
                "\(name) is a terminal, which would show what is typed",
                hint: "A password is asked for without an option.")
        }
        // One allocation, so that no copy is left behind by growing.
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = readBytes(descriptor, into: &bytes, at: count)
            if received < 0, Interruption.signal == nil, errno == EINTR || errno == EAGAIN {
                if errno == EAGAIN { _ = isReady(descriptor, toRead: true, timeout: -1) }
                continue
            }
            guard received >= 0 else {
                let number = errno
                cleanse(&bytes)
                throw error(name, participle: "read", number: number)
            }
            if received == 0 { break }
            count += received
        }
        guard count < bytes.count else {
            cleanse(&bytes)
            throw CommandError(.malformed, "\(name): It has more than \(maximumByteCount) bytes: a wrong file?")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Whether this is descriptor 0, or the same file opened again as /dev/stdin or by its name.
    private static func isStandardInput(_ descriptor: Int32) -> Bool {
        guard descriptor != STDIN_FILENO else { return true }
        guard let one = status(of: descriptor), let other = status(of: STDIN_FILENO) else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    private static func error(_ name: String, participle: String, number: Int32) -> CommandError {
        Interruption.signal == nil
            ? CommandError(.noInput, "\(name): It cannot be \(participle): \(systemMessage(number)).") : .interrupted
    }

    /// Removes one newline, of Unix or of Windows, from the end.
    static func line(_ bytes: consuming [UInt8]) -> [UInt8] {
        var line = bytes
        if line.last == UInt8(ascii: "\n") {
            line.removeLast()
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
        }
        return line
    }
}
