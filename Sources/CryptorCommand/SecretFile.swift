import CryptorFormat

/// Small files that hold a secret.
enum SecretFile {
    /// A larger file is no password or key file, but the wrong file.
    static let maximumByteCount = 64 * 1024

    static func read(_ file: FileEndpoint) throws(CommandError) -> [UInt8] {
        if let descriptor = file.descriptor { return try read(descriptor, file) }
        let result: Result<[UInt8], CommandError>
        do throws(CryptorError) {
            result = try PrivateFile.reading(file, progress: { _ in try Interruption.check() }) { descriptor in
                Result { () throws(CommandError) in try read(descriptor, file) }
            }
        } catch {
            throw error.code == .cancelled ? .interrupted : CommandError(ExitStatus(error), error.description)
        }
        return try result.get()
    }

    private static func read(_ descriptor: Int32, _ file: FileEndpoint) throws(CommandError) -> [UInt8] {
        guard isatty(descriptor) == 0 else {
            throw .usage(
                "\(file) is a terminal, which would show what is typed",
                hint: "A password is asked for without an option.")
        }
        // One allocation, so that no copy is left behind by growing.
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = readBytes(descriptor, into: &bytes, at: count)
            guard received >= 0 else {
                let number = errno
                cleanse(&bytes)
                throw .unreadable(file, number, status: .noInput)
            }
            if received == 0 { break }
            count += received
        }
        guard count < bytes.count else {
            cleanse(&bytes)
            throw CommandError(.malformed, "\(file): It has more than \(maximumByteCount) bytes: a wrong file?")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
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
