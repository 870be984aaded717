import CryptorFormat

/// Where the password or the keys come from.
struct SecretSource {
    /// Which secret it is: `rekey` has two, and the options of the second one start with "new-".
    enum Role: Sendable {
        case current, new

        var prefix: String { self == .new ? "new-" : "" }
        var prompt: String { self == .new ? "New password: " : "Password: " }
    }

    static func options(_ role: Role = .current, isNew: Bool) -> [Option] {
        let password = role == .new ? "new password" : "password"
        let keys = role == .new ? "new keys" : "keys"
        let options = [
            Option(
                "\(role.prefix)password-file", value: "FILE",
                "Read the \(password) from FILE; one newline at its end is not part of it."),
            Option(
                "\(role.prefix)password-env", value: "NAME",
                "Read the \(password) from the environment variable NAME."),
            Option(
                "\(role.prefix)password-fd", value: "N",
                "Read the \(password) from file descriptor N; one newline at its end is not part of it."),
            Option(
                "\(role.prefix)key-file", value: "FILE",
                "Use the \(keys) in FILE, and no password: 128 hexadecimal digits, encryption key then HMAC key."),
        ]
        let generator = Option(
            "generate-password",
            "Make a \(password) of 150 random bits, show it on the terminal and use it.")
        return isNew ? options + [generator] : options
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
        guard file != other, file.fileIdentity == nil || file.fileIdentity != other.fileIdentity else {
            throw .usage("both secrets would be read from \(other)", hint: "Give each of them a file of its own.")
        }
    }

    func credential() throws(CommandError) -> Credential { try secret().credential }

    /// What was given or typed, and what may be wrong with it.
    struct Secret {
        let credential: Credential
        /// A hint that is given if the credential turns out to be wrong.
        let doubt: String?
    }

    /// Whether the secret is a pair of keys and not a password.
    var isKeys: Bool { option("key-file") != nil }

    /// Whether a password is generated. The option has no prefix, since only the new one of two secrets can be meant.
    var isGenerated: Bool { isNew && arguments.contains("generate-password") }

    /// Does `work` with the secret. If it was typed wrongly, the user is asked again, twice at most.
    /// - Parameter mayRepeat: whether `work` can be done again after it has failed.
    func withSecret(
        mayRepeat: Bool, _ work: (Secret) throws(CommandError) -> Void
    ) throws(CommandError) {
        for _ in 0..<(mayRepeat && isTyped ? 2 : 0) {
            do throws(CommandError) { return try work(try secret()) } catch {
                guard error.isOfSecret else { throw error }
                Report.complain(error)
            }
        }
        try work(try secret())
    }

    private func secret() throws(CommandError) -> Secret {
        if isKeys, let file {
            var text = try SecretFile.read(file)
            defer { cleanse(&text) }
            return Secret(credential: try KeyFile.credential(text, file), doubt: nil)
        }
        var password = try password()
        defer { cleanse(&password) }
        do throws(CryptorError) {
            return Secret(credential: try .password(utf8: password), doubt: doubt(password))
        } catch {
            throw CommandError(error)
        }
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
        if let file { return SecretFile.line(try SecretFile.read(file)) }
        if let name = option("password-env") {
            guard let value = environmentValue(name.bytes) else {
                // The error does not quote the name: the user may have given the password itself.
                throw .usage("the environment variable that --\(role.prefix)password-env names is not set")
            }
            return value
        }
        guard let terminal = Terminal() else {
            throw .usage(
                isGenerated
                    ? "there is no terminal to show the new password on"
                    : "no \(role == .new ? "new " : "")password was given, and there is no terminal to ask for one",
                hint: "Use "
                    + ["password-file", "password-env", "password-fd", "key-file"].map { "--\(role.prefix)\($0)" }
                    .joined(separator: ", ") + ".")
        }
        return isGenerated ? try generate(on: terminal) : try prompt(terminal)
    }

    private func prompt(_ terminal: borrowing Terminal) throws(CommandError) -> [UInt8] {
        var password = try terminal.readSecret(role.prompt)
        guard isNew, !password.isEmpty else { return password }
        do throws(CommandError) {
            var again = try terminal.readSecret("The same once more: ")
            defer { cleanse(&again) }
            guard again == password else { throw .usage("the two passwords differ", hint: "Try again.") }
        } catch {
            cleanse(&password)
            throw error
        }
        return password
    }

    private func generate(on terminal: borrowing Terminal) throws(CommandError) -> [UInt8] {
        let password: String
        do throws(CryptorError) { password = try Cryptor.generatePassword() } catch { throw CommandError(error) }
        try terminal.show("The password is \(password)\nKeep it: without it nobody can decrypt.\n")
        return Array(password.utf8)
    }
}
