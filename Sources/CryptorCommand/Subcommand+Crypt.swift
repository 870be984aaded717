import CryptorFormat

extension Subcommand {
    private static let output = Option(
        "output", letter: "o", value: "FILE",
        "Write to FILE, which must not exist, and not to standard\noutput; '-' is standard output.")

    static let encrypt = Subcommand(
        name: "encrypt", summary: "Encrypt a file, or standard input, with a password or keys.",
        operands: "[INPUT]",
        discussion: """
            Reads INPUT, or standard input if there is none or it is '-', and writes a
            message of version 3. Without an option for it, the password is asked for
            on the terminal, twice. A file appears only when it is whole.
            """,
        options: [output] + SecretSource.options,
        run: { arguments throws(CommandError) in
            try run(arguments, isNew: true) { (input, output, credential) throws(CryptorError) in
                try Cryptor.encryptFile(at: input, to: output, with: credential)
            }
        })

    static let decrypt = Subcommand(
        name: "decrypt", summary: "Decrypt a file, or standard input.",
        operands: "[INPUT]",
        discussion: """
            Reads a message from INPUT, or from standard input if there is none or it is
            '-', and writes its plaintext. Without an option for it, the password is
            asked for on the terminal. No byte is written anywhere to be seen before
            the whole message was found authentic.
            """,
        options: [output] + SecretSource.options,
        run: { arguments throws(CommandError) in
            try run(arguments, isNew: false) { (input, output, credential) throws(CryptorError) in
                try Cryptor.decryptFile(at: input, to: output, with: credential)
            }
        })

    private static func run(
        _ arguments: Arguments, isNew: Bool,
        _ work: (_ input: FileEndpoint, _ output: FileEndpoint, Credential) throws(CryptorError) -> Void
    ) throws(CommandError) {
        guard arguments.operands.count <= 1 else {
            throw .usage("one INPUT at most, and there are \(arguments.operands.count)")
        }
        let input = endpoint(arguments.operands.first, or: .standardInput)
        let output = endpoint(arguments["output"], or: .standardOutput)
        let credential = try SecretSource(arguments, input: input).credential(isNew: isNew)
        do throws(CryptorError) { try work(input, output, credential) } catch { throw CommandError(error) }
    }

    /// `-` is the standard stream.
    private static func endpoint(_ word: String?, or standard: FileEndpoint) -> FileEndpoint {
        guard let word, word != "-" else { return standard }
        return .path(word)
    }
}
