import CryptorFiles
import CryptorPrimitives
import CryptorSystem
import Synchronization

/// Where the passwords and keys come from: the first writes, all read.
struct SecretSource {
    private enum Kind: String {
        case passwordFile = "password-file", passwordEnvironment = "password-env",
            passwordDescriptor = "password-fd"
        case keyFile = "key-file", emptyPassword = "empty-password"
    }

    /// - Parameter prefix: "new-" for the second secret of `rekey`, before the names of the
    ///   options.
    static func options(_ prefix: String = "") -> [Option] {
        let secret = prefix.isEmpty ? "" : "new "
        let several =
            prefix.isEmpty
            ? " May be given several times, and with the following: the first writes, all read."
            : ""
        let secrets: [(Kind, value: String?, help: String)] = [
            (
                .passwordFile, "FILE",
                "Read the \(secret)password from FILE, without one newline at its end.\(several)"
            ),
            (
                .passwordEnvironment, "NAME",
                "Read the \(secret)password from the environment variable NAME."
            ),
            (
                .passwordDescriptor, "N",
                "Read the \(secret)password from file descriptor N, like FILE."
            ),
            (
                .keyFile, "FILE",
                "Use the \(secret)keys in FILE: 128 hexadecimal digits, encryption key then HMAC key."
            ),
            (
                .emptyPassword, nil,
                "Use the empty password, under which anybody can read and forge messages."
            ),
        ]
        let iterations = Option(
            "\(prefix)iterations", value: "N",
            "Derive keys from each \(secret)password with N iterations, 10000 or more to write. Messages do not contain N: "
                + "their readers have to know it.")
        return secrets.map { kind, value, help in
            Option(prefix + kind.rawValue, value: value, isRepeatable: true, help)
        } + [iterations]
    }

    private let prefix: String
    /// Whether the secret is a new one. A prompt then asks twice, since nothing else would notice a
    /// mistake.
    var isNew: Bool
    /// The options and their values, and the file or descriptor that each secret is read from, if
    /// it is from one.
    private var given: [(kind: Kind, value: Word, file: FileEndpoint?)] = []
    private let iterations: Int
    private let triesShortenedReadings: Bool

    /// The files and descriptors that the secrets are read from.
    var files: [FileEndpoint] { given.compactMap(\.file) }

    /// Whether the user is asked for the secret on the terminal.
    var isTyped: Bool { given.isEmpty }

    /// For each secret whether it is a password, not a pair of keys. None is read for that.
    var arePasswords: [Bool] { isTyped ? [true] : given.map { $0.kind != .keyFile } }

    /// - Parameters:
    ///   - isNew: whether the secret is a new one. A prompt then asks twice, since nothing else
    ///     would notice a mistake.
    ///   - beside: what other secrets are read from.
    init(_ arguments: Arguments, _ prefix: String = "", isNew: Bool, beside: [FileEndpoint] = [])
        throws(CommandError)
    {
        self.prefix = prefix
        self.isNew = isNew
        triesShortenedReadings = prefix.isEmpty && arguments.contains("accept-shortened-passwords")
        try arguments.allowOne(of: "\(prefix)empty-password", "\(prefix)iterations")
        iterations = try arguments.number("\(prefix)iterations") ?? Credential.standardIterations
        for (name, value) in arguments.options where name.hasPrefix(prefix) {
            guard let kind = Kind(rawValue: String(name.dropFirst(prefix.count))) else { continue }
            var file: FileEndpoint?
            switch kind {
            case .passwordDescriptor:
                guard let descriptor = Int32(value.text), descriptor >= 0 else {
                    throw .usage("--\(name) takes the number of a file descriptor")
                }
                file = .descriptor(descriptor)
            case .passwordFile, .keyFile: file = value.file(dash: .standardInput)
            case .passwordEnvironment, .emptyPassword: break
            }
            if let descriptor = file?.descriptor,
                (beside + files).contains(where: { $0.descriptor == descriptor })
            {
                throw .usage(
                    "two options read their secrets from \(FileEndpoint.descriptor(descriptor))")
            }
            given.append((kind, value, file))
        }
    }

    /// Reads the secrets, or asks for one, and makes a keyring if there are several.
    func credential() throws(CommandError) -> Credential { try Self.keyring(credentials()) }

    static func keyring(_ credentials: [Credential]) throws(CommandError) -> Credential {
        try commandError(
            try .keyring(primary: credentials[0], previous: Array(credentials.dropFirst())))
    }

    /// What the user calls each secret that an option names, in the order of ``credentials()``.
    var names: [String] { given.map { "--\(prefix)\($0.kind.rawValue) \($0.value.shown)" } }

    /// The secrets, and after them the shortened readings that are tried as well. At least one.
    func credentials() throws(CommandError) -> [Credential] {
        var credentials: [Credential] = []
        for (kind, value, file) in given {
            credentials.append(try credential(kind, value, from: file))
        }
        if isTyped { credentials.append(try password(typedPassword())) }
        if triesShortenedReadings { credentials += credentials.flatMap(\.shortenedReadings) }
        return credentials
    }

