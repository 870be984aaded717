import CCryptorProcess
import CryptorFiles

/// Where the passwords and keys come from: the first writes, all read.
struct SecretSource {
    /// - Parameter prefix: "new-" for the second secret of `rekey`, before the names of the options.
    static func options(_ prefix: String = "") -> [Option] {
        let secret = prefix.isEmpty ? "" : "new "
        return secrets(prefix) + [
            Option(
                "\(prefix)iterations", value: "N",
                "Derive keys from each \(secret)password with N iterations, and not 10000. Messages do not contain N: their "
                    + "readers have to know it.")
        ]
    }

    private static func secrets(_ prefix: String) -> [Option] {
        let secret = prefix.isEmpty ? "" : "new "
        let several =
            prefix.isEmpty ? " May be given several times, and with the following: the first writes, all read." : ""
        return [
            Option(
                "\(prefix)password-file", value: "FILE", repeatable: true,
                "Read the \(secret)password from FILE; one newline at its end is not part of it.\(several)"),
            Option(
                "\(prefix)password-env", value: "NAME", repeatable: true,
                "Read the \(secret)password from the environment variable NAME."),
            Option(
                "\(prefix)password-fd", value: "N", repeatable: true,
                "Read the \(secret)password from file descriptor N; one newline at its end is not part of it."),
            Option(
                "\(prefix)key-file", value: "FILE", repeatable: true,
                "Use the \(secret)keys in FILE: 128 hexadecimal digits, encryption key then HMAC key."),
            Option(
                "\(prefix)empty-password", repeatable: true,
                "Use the empty password, under which anybody can read and forge messages. Some programs do."),
        ]
    }

    /// One of the options, and its value.
    private struct Given {
        let name: String
        let value: Word
        /// The file or descriptor that the secret is read from; nil if it comes from elsewhere.
        let file: FileEndpoint?
    }

    private let prefix: String
    private let isNew: Bool
    private let given: [Given]
    private let iterations: Int
    private let triesShortenedReadings: Bool

    /// The files and descriptors that the secrets are read from.
    var files: [FileEndpoint?] { given.map(\.file) }

    /// Whether the user is asked for the secret on the terminal.
    var isTyped: Bool { given.isEmpty }

    /// - Parameter isNew: whether the secret is a new one. A prompt then asks twice, since nothing else would notice a
    ///   typing error.
    init(_ arguments: Arguments, _ prefix: String = "", isNew: Bool) throws(CommandError) {
        let names = Self.secrets(prefix).map(\.name)
        var given: [Given] = []
        for (name, value) in arguments.repeated where names.contains(name) {
            var file: FileEndpoint?
            switch name.dropFirst(prefix.count) {
            case "password-fd":
                guard let descriptor = Int32(value.text), descriptor >= 0 else {
                    throw .usage("--\(name) takes the number of a file descriptor")
                }
                file = .descriptor(descriptor)
            case "password-file", "key-file": file = value.file(dash: .standardInput)
            default: break
            }
            if let file, let number = file.descriptor, given.contains(where: { $0.file?.descriptor == number }) {
                throw .usage("two options read their secrets from \(file)")
            }
            given.append(Given(name: name, value: value, file: file))
        }
        if let word = arguments["\(prefix)iterations"] {
            guard let number = Int(word.text), number > 0 else {
                throw .usage("--\(prefix)iterations takes a number, such as 100000, not \(word.quoted)")
            }
            iterations = number
        } else {
            iterations = Credential.standardIterations
        }
        guard !given.contains(where: { $0.name.hasSuffix("empty-password") }) || arguments["\(prefix)iterations"] == nil
        else {
            throw .usage("--\(prefix)empty-password and --\(prefix)iterations cannot be used together")
        }
        self.prefix = prefix
        self.isNew = isNew
        self.given = given
        triesShortenedReadings = prefix.isEmpty && arguments.contains("accept-shortened-passwords")
    }

    /// Reads the secrets, or asks for one, and makes a keyring if there are several.
    func credential() throws(CommandError) -> Credential { try Self.keyring(credentials()) }

    static func keyring(_ credentials: [Credential]) throws(CommandError) -> Credential {
        do throws(CryptorError) {
            return try .keyring(primary: credentials[0], previous: Array(credentials.dropFirst()))
        } catch {
            throw .usage(error.whatHappened)
        }
    }

