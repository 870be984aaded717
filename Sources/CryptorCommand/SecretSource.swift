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

    /// The files and descriptors that the secrets of both roles are read from.
    static func files(_ arguments: Arguments) -> [FileEndpoint] {
        [Role.current, .new].flatMap { files(arguments, $0) }
    }

    private static func files(_ arguments: Arguments, _ role: Role) -> [FileEndpoint] {
        let files = ["password-file", "key-file"].compactMap { arguments[role.prefix + $0] }
            .map { $0.file(dash: .standardInput) }
        let number = arguments["\(role.prefix)password-fd"].flatMap { try? Int32($0.text) }
        return files + (number.map { [.descriptor($0)] } ?? [])
    }

    /// Throws if both roles read one stream, of which the first would take all.
    static func refuseSharedStream(_ arguments: Arguments) throws(CommandError) {
        for file in files(arguments, .new) where file.isStream {
            let isShared = files(arguments, .current).contains {
                $0 == file || $0.fileIdentity.map { $0 == file.fileIdentity } ?? false
            }
            guard isShared else { continue }
            throw .usage("both secrets would be read from \(file)", hint: "Give each of them a file of its own.")
        }
    }

    private let arguments: Arguments
    private let role: Role
    private let isNew: Bool
    /// Data comes from standard input, so no secret can.
    private let inputIsStandardInput: Bool

    /// - Parameter isNew: whether the secret is a new one. The subcommand then has an option to generate a password,
    ///   and a prompt asks twice, since nothing else would notice a typing error.
    init(
        _ arguments: Arguments, _ role: Role = .current, isNew: Bool, inputIsStandardInput: Bool
    ) throws(CommandError) {
        let given = Self.options(role, isNew: isNew).filter { arguments.contains($0.name) }
        guard given.count <= 1 else {
            throw .usage(given.map { "--\($0.name)" }.joined(separator: " and ") + " exclude each other: give one")
        }
        isTyped = given.isEmpty
        self.arguments = arguments
        self.role = role
        self.isNew = isNew
        self.inputIsStandardInput = inputIsStandardInput
    }

    func credential() throws(CommandError) -> Credential { try secret().credential }

    /// What was given or typed, and what may be wrong with it.
    struct Secret {
        let credential: Credential
        /// A hint that is given if the credential turns out to be wrong.
        let doubt: String?
    }

    /// Whether the user is asked for the secret on the terminal.
    let isTyped: Bool

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
        if let path = option("key-file") {
            var text = try SecretFile.read(path: path, inputIsStandardInput: inputIsStandardInput)
            defer { cleanse(&text) }
            return Secret(credential: try KeyFile.credential(text, path: path.shown), doubt: nil)
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
        if let path = option("password-file") {
            return SecretFile.line(try SecretFile.read(path: path, inputIsStandardInput: inputIsStandardInput))
        }
        if let name = option("password-env") {
            guard let value = environmentValue(name.bytes) else {
                // The error does not quote the name: the user may have given the password itself.
                throw .usage("the environment variable that --\(role.prefix)password-env names is not set")
            }
            return value
        }
        if let number = option("password-fd") {
            guard let descriptor = Int32(String(decoding: number.bytes, as: UTF8.self)), descriptor >= 0 else {
                throw .usage("--\(role.prefix)password-fd takes the number of a file descriptor")
            }
            return SecretFile.line(
                try SecretFile.read(
                    descriptor: descriptor, "file descriptor \(descriptor)", inputIsStandardInput: inputIsStandardInput)
            )
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
        var password = try terminal.readSecret(role.prompt, maximum: SecretFile.maximumByteCount)
        guard isNew, !password.isEmpty else { return password }
        do throws(CommandError) {
            var again = try terminal.readSecret("The same once more: ", maximum: SecretFile.maximumByteCount)
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
