import CCryptorProcess
import CryptorFiles

/// Where the password or the keys come from.
struct SecretSource {
    /// - Parameter prefix: "new-" for the second secret of `rekey`, before the names of the options.
    static func options(_ prefix: String = "") -> [Option] {
        let secret = prefix.isEmpty ? "" : "new "
        return [
            Option(
                "\(prefix)password-file", value: "FILE",
                "Read the \(secret)password from FILE; one newline at its end is not part of it."),
            Option(
                "\(prefix)password-env", value: "NAME",
                "Read the \(secret)password from the environment variable NAME."),
            Option(
                "\(prefix)password-fd", value: "N",
                "Read the \(secret)password from file descriptor N; one newline at its end is not part of it."),
            Option(
                "\(prefix)key-file", value: "FILE",
                "Use the \(secret)keys in FILE, and no password: 128 hexadecimal digits, encryption key then HMAC key."),
        ]
    }

    private let arguments: Arguments
    private let prefix: String
    private let isNew: Bool
    /// The file or descriptor that the secret is read from; nil if it comes from elsewhere.
    let file: FileEndpoint?
    /// Whether the user is asked for the secret on the terminal.
    let isTyped: Bool

    /// - Parameter isNew: whether the secret is a new one. A prompt then asks twice, since nothing else would notice a
    ///   typing error.
    init(_ arguments: Arguments, _ prefix: String = "", isNew: Bool) throws(CommandError) {
        isTyped = try arguments.onlyOne(of: Self.options(prefix)) == nil
        self.arguments = arguments
        self.prefix = prefix
        self.isNew = isNew
        if let number = arguments["\(prefix)password-fd"] {
            guard let descriptor = Int32(number.text), descriptor >= 0 else {
                throw .usage("--\(prefix)password-fd takes the number of a file descriptor")
            }
            file = .descriptor(descriptor)
        } else {
            let name = arguments["\(prefix)key-file"] ?? arguments["\(prefix)password-file"]
            file = name?.file(dash: .standardInput)
        }
    }

    /// Reads the secret, or asks for it.
    func credential() throws(CommandError) -> Credential {
        if let file, arguments.contains("\(prefix)key-file") {
            var text = try SecretFile.read(file)
            defer { cleanse(&text) }
            return try KeyFile.credential(text, file)
        }
        var password = try password()
        defer { cleanse(&password) }
        return try commandError { () throws(CryptorError) in try Credential.password(utf8: password) }
    }

    private func password() throws(CommandError) -> [UInt8] {
        if let file { return SecretFile.withoutNewline(try SecretFile.read(file)) }
        if let name = arguments["\(prefix)password-env"] {
            // The error does not quote the name: the user may have given the password itself.
            guard let value = environmentValue(name.bytes) else {
                throw .usage("the environment variable that --\(prefix)password-env names is not set")
            }
            return value
        }
        guard let terminal = Terminal() else {
            throw .usage(
                "no \(prefix.isEmpty ? "" : "new ")password was given, and there is no terminal to ask for one",
                hint: "Use \(Self.options(prefix).map { "--\($0.name)" }.joined(separator: ", ")).")
        }
        var password = try terminal.readSecret(prefix.isEmpty ? "Password: " : "New password: ")
        guard isNew, !password.isEmpty else { return password }
        do throws(CommandError) {
            var again = try terminal.readSecret("Repeat the password: ")
            defer { cleanse(&again) }
            guard again == password else { throw .usage("the two passwords differ", hint: "Try again.") }
        } catch {
            cleanse(&password)
            throw error
        }
        return password
    }
}

/// Small files that hold a secret.
private enum SecretFile {
    /// A larger file is no password or key file, but the wrong file.
    static let maximumByteCount = 64 * 1024

    static func read(_ file: FileEndpoint) throws(CommandError) -> [UInt8] {
        if let descriptor = file.descriptor { return try read(descriptor, file) }
        let result = try commandError { () throws(CryptorError) in
            try PrivateFile.reading(file, progress: { _ in try Interruption.check() }) { descriptor in
                Result { () throws(CommandError) in try read(descriptor, file) }
            }
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
    static func withoutNewline(_ bytes: consuming [UInt8]) -> [UInt8] {
        var line = bytes
        if line.last == UInt8(ascii: "\n") {
            line.removeLast()
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
        }
        return line
    }
}

/// The terminal of this process, for prompts: not standard input, which may be data.
private struct Terminal: ~Copyable {
    private let descriptor: Int32

    /// Nil if the process has no terminal.
    init?() {
        // The terminal is opened anew, so that O_NONBLOCK does not affect reads and writes of other processes.
        descriptor = openFile(Array("/dev/tty".utf8), O_RDWR | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 { return nil }
    }

    deinit { _ = close(descriptor) }

    /// Shows `prompt` and reads a line that is not shown. The echo is on again afterwards in any case, and while the
    /// process is stopped.
    func readSecret(_ prompt: String) throws(CommandError) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: SecretFile.maximumByteCount + 1)
        var count = 0
        let number = unsafe line.withUnsafeMutableBufferPointer { buffer in
            unsafe cprocess_read_secret(descriptor, prompt, buffer.baseAddress, buffer.count, &count)
        }
        guard number == 0 else {
            if number == EMSGSIZE {
                throw CommandError(
                    .malformed, "the password is longer than what a terminal passes on: use --password-file")
            }
            throw Interruption.signal == nil
                ? CommandError(.inputOutput, "the terminal: \(systemMessage(number)).") : .interrupted
        }
        line.removeLast(line.count - count)
        return line
    }
}
