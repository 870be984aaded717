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
            outcome(of: lines, limit: plaintextByteLimit, Cryptor.encryptAll(lines.lines, with: credential)) {
                (messages, index, output) throws(CommandError) in
                Cryptor.base64Text(of: messages.span(index), into: &output)
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
            let (messages, notBase64) = messages(lines.lines)
            let results = Cryptor.decryptAll(messages, with: credential, accepting: accepting)
            // One search covers all plaintexts, since hardly any of them has a newline.
            let bytes = results.column.bytes
            let hasNewlines = firstIndex(of: newline, in: bytes, bytes.indices) != nil
            return outcome(of: lines, limit: messageByteLimit, notBase64: notBase64, results) {
                (plaintexts, index, output) throws(CommandError) in
                let plaintext = plaintexts[index]
                if hasNewlines || isForTerminal { try check(plaintext, isForTerminal: isForTerminal) }
                output += plaintext
            }
        }
        try pipeline.run(byteLimit: messageByteLimit)
    }

    /// How many lines are worked on together. With a password, the keys for sixteen lines are derived at a time; with
    /// keys, a line takes only microseconds.
    private static func lineCount(_ credential: Credential) -> Int { credential.isPassword ? 32 : 4096 }

    private static func check(_ plaintext: ArraySlice<UInt8>, isForTerminal: Bool) throws(CommandError) {
        guard !plaintext.contains(newline) else {
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

    /// The messages in base64 texts. A text that is not base64 becomes an empty message and an error.
    private static func messages(_ texts: ByteColumn) -> (messages: ByteColumn, notBase64: [Int: CryptorError]) {
        var messages = ByteColumn()
        var failures: [Int: CryptorError] = [:]
        for index in 0..<texts.count {
            do throws(CryptorError) {
                try messages.append { (message) throws(CryptorError) in
                    try Cryptor.message(fromBase64: texts.span(index), into: &message)
                }
            } catch {
                failures[index] = error
                messages.append([])
            }
        }
        return (messages, failures)
    }

    /// - Parameters:
    ///   - notBase64: the errors of lines that are not base64, by index.
    ///   - results: the results of all lines.
    ///   - write: appends the output for the line at an index, without its newline.
    private static func outcome(
        of lines: LineReader.Lines, limit: Int, notBase64: [Int: CryptorError] = [:], _ results: ColumnResult,
        _ write: (ByteColumn, Int, inout [UInt8]) throws(CommandError) -> Void
    ) -> LinePipeline.Outcome {
        var outcome = LinePipeline.Outcome()
        outcome.output.reserveCapacity(results.column.bytes.count / 3 * 4 + 5 * results.column.count)
        var failures = results.failures[...]
        for index in 0..<lines.lines.count {
            let failure = failures.first?.index == index ? failures.popFirst()?.error : nil
            do throws(CommandError) {
                if lines.tooLong.contains(index) {
                    throw CommandError(.malformed, "It has more than \(limit) bytes. Encrypt and decrypt it as a file.")
                }
                if let error = notBase64[index] ?? failure { throw CommandError(error) }
                try write(results.column, index, &outcome.output)
                outcome.output.append(newline)
            } catch {
                outcome.failures.append((index, error))
            }
        }
        return outcome
    }
}