    private func credential(_ kind: Kind, _ value: Word, from file: FileEndpoint?)
        throws(CommandError) -> Credential
    {
        if kind == .emptyPassword { return .emptyPassword }
        let option = "--\(prefix)\(kind.rawValue)"
        guard let file else {
            let name = value.bytes.map { CChar(bitPattern: $0) } + [0]
            // The error does not quote the name: the user may have given the password itself.
            guard let text = unsafe getenv(name) else {
                throw .usage("the environment variable that \(option) names is not set")
            }
            return try password(
                unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
        }
        var text = try read(file, option)
        if file.isReadableByOthers {
            let secret = kind == .keyFile ? "these keys" : "this password"
            Report.complain(
                "warning", "\(file): Other users may read \(secret). 'chmod 600' forbids it.")
        }
        guard kind == .keyFile else {
            PrivateFile.removeNewline(from: &text)
            if text.contains(UInt8(ascii: "\n")) { Self.warnOfLines(in: file) }
            return try password(consume text, of: file)
        }
        defer { cleanse(&text) }
        do throws(CryptorError) { return .keys(try KeyPair(hexadecimal: text)) } catch {
            throw CommandError(
                .malformed, "\(file): \(error.whatHappened)",
                hint: "--password-file reads a password.")
        }
    }

    private static let hasWarnedOfLines = Atomic<Bool>(false)

    /// The password stays all of its bytes, as the messages need that were written with such a
    /// file. But whoever gives the file to another program as well is told, once a run.
    private static func warnOfLines(in file: FileEndpoint) {
        guard !hasWarnedOfLines.exchange(true, ordering: .relaxed) else { return }
        Report.complain(
            "warning",
            "\(file): It has several lines, and the password is all of them. Programs such as openssl "
                + "and gpg take only the first line.")
    }

    private func password(_ bytes: consuming [UInt8], of file: FileEndpoint? = nil)
        throws(CommandError) -> Credential
    {
        defer { cleanse(&bytes) }
        do throws(CryptorError) { return try .password(utf8: bytes, iterations: iterations) } catch
        {
            // What is encrypted under an empty password is open to everybody, so that is no advice
            // for writing.
            let advice =
                isNew
                ? "Without an option for it, you are asked for a password, or have one made."
                : "--\(prefix)empty-password uses the empty one."
            let hint = bytes.contains { $0 != 0 } ? nil : advice
            throw CommandError(
                .usage, "\(file.map { "\($0): " } ?? "")\(error.whatHappened)", hint: hint)
        }
    }

    /// Reads a small file that holds a secret. The caller cleanses it.
    private func read(_ file: FileEndpoint, _ option: String) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8]
        do throws(CryptorError) {
            bytes = try file.firstBytes(isSecret: true, progress: Interruption.check)
        } catch {
            // The user may have given the secret itself: what is no name of a file is not shown.
            let exists = ![ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.systemErrorNumber)
            throw exists
                ? CommandError(error)
                : CommandError(.noInput, "the file that \(option) names does not exist")
        }
        guard bytes.count <= PrivateFile.maximumByteCount else {
            cleanse(&bytes)
            throw CommandError(
                .malformed,
                "\(file): It has over \(PrivateFile.maximumByteCount) bytes: a wrong file?")
        }
        return bytes
    }

    // MARK: The prompt

    /// The caller cleanses it.
    private func typedPassword() throws(CommandError) -> [UInt8] {
        let name = prefix.isEmpty ? "Password" : "New password"
        guard isNew else { return try readLine("\(name): ") }
        var password = try readLine("\(name) (leave it empty to have one made): ")
        if password.isEmpty {
            let made = try commandError(try Cryptor.generatePassword())
            _ = try readLine(
                "The password is \(made)\nNothing else opens the message. Press Return once it is kept: "
            )
            return Array(made.utf8)
        }
        // The format does little against somebody who guesses a shorter one.
        if password.count < 12 {
            Report.complain(
                "warning",
                "The password is short: whoever has the file can find it by trying. A few random words are better."
            )
        }
        defer { cleanse(&password) }
        var again = try readLine("Repeat the password: ")
        guard again == password else {
            cleanse(&again)
            throw .usage("the two passwords differ", hint: "Try again.")
        }
        return again
    }

    /// Shows `prompt` on the terminal and reads a line that is not shown.
    private func readLine(_ prompt: String) throws(CommandError) -> [UInt8] {
        // A terminal silently drops the rest of a line of 4095 bytes or more (N_TTY_BUF_SIZE,
        // termios(3)).
        var line = [UInt8](repeating: 0, count: 4095)
        var count = 0
        let number = unsafe cprocess_read_secret(prompt, &line, line.count, &count)
        switch number {
        case 0:
            line.removeLast(line.count - count)
            return line
        case -1:
            let options = Self.options(prefix).prefix(4).map { "--\($0.name)" }.joined(
                separator: ", ")
            throw .usage(
                "no \(prefix.isEmpty ? "" : "new ")password was given, and there is no terminal to ask for one",
                hint: "Use \(options).")
        case EMSGSIZE:
            throw CommandError(
                .malformed,
                "the password is longer than what a terminal passes on: use --password-file")
        default:
            throw Interruption.signal == 0
                ? CommandError(.inputOutput, "the terminal: \(SystemError(number: number)).")
                : .interrupted
        }
    }
}
