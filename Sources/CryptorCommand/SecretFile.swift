/// Small files that hold a secret.
enum SecretFile {
    /// More than this is no password and no key file, but a wrong file.
    static let maximumByteCount = 64 * 1024

    static func read(path: String, inputIsStandardInput: Bool) throws(CommandError) -> [UInt8] {
        if path == "-" {
            return try read(
                descriptor: STDIN_FILENO, "standard input", inputIsStandardInput: inputIsStandardInput)
        }
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw CommandError(.noInput, "\(path): It cannot be opened: \(systemMessage(errno)).")
        }
        defer { _ = close(descriptor) }
        return try read(descriptor: descriptor, path, inputIsStandardInput: inputIsStandardInput)
    }

    static func read(
        descriptor: Int32, _ name: String, inputIsStandardInput: Bool
    ) throws(CommandError) -> [UInt8] {
        guard descriptor != STDIN_FILENO || !inputIsStandardInput else {
            throw .usage("standard input is the data, so the secret cannot come from there as well")
        }
        // One allocation, so that no copy is left behind by growing.
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = readBytes(descriptor, into: &bytes, at: count)
            if received < 0 && errno == EINTR && Interruption.signal == nil { continue }
            guard received >= 0 else {
                defer { cleanse(&bytes) }
                throw CommandError(.noInput, "\(name): It cannot be read: \(systemMessage(errno)).")
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

    /// Without one newline at the end, of Unix or of Windows.
    static func line(_ bytes: consuming [UInt8]) -> [UInt8] {
        var line = bytes
        if line.last == UInt8(ascii: "\n") {
            line.removeLast()
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
        }
        return line
    }
}
