import CCryptorProcess
import CryptorFiles

/// Where the password or the keys come from.
struct SecretSource {
    /// Which secret it is: `rekey` has two, and the options of the second one start with "new-".
    enum Role: String {
        case current = ""
        case new = "new "

        var prefix: String { self == .new ? "new-" : "" }
    }

    static func options(_ role: Role = .current, isNew: Bool) -> [Option] {
        let (secret, prefix) = (role.rawValue, role.prefix)
        let options = [
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
        guard isNew else { return options }
        return options + [
            Option(
                "generate-password",
                "Make a \(secret)password of 150 random bits, show it on the terminal and use it.")
        ]
    }

    private let arguments: Arguments
    private let role: Role
    private let isNew: Bool
    /// The file or descriptor that the secret is read from; nil if it comes from elsewhere.
    let file: FileEndpoint?
    /// Whether the user is asked for the secret on the terminal.
    let isTyped: Bool

    /// - Parameter isNew: whether the secret is a new one. The subcommand then has an option to generate a password,
    ///   and a prompt asks twice, since nothing else would notice a typing error.
    init(_ arguments: Arguments, _ role: Role = .current, isNew: Bool) throws(CommandError) {
        isTyped = try arguments.onlyOne(of: Self.options(role, isNew: isNew)) == nil
        self.arguments = arguments
        self.role = role
        self.isNew = isNew
        if let number = arguments["\(role.prefix)password-fd"] {
            guard let descriptor = Int32(String(decoding: number.bytes, as: UTF8.self)), descriptor >= 0 else {
                throw .usage("--\(role.prefix)password-fd takes the number of a file descriptor")
            }
            file = .descriptor(descriptor)
        } else {
            let name = arguments["\(role.prefix)key-file"] ?? arguments["\(role.prefix)password-file"]
            file = name?.file(dash: .standardInput)
        }
    }

    /// Throws if both secrets are read from one stream, of which the first would take all.
    static func refuseSharedStream(_ first: SecretSource, _ second: SecretSource) throws(CommandError) {
        guard let file = first.file, let other = second.file, other.isStream else { return }
        guard file != other, file.status == nil || file.status?.identity != other.status?.identity else {
            throw .usage("both secrets would be read from \(other)", hint: "Give each of them a file of its own.")
        }
    }

    /// Whether a password is generated. The option has no prefix, since only the new one of two secrets can be meant.
    var isGenerated: Bool { isNew && arguments.contains("generate-password") }

    /// What was given or typed, and what may be wrong with it.
    struct Secret {
        let credential: Credential
        /// A hint that is given if the credential turns out to be wrong.
        let doubt: String?
    }

    /// Does `work` with the secret. If it was typed wrongly, the user is asked again, twice at most.
    /// - Parameter mayRepeat: whether `work` can be done again after it has failed.
    func withSecret(mayRepeat: Bool, _ work: (Secret) throws(CommandError) -> Void) throws(CommandError) {
        for _ in 0..<(mayRepeat && isTyped ? 2 : 0) {
            do throws(CommandError) { return try work(try secret()) } catch {
                guard error.isOfSecret else { throw error }
                Report.complain(error)
            }
        }
        try work(try secret())
    }

    func secret() throws(CommandError) -> Secret {
        if let file, option("key-file") != nil {
            var text = try SecretFile.read(file)
            defer { cleanse(&text) }
            return Secret(credential: try KeyFile.credential(text, file), doubt: nil)
        }
        var password = try password()
        defer { cleanse(&password) }
        let credential = try commandError { () throws(CryptorError) in try Credential.password(utf8: password) }
        return Secret(credential: credential, doubt: doubt(password))
    }

    /// A hint at bytes that an editor or a shell may have added to the password. It reveals no other byte of it.
    private func doubt(_ password: [UInt8]) -> String? {
        if password.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "The password begins with a byte order mark (EF BB BF), as some editors write it before a text."
        }
        guard let last = password.last, [UInt8](" \t\r\n".utf8).contains(last) else { return nil }
        let newline = option("password-env") == nil ? "; only a last newline is not part of it" : ""
        return "The password ends in white space\(newline)."
    }

    private func option(_ name: String) -> Word? { arguments[role.prefix + name] }

    private func password() throws(CommandError) -> [UInt8] {
        if let file { return SecretFile.withoutNewline(try SecretFile.read(file)) }
        if let name = option("password-env") {
            // The error does not quote the name: the user may have given the password itself.
            guard let value = environmentValue(name.bytes) else {
                throw .usage("the environment variable that --\(role.prefix)password-env names is not set")
            }
            return value
        }
        guard let terminal = Terminal() else {
            let options = ["password-file", "password-env", "password-fd", "key-file"].map { "--\(role.prefix)\($0)" }
            throw .usage(
                isGenerated
                    ? "there is no terminal to show the new password on"
                    : "no \(role.rawValue)password was given, and there is no terminal to ask for one",
                hint: "Use \(options.joined(separator: ", ")).")
        }
        if isGenerated {
            let password = try commandError(Cryptor.generatePassword)
            try terminal.show("The password is \(password)\nKeep it: nobody can decrypt without it.\n")
            return Array(password.utf8)
        }
        var password = try terminal.readSecret(role == .new ? "New password: " : "Password: ")
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

    func show(_ text: String) throws(CommandError) {
        if let number = writeAll(Array(text.utf8), to: descriptor) { throw Self.error(number) }
    }

    /// Shows `prompt` and reads a line that is not shown. The echo is on again afterwards in any case, and while the
    /// process is stopped.
    func readSecret(_ prompt: String) throws(CommandError) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: SecretFile.maximumByteCount + 1)
        var count = 0
        let number = unsafe line.withUnsafeMutableBufferPointer { buffer in
            unsafe cprocess_read_secret(descriptor, prompt, buffer.baseAddress, buffer.count, &count)
        }
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
