import CryptorFiles
import CryptorSystem
import Synchronization

/// Where the passwords and keys come from: the first writes, all read.
struct SecretSource {
    /// The options that name a secret, without their prefix.
    private enum Kind: String, CaseIterable {
        case passwordFile = "password-file"
        case passwordEnvironment = "password-env"
        case passwordDescriptor = "password-fd"
        case keyFile = "key-file"
        case emptyPassword = "empty-password"
    }

    /// A secret that an option names.
    private struct Given {
        let kind: Kind
        /// The option as the user knows it, with its dashes.
        let option: String
        let value: Word
        /// What the secret is read from; nil for an environment variable and the empty password.
        let file: FileEndpoint?
        /// Whether it is the one that writes.
        let isFirst: Bool
    }

    private let prefix: String
    /// Whether the secret is a new one. A prompt then asks twice, since nothing else would notice a
    /// mistake.
    var isNew: Bool
    /// Whether it opens messages that exist, so that a prompt makes none.
    var isInUse = false
    private var given: [Given] = []
    private let iterations: Int
    private let triesShortenedReadings: Bool
    private let readsHalfKeyFiles: Bool

    /// - Parameters:
    ///   - prefix: "new-" for the second secret of `rekey`, before the names of the options.
    ///   - isNew: see ``isNew``.
    ///   - beside: what other secrets are read from.
    ///   - readsHalfKeyFiles: whether two keys of 16 bytes are tried, which open no message.
    init(
        _ arguments: Arguments, _ prefix: String = "", isNew: Bool, beside: [FileEndpoint] = [],
        readsHalfKeyFiles: Bool = false
    ) throws(CommandError) {
        self.prefix = prefix
        self.isNew = isNew
        self.readsHalfKeyFiles = readsHalfKeyFiles
        triesShortenedReadings = prefix.isEmpty && arguments.contains("accept-shortened-passwords")
        try arguments.allowOne(of: "\(prefix)empty-password", "\(prefix)iterations")
        iterations = try Self.iterations("\(prefix)iterations", arguments, isNew: isNew)
        for (option, value) in arguments.options where option.name.hasPrefix(prefix) {
            let name = String(option.name.dropFirst(prefix.count))
            guard let kind = Kind(rawValue: name) else { continue }
            let spelling = "--\(option.name)"
            let file = try Self.file(of: kind, value, spelling)
            if let descriptor = file?.descriptor {
                let others = beside + files
                guard !others.contains(where: { $0.descriptor == descriptor }) else {
                    let shown = FileEndpoint.descriptor(descriptor)
                    throw .usage("two options read their secrets from \(shown)")
                }
            }
            given.append(
                Given(
                    kind: kind, option: spelling, value: value, file: file,
                    isFirst: given.isEmpty))
        }
        if arguments.contains("\(prefix)iterations"), !given.isEmpty,
            given.allSatisfy({ $0.kind == .keyFile })
        {
            throw .usage(
                "--\(prefix)iterations needs a password, and only keys are given")
        }
    }

    /// Nobody types a password for a number that is refused.
    private static func iterations(
        _ option: String, _ arguments: Arguments, isNew: Bool
    ) throws(CommandError) -> Int {
        guard let number = try arguments.number(option) else {
            return Credential.standardIterations
        }
        do throws(CryptorError) { _ = try Credential.password("any", iterations: number) } catch {
            throw .usage(error.whatHappened)
        }
        guard !isNew || number >= Credential.standardIterations else {
            throw .usage(
                "--\(option) needs \(Credential.standardIterations) or more for new messages")
        }
        return number
    }

    private static func file(
        of kind: Kind, _ value: Word, _ option: String
    ) throws(CommandError) -> FileEndpoint? {
        switch kind {
        case .passwordFile, .keyFile:
            return value.file(dash: .standardInput)
        case .passwordDescriptor:
            guard let descriptor = Int32(value.text), descriptor >= 0 else {
                throw .usage("\(option) takes the number of a file descriptor")
            }
            return .descriptor(descriptor)
        case .passwordEnvironment, .emptyPassword:
            return nil
        }
    }

    /// The files and descriptors that the secrets are read from.
    var files: [FileEndpoint] { given.compactMap(\.file) }

    /// Whether the user is asked for the secret on the terminal.
    var isTyped: Bool { given.isEmpty }

