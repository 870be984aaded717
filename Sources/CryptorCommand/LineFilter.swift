import CryptorFormat

/// `--lines`: one record a line, for pipes.
enum LineFilter {
    static let encryption = Option(
        "lines", "Make a message of each line of standard input: one base64 text a line.")
    static let decryption = Option(
        "lines", "Decrypt each line of standard input, a message in base64 text, into a line of plaintext.")

    /// The most that a line of plaintext has, and its message, in base64 text.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    private static let messageByteLimit = (plaintextByteLimit + 82 + 2) / 3 * 4

    private static let newline = UInt8(ascii: "\n")
    private static let foreignOptions = [
        "output", "suffix", "force", "remove-source", "base64", "spool-limit", "progress",
    ]

    static func encrypt(_ arguments: Arguments) throws(CommandError) {
        let (jobs, credential) = try setUp(arguments, isNew: true)
        var pipeline = LinePipeline(output: standardOutput, on: Batch.pool(threadCount: jobs), jobs: jobs) { lines in
            outcome(of: lines, limit: plaintextByteLimit) { plaintexts in
                Cryptor.encryptAll(plaintexts, with: credential, concurrency: .serial)
            } line: { (message) throws(CommandError) in
                Cryptor.base64Text(of: message)
            }
        }
        try pipeline.run(byteLimit: plaintextByteLimit)
    }

    static func decrypt(_ arguments: Arguments) throws(CommandError) {
        let accepting = try Acceptance(arguments)
        let (jobs, credential) = try setUp(arguments, isNew: false)
        let terminal = TerminalOutput(.standardOutput)
        let output = terminal.map { terminal in { @Sendable bytes in terminal.show(bytes) } } ?? standardOutput
        var pipeline = LinePipeline(output: output, on: Batch.pool(threadCount: jobs), jobs: jobs) { lines in
            outcome(of: lines, limit: messageByteLimit) { texts in
                decryptAll(texts, with: credential, accepting: accepting)
            } line: { (plaintext) throws(CommandError) in
                guard !plaintext.contains(newline) else {
                    throw CommandError(
                        .malformed,
                        "The plaintext holds a newline and would become two lines. Decrypt it without --lines.")
                }
                guard terminal == nil || TerminalText.isHarmless(plaintext) else {
                    throw CommandError(
                        .malformed,
                        "The plaintext is not plain text, or would control the terminal that standard output is. "
                            + "Redirect standard output.")
                }
                return plaintext
            }
        }
        let run = { () throws(CommandError) in try pipeline.run(byteLimit: messageByteLimit) }
        if let terminal { try terminal.check(run) } else { try run() }
    }

    private static let standardOutput = { @Sendable (bytes: [UInt8]) -> Int32? in
        Report.write(bytes, to: STDOUT_FILENO)
    }

    private static func setUp(
        _ arguments: Arguments, isNew: Bool
    ) throws(CommandError) -> (jobs: Int, credential: Credential) {
        guard arguments.operands.isEmpty || arguments.operands == ["-"] else {
            throw .usage("--lines reads standard input, and an INPUT is given")
        }
        if let option = foreignOptions.first(where: arguments.contains) {
            throw .usage(
                "--lines and --\(option) exclude each other: lines come from standard input and go to standard output")
        }
        let jobs = try Batch.jobCount(arguments)
        try FilePlan(secrets: SecretSource.files(arguments)).check([(.standardInput, .standardOutput)])
        let source = try SecretSource(arguments, isNew: isNew, inputIsStandardInput: true)
        return (jobs, try source.credential())
    }

    /// Of base64 texts. What is none is not passed on.
    private static func decryptAll(
        _ texts: [[UInt8]], with credential: Credential, accepting: Acceptance
    ) -> [Result<[UInt8], CryptorError>] {
        let decoded = texts.map { text in
            Result { () throws(CryptorError) in try Cryptor.message(fromBase64: text) }
        }
        let messages = decoded.compactMap { try? $0.get() }
        var plaintexts = Cryptor.decryptAll(
            messages, with: credential, accepting: accepting, concurrency: .serial
        ).makeIterator()
        return decoded.map { message in
            if case .failure = message { return message }
            guard let plaintext = plaintexts.next() else { preconditionFailure("each message has a result") }
            return plaintext
        }
    }

    /// - Parameters:
    ///   - process: a result for each line that is not too long.
    ///   - line: what is written of a result.
    private static func outcome(
        of lines: [LineReader.Line], limit: Int, process: ([[UInt8]]) -> [Result<[UInt8], CryptorError>],
        line: ([UInt8]) throws(CommandError) -> [UInt8]
    ) -> LinePipeline.Outcome {
        let texts = lines.compactMap { line in if case .text(let text) = line { text } else { nil } }
        var results = process(texts).makeIterator()
        var outcome = LinePipeline.Outcome()
        for (index, text) in lines.enumerated() {
            do throws(CommandError) {
                guard case .text = text, let result = results.next() else {
                    throw CommandError(.malformed, "It has more than \(limit) bytes. Encrypt and decrypt it as a file.")
                }
                outcome.output += try line(try unwrapped(result))
                outcome.output.append(newline)
            } catch {
                outcome.failures.append((index, error))
            }
        }
        return outcome
    }

    private static func unwrapped(_ result: Result<[UInt8], CryptorError>) throws(CommandError) -> [UInt8] {
        do throws(CryptorError) { return try result.get() } catch { throw CommandError(error) }
    }
}
