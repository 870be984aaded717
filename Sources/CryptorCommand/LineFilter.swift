import CryptorFormat

/// `--lines`: one record a line, for pipes.
enum LineFilter {
    static let encryption = Option(
        "lines", "Make a message of each line of standard input: one base64 text a line.")
    static let decryption = Option(
        "lines", "Decrypt each line of standard input, a message in base64 text, into a line of plaintext.")

    /// The most bytes of a line of plaintext, and those of its message in base64 text.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    private static let messageByteLimit = (plaintextByteLimit + 82 + 2) / 3 * 4

    private static let newline = UInt8(ascii: "\n")
    private static let foreignOptions = [
        "output", "suffix", "force", "remove-source", "base64", "spool-limit", "progress", "recursive",
    ]

    static func encrypt(_ arguments: Arguments) throws(CommandError) {
        let (jobs, credential) = try setUp(arguments, isNew: true)
        var pipeline = LinePipeline(
            output: standardOutput, on: Batch.pool(threadCount: jobs), jobs: jobs, lineCount: lineCount(credential)
        ) { lines in
            let messages = Cryptor.encryptAll(all(lines), with: credential, concurrency: .serial)
            return outcome(of: lines, limit: plaintextByteLimit, messages) { (message, output) throws(CommandError) in
                output += Cryptor.base64Text(of: message)
            }
        }
        try pipeline.run(byteLimit: plaintextByteLimit)
    }

    static func decrypt(_ arguments: Arguments) throws(CommandError) {
        let accepting = try Acceptance(arguments)
        let (jobs, credential) = try setUp(arguments, isNew: false)
        let isForTerminal = FileEndpoint.standardOutput.isTerminal
        var pipeline = LinePipeline(
            output: standardOutput, on: Batch.pool(threadCount: jobs), jobs: jobs, lineCount: lineCount(credential)
        ) { lines in
            let messages = all(lines).map { text in
                Result { () throws(CryptorError) in try Cryptor.message(fromBase64: text) }
            }
            // A line that is not base64 keeps its error: the empty message in its place is not looked at.
            let decrypted = Cryptor.decryptAll(
                messages.map { (try? $0.get()) ?? [] }, with: credential, accepting: accepting, concurrency: .serial)
            let plaintexts = zip(messages, decrypted).map { message, plaintext in message.flatMap { _ in plaintext } }
            return outcome(of: lines, limit: messageByteLimit, plaintexts) { (plaintext, output) throws(CommandError) in
                try check(plaintext, isForTerminal: isForTerminal)
                output += plaintext
            }
        }
        try pipeline.run(byteLimit: messageByteLimit)
    }

    /// How many lines are worked on together. With a password, the keys for sixteen lines are derived at a time; with
    /// keys, a line takes only microseconds.
    private static func lineCount(_ credential: Credential) -> Int { credential.isPassword ? 32 : 4096 }

    private static func all(_ lines: LineReader.Lines) -> [ArraySlice<UInt8>] {
        lines.ranges.map { range in lines.bytes[range] }
    }

    private static func check(_ plaintext: [UInt8], isForTerminal: Bool) throws(CommandError) {
        guard firstIndex(of: newline, in: plaintext, plaintext.indices) == nil else {
            throw CommandError(
                .malformed,
                "The plaintext holds a newline and would become two lines. Decrypt it without --lines.")
        }
        // The newline is shown as well: before it, a carriage return at the end of the plaintext is harmless.
        guard !isForTerminal || TerminalText.isHarmless(plaintext + [newline]) else {
            throw CommandError(
                .malformed,
                "The plaintext is not plain text, or would control the terminal that standard output is. "
                    + "Redirect standard output.")
        }
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
        let source = try SecretSource(arguments, isNew: isNew)
        _ = try FilePlan(secrets: [source.file]).check([(.standardInput, .standardOutput)])
        return (jobs, try source.credential())
    }

    /// - Parameters:
    ///   - results: the results of all lines.
    ///   - write: appends the output for a line, without its newline.
    private static func outcome(
        of lines: LineReader.Lines, limit: Int, _ results: [Result<[UInt8], CryptorError>],
        _ write: ([UInt8], inout [UInt8]) throws(CommandError) -> Void
    ) -> LinePipeline.Outcome {
        var outcome = LinePipeline.Outcome()
        outcome.output.reserveCapacity(lines.bytes.count / 3 * 4 + 128 * lines.count)
        for (index, result) in results.enumerated() {
            do throws(CommandError) {
                if lines.tooLong.contains(index) {
                    throw CommandError(.malformed, "It has more than \(limit) bytes. Encrypt and decrypt it as a file.")
                }
                switch result {
                case .success(let bytes): try write(bytes, &outcome.output)
                case .failure(let error): throw CommandError(error)
                }
                outcome.output.append(newline)
            } catch {
                outcome.failures.append((index, error))
            }
        }
        return outcome
    }
}