    /// Whether the first secret, which writes, is a password and not a pair of keys. Nothing is
    /// read for that.
    var writesUnderPassword: Bool { given.first?.kind != .keyFile }

    /// Whether keys are among what was given.
    var includesKeys: Bool { given.contains { $0.kind == .keyFile } }

    /// What the user calls each secret that an option names, in the order of ``credentials()``.
    var names: [String] { given.map { "\($0.option) \($0.value.shown)" } }

    // MARK: Options

    /// - Parameter prefix: "new-" for the second secret of `rekey`, before the names of the
    ///   options.
    static func options(_ prefix: String = "") -> [Option] {
        let secrets = Kind.allCases.map { kind in
            Option(
                prefix + kind.rawValue,
                value: value(of: kind),
                isRepeatable: true,
                goesWithLines: true,
                help(for: kind, prefix))
        }
        let password = prefix.isEmpty ? "password" : "new password"
        let iterations = Option(
            "\(prefix)iterations", value: .number("N"), goesWithLines: true,
            """
            Derive keys from each \(password) with N iterations; encrypting needs at least 10000. \
            Messages do not contain N, so their readers have to know it.
            """)
        return secrets + [iterations]
    }

    private static func value(of kind: Kind) -> Option.Value? {
        switch kind {
        case .passwordFile, .keyFile: .file("FILE")
        case .passwordEnvironment: .environmentVariable("NAME")
        case .passwordDescriptor: .number("N")
        case .emptyPassword: nil
        }
    }

    private static func help(for kind: Kind, _ prefix: String) -> String {
        let new = prefix.isEmpty ? "" : "new "
        switch kind {
        case .passwordFile:
            let help = "Read the \(new)password from FILE, ignoring one newline at its end."
            guard prefix.isEmpty else { return help }
            return """
                \(help) May be repeated and mixed with the options below: encryption uses the \
                first, decryption tries all.
                """
        case .passwordEnvironment:
            return "Read the \(new)password from the environment variable NAME."
        case .passwordDescriptor:
            return """
                Read the \(new)password from file descriptor N, ignoring one newline at its end.
                """
        case .keyFile:
            return """
                Use the \(new)keys in FILE: 128 hexadecimal digits, the encryption key followed by \
                the HMAC key.
                """
        case .emptyPassword:
            return "Use the empty password, with which anybody can read and forge messages."
        }
    }

    // MARK: Reading the secrets

    /// Reads the secrets, or asks for one, and makes a keyring if there are several.
    func credential() throws -> Credential { try Self.keyring(credentials()) }

    static func keyring(_ credentials: [Credential]) throws -> Credential {
        let previous = Array(credentials.dropFirst())
        return try .keyring(primary: credentials[0], previous: previous)
    }

    /// The secrets, and after them the shortened readings that are tried as well. At least one.
    func credentials() throws -> [Credential] {
        var credentials: [Credential] = []
        for secret in given { credentials.append(try credential(secret)) }
        if isTyped {
            let prompt = PasswordPrompt(prefix: prefix, isNew: isNew, mayBeMade: mayBeMade)
            credentials.append(try password(try prompt.password()))
        }
        if triesShortenedReadings { credentials += credentials.flatMap(\.shortenedReadings) }
        return credentials
    }

    private func credential(_ secret: Given) throws -> Credential {
        if secret.kind == .emptyPassword { return .emptyPassword }
        guard let file = secret.file else { return try password(fromVariable: secret) }
        var text = try read(file, secret)
        warnOfReaders(of: file, secret.kind)
        guard secret.kind == .keyFile else {
            return try password(consume text, of: secret)
        }
        defer { text.cleanse() }
        do throws(CryptorError) { return .keys(try MessageKeys(hexadecimal: text)) } catch {
            guard let form = KeyFileForm(of: text) else {
                throw CommandError(
                    .malformed,
                    "\(file): \(error.whatHappened)",
                    hint: "If it is a password file, use --password-file.")
            }
            if readsHalfKeyFiles, let keys = KeyFileForm.halves(of: text) {
                Report.complain(
                    "warning",
                    """
                    \(file): It has half of what a key file has, which is tried as two keys of 16 \
                    bytes. If it is one key, the second one is missing.
                    """)
                return .keys(keys)
            }
            throw CommandError(.malformed, "\(file): \(form.sentence)", hint: form.hint)
        }
    }