    /// The secrets, and after them the shortened readings that are tried as well. At least one.
    func credentials() throws(CommandError) -> [Credential] {
        var credentials: [Credential] = []
        for one in given { credentials.append(try credential(of: one)) }
        if given.isEmpty {
            var typed = try typedPassword()
            defer { cleanse(&typed) }
            credentials.append(try password(typed))
        }
        if triesShortenedReadings { credentials += credentials.flatMap(\.shortenedReadings) }
        return credentials
    }

    private func credential(of given: Given) throws(CommandError) -> Credential {
        switch given.name.dropFirst(prefix.count) {
        case "empty-password": return .emptyPassword
        case "password-env":
            // The error does not quote the name: the user may have given the password itself.
            guard var value = environmentValue(given.value.bytes) else {
                throw .usage("the environment variable that --\(given.name) names is not set")
            }
            defer { cleanse(&value) }
            return try password(value)
        default:
            guard let file = given.file else { preconditionFailure("the secret is in a file") }
            var text = try SecretFile.read(file)
            defer { cleanse(&text) }
            guard given.name.hasSuffix("key-file") else {
                SecretFile.removeNewline(from: &text)
                return try password(text)
            }
            if file.isReadableByOthers {
                Report.warn("\(file): Other users may read these keys. 'chmod 600' forbids it.")
            }
            do throws(CryptorError) {
                return .keys(try KeyPair(hexadecimal: text))
            } catch {
                throw CommandError(.malformed, "\(file): \(error.whatHappened)")
            }
        }
    }

    /// The caller cleanses `bytes`.
    private func password(_ bytes: [UInt8]) throws(CommandError) -> Credential {
        try commandError { () throws(CryptorError) in try Credential.password(utf8: bytes, iterations: iterations) }
    }

    /// Shorter passwords get a warning: the format does little against a guesser.
    private static let fewestBytes = 12

    /// The caller cleanses it.
    private func typedPassword() throws(CommandError) -> [UInt8] {
        guard let terminal = Terminal() else {
            throw .usage(
                "no \(prefix.isEmpty ? "" : "new ")password was given, and there is no terminal to ask for one",
                hint: "Use \(Self.secrets(prefix).dropLast().map { "--\($0.name)" }.joined(separator: ", ")).")
        }
        let name = prefix.isEmpty ? "Password" : "New password"
        guard isNew else { return try terminal.readSecret("\(name): ") }
        var password = try terminal.readSecret("\(name) (leave it empty to have one made): ")
        guard !password.isEmpty else { return try terminal.showGeneratedPassword() }
        if password.count < Self.fewestBytes {
            Report.warn(
                "The password is short: whoever has the file can find it by trying. A few random words are better.")
        }
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
    static func read(_ file: FileEndpoint) throws(CommandError) -> [UInt8] {
        guard !file.isTerminal else {
            throw .usage(
                "\(file) is a terminal, which would show what is typed",
                hint: "Without an option, you are asked for the password.")
        }
        var bytes = try commandError { () throws(CryptorError) in
            try PrivateFile.read(file) { _ in try Interruption.check() }
        }
        guard bytes.count <= PrivateFile.maximumByteCount else {
            cleanse(&bytes)
            throw CommandError(
                .malformed, "\(file): It has more than \(PrivateFile.maximumByteCount) bytes: a wrong file?")
        }
        return bytes
    }

    /// Removes one newline, of Unix or of Windows, from the end: in place, since nobody would cleanse a copy.
    static func removeNewline(from bytes: inout [UInt8]) {
        guard bytes.last == UInt8(ascii: "\n") else { return }
        bytes.removeLast()
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
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

    /// Makes a password and shows it. It must have been shown, or nobody could ever open the message.
    func showGeneratedPassword() throws(CommandError) -> [UInt8] {
        let password = try commandError(Cryptor.generatePassword)
        let text = "The password is \(password)\nKeep it: nothing else opens the message.\n"
        if let number = writeAll(Array(text.utf8), to: descriptor) {
            throw Interruption.signal == nil
                ? CommandError(.inputOutput, "the terminal: \(systemMessage(number)).") : .interrupted
        }
        return Array(password.utf8)
    }

    /// Shows `prompt` and reads a line that is not shown. The echo is on again afterwards in any case, and while the
    /// process is stopped.
    func readSecret(_ prompt: String) throws(CommandError) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: PrivateFile.maximumByteCount + 1)
        var count = 0
        let number = unsafe line.withUnsafeMutableBufferPointer { buffer in
            unsafe cprocess_read_secret(descriptor, prompt, buffer.baseAddress, buffer.count, &count)
        }
        guard number == 0 else {
            cleanse(&line)
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
