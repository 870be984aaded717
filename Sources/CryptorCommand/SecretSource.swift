import CryptorFormat

/// Where the password or the keys come from.
struct SecretSource {
    /// More than this is no password and no key file, but a wrong file.
    private static let maximumByteCount = 64 * 1024

    static let options = [
        Option(
            "password-file", value: "FILE",
            "Read the password from FILE; one newline at its end is not\npart of it."),
        Option("password-env", value: "NAME", "Read the password from the environment variable NAME."),
        Option(
            "password-fd", value: "N",
            "Read the password from file descriptor N; one newline at its\nend is not part of it."),
        Option(
            "key-file", value: "FILE",
            "Use the keys in FILE, and no password: 128 hexadecimal digits,\nencryption key then HMAC key."),
    ]

    private let arguments: Arguments
    /// Data comes from standard input, so no secret can.
    private let inputIsStandardInput: Bool

    init(_ arguments: Arguments, input: FileEndpoint) throws(CommandError) {
        let given = Self.options.filter { arguments.contains($0.name) }
        guard given.count <= 1 else {
            let names = given.map { "--\($0.name)" }.joined(separator: " and ")
            throw .usage("\(names) exclude each other: give one")
        }
        self.arguments = arguments
        self.inputIsStandardInput = input == .standardInput
    }

    /// - Parameter isNew: whether a prompt should ask twice, since nothing else would notice a typing error.
    func credential(isNew: Bool) throws(CommandError) -> Credential {
        if let path = arguments["key-file"] {
            var text = try read(path: path)
            defer { cleanse(&text) }
            return try KeyFile.credential(text, path: path)
        }
        var password = try password(isNew: isNew)
        defer { cleanse(&password) }
        do throws(CryptorError) { return try .password(utf8: password) } catch { throw CommandError(error) }
    }

    private func password(isNew: Bool) throws(CommandError) -> [UInt8] {
        if let path = arguments["password-file"] { return withoutNewline(try read(path: path)) }
        if let name = arguments["password-env"] {
            guard let value = unsafe getenv(name) else {
                throw .usage("the environment variable '\(name)' of --password-env is not set")
            }
            return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
        }
        if let number = arguments["password-fd"] {
            guard let descriptor = Int32(number), descriptor >= 0 else {
                throw .usage("--password-fd takes a number, not '\(number)'")
            }
            return withoutNewline(try read(descriptor: descriptor, "file descriptor \(number)"))
        }
        return try prompt(isNew: isNew)
    }

    private func prompt(isNew: Bool) throws(CommandError) -> [UInt8] {
        guard let terminal = Terminal() else {
            throw .usage(
                "no password was given, and there is no terminal to ask for one",
                hint: "Use --password-file, --password-env, --password-fd or --key-file.")
        }
        let password = try terminal.readSecret("Password: ", maximum: Self.maximumByteCount)
        guard isNew, !password.isEmpty else { return password }
        var again = try terminal.readSecret("Password, once more: ", maximum: Self.maximumByteCount)
        defer { cleanse(&again) }
        guard again == password else { throw .usage("the two passwords differ", hint: "Try again.") }
        return password
    }

    // MARK: Reading small secrets

    private func read(path: String) throws(CommandError) -> [UInt8] {
        if path == "-" { return try read(descriptor: STDIN_FILENO, "standard input") }
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw CommandError(.noInput, "\(path): It cannot be opened: \(systemMessage(errno)).")
        }
        defer { _ = close(descriptor) }
        return try read(descriptor: descriptor, path)
    }

    private func read(descriptor: Int32, _ name: String) throws(CommandError) -> [UInt8] {
        guard descriptor != STDIN_FILENO || !inputIsStandardInput else {
            throw .usage("standard input is the data, so the secret cannot come from there as well")
        }
        // One allocation, so that no copy is left behind by growing.
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = readBytes(descriptor, into: &bytes, at: count)
            if received < 0 && errno == EINTR { continue }
            guard received >= 0 else {
                throw CommandError(.noInput, "\(name): It cannot be read: \(systemMessage(errno)).")
            }
            if received == 0 { break }
            count += received
        }
        guard count < bytes.count else {
            cleanse(&bytes)
            throw CommandError(.malformed, "\(name): It has more than \(Self.maximumByteCount) bytes: a wrong file?")
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Without one newline at the end, of Unix or of Windows.
    private func withoutNewline(_ line: consuming [UInt8]) -> [UInt8] {
        var line = line
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