    private func password(fromVariable secret: Given) throws(CommandError) -> Credential {
        let name = secret.value.bytes.map { CChar(bitPattern: $0) } + [0]
        // The error does not quote the name: the user may have given the password itself.
        guard let text = unsafe getenv(name) else {
            throw .usage(
                "the environment variable given to \(secret.option) is not set",
                hint: "Export it first with 'export NAME', and give its name without a '$'.")
        }
        return try password(
            unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text))), of: secret)
    }

    private func password(
        _ bytes: consuming [UInt8], of secret: Given? = nil
    ) throws(CommandError) -> Credential {
        defer { bytes.cleanse() }
        warnOfEncoding(of: bytes, secret)
        do throws(CryptorError) {
            return try .password(utf8: bytes, iterations: iterations)
        } catch {
            let name = secret?.file.map { "\($0): " } ?? ""
            let isEmpty = bytes.allSatisfy { $0 == 0 }
            let happened =
                isTyped && isEmpty ? "No password was entered." : error.whatHappened
            throw CommandError(.usage, name + happened, hint: isEmpty ? adviceIfEmpty : nil)
        }
    }

    private var mayBeMade: Bool { isNew && !isInUse }

    /// What is encrypted under an empty password is open to everybody, so that is no advice for
    /// writing.
    private var adviceIfEmpty: String {
        mayBeMade
            ? "Without an option for a password, you are asked for one, or can have one generated."
            : "If the password is really empty, use --\(prefix)empty-password."
    }

    /// Reads a small file that holds a secret. The caller cleanses it.
    private func read(_ file: FileEndpoint, _ secret: Given) throws -> [UInt8] {
        let text: [UInt8]?
        do throws(CryptorError) { text = try file.secret(progress: Interruption.check) } catch {
            if error.systemErrorNumber == EBADF, secret.kind == .passwordDescriptor {
                let number = secret.value.shown
                throw CommandError(
                    .noInput, "\(file): It is not open.",
                    hint: "The shell opens it: '\(secret.option) \(number) \(number)< FILE'.")
            }
            let isNoName = [ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.systemErrorNumber)
            if isNoName, Self.mayBeSecret(file.pathBytes ?? []) {
                throw CommandError(
                    .noInput,
                    """
                    \(secret.option): no such file (its name is not shown, in case it is a secret)
                    """)
            }
            throw error
        }
        guard let text else {
            throw CommandError(
                .malformed, "\(file): It is larger than 64 KiB. Is it the right file?")
        }
        return text
    }

    /// Whether the user may have given a secret in place of a path, a password also to
    /// `--key-file`: what is no name of a file is not shown then.
    private static func mayBeSecret(_ path: [UInt8]) -> Bool {
        !["/", "./", "../"].contains { path.starts(with: $0.utf8) }
    }

    // MARK: Warnings

    private func warnOfReaders(of file: FileEndpoint, _ kind: Kind) {
        guard file.isReadableByOthers else { return }
        let secret = kind == .keyFile ? "these keys" : "this password"
        Report.complain(
            "warning", "\(file): Other users can read \(secret). 'chmod 600' prevents that.")
    }

    private func warnOfEncoding(of password: [UInt8], _ secret: Given?) {
        let encoding = PasswordEncoding.found(in: password)
        // In UTF-16, a byte like a newline is half of a character.
        let isLines = password.contains(UInt8(ascii: "\n")) && !(encoding?.isUTF16 ?? false)
        if isLines, let file = secret?.file { Self.warnOfLines(in: file) }
        guard isNew, secret?.isFirst ?? true, let encoding else { return }
        let name = secret.map { "\($0.file?.description ?? $0.option): " } ?? ""
        Report.complain("warning", name + encoding.warning)
    }

    private static let hasWarnedOfLines = Atomic<Bool>(false)

    /// The password stays all of its bytes, as the messages need that were written with such a
    /// file. But whoever gives the file to another program as well is told, once a run.
    private static func warnOfLines(in file: FileEndpoint) {
        guard !hasWarnedOfLines.exchange(true, ordering: .relaxed) else { return }
        Report.complain(
            "warning",
            """
            \(file): It has several lines, and all of them are the password. Other programs, such \
            as openssl and gpg, use only the first line.
            """)
    }
}
