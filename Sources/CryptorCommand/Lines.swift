import CryptorFiles
import CryptorSystem

/// `--lines`: each line of standard input is worked on by itself and becomes a line of standard
/// output.
///
/// Line n of the output belongs to line n of the input, always: a line that fails becomes an empty
/// one. Otherwise `paste` and the like would give a row the plaintext of another.
///
/// The whole lines of what one read returns are worked on and written before the next read, so a
/// program that sends one line and waits gets its answer at once.
struct Lines {
    static let option = Option(
        "lines",
        goesWithLines: true,
        """
        Work on each line of standard input by itself: text into a message in base64 text, or back.
        """)

    static let freshSalts = Option(
        "fresh-salts",
        goesWithLines: true,
        """
        With --lines and a password, draw new salts for each line, which takes more than a \
        thousand times as long. Without it the lines of one run share their salts, and anybody \
        can see that they belong together.
        """)

    static let newline = UInt8(ascii: "\n")

    /// The most bytes of a line of plaintext, and those of its message in base64 text.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    private static let messageByteLimit = (plaintextByteLimit + 82 + 2) / 3 * 4

    /// How many lines are worked on together, at most, and how many of them if each may take long:
    /// a signal ends the run between them.
    private static let usualBatchCount = 256
    private static let slowBatchCount = 16

    private typealias Results = [Result<[UInt8], CryptorError>]

    /// The most bytes of a line.
    private let byteLimit: Int
    /// How many lines are worked on together.
    private var batchCount = Self.usualBatchCount
    /// Whether a blank line passes through as it is, where it would fail.
    private var passesBlankLines = false
    /// Gets a block and the places of lines in it, and returns what becomes of each.
    private let convert: (_ block: [UInt8], _ lines: [Range<Int>]) -> Results
    /// Appends what became of a line to the output, or says why it cannot be part of it.
    private let append: (_ result: [UInt8], inout [UInt8]) throws(CommandError) -> Void

    // MARK: Encryption

    static func encrypt(_ arguments: Arguments) throws(CommandError) {
        let credential = try credential(arguments, isNew: true)
        let cryptor = try commandError(try KeyedCryptor(credential))
        // Too few iterations are refused now, and not for each line.
        _ = try commandError(try cryptor.encrypt([]))
        let drawsSalts = arguments.contains("fresh-salts")
        let lines = Lines(
            byteLimit: plaintextByteLimit,
            batchCount: drawsSalts ? slowBatchCount : usualBatchCount,
            convert: { block, lines in
                lines.map { line in
                    Result { () throws(CryptorError) in
                        guard drawsSalts else { return try cryptor.encrypt(block[line]) }
                        return try Cryptor.encrypt(block[line], with: credential)
                    }
                }
            },
            append: { message, output in
                output.append(base64: message)
                output.append(newline)
            })
        try lines.run()
    }

    // MARK: Decryption

    static func decrypt(_ arguments: Arguments) throws(CommandError) {
        let accepted = try AcceptedVersions(arguments)
        let credential = try credential(arguments, isNew: false)
        let cryptor = try commandError(try KeyedCryptor(credential))
        let isForTerminal = FileEndpoint.standardOutput.isTerminal
        let lines = Lines(
            byteLimit: messageByteLimit,
            passesBlankLines: true,
            convert: { block, lines in
                decrypted(
                    lines, of: block, with: cryptor, credential, accepting: accepted)
            },
            append: { (plaintext, output) throws(CommandError) in
                try appendPlaintext(plaintext, to: &output, isForTerminal: isForTerminal)
            })
        try lines.run()
    }

    private static func decrypted(
        _ lines: [Range<Int>], of block: [UInt8], with cryptor: KeyedCryptor,
        _ credential: Credential, accepting accepted: AcceptedVersions
    ) -> Results {
        var message: [UInt8] = []
        // Messages whose keys have to be derived, which is done for several of them together.
        var waiting: [(index: Int, message: [UInt8])] = []
        var results: Results = lines.enumerated().map { index, line in
            Result { () throws(CryptorError) in
                try message.replace(withBase64: block, line)
                if accepted.includesVersion0, message.first == 0 {
                    return try Cryptor.decryptVersion0(message, with: credential)
                }
                if let opened = try cryptor.openAtOnce(message, accepting: accepted.inFull) {
                    return opened.plaintext
                }
                waiting.append((index, message))
                return []
            }
        }
        while !waiting.isEmpty, Interruption.signal == 0 {
            let batch = waiting.prefix(slowBatchCount)
            let derived = cryptor.decryptAll(batch.map(\.message), accepting: accepted.inFull)
            for (place, result) in zip(batch, derived) {
                results[place.index] = result
            }
            waiting.removeFirst(batch.count)
        }
        return results
    }

    private static func appendPlaintext(
        _ plaintext: [UInt8], to output: inout [UInt8], isForTerminal: Bool
    ) throws(CommandError) {
        let start = output.count
        output += plaintext
        let end = output.count
        // The newline is checked as well: before it, a carriage return at the end of the plaintext
        // is harmless.
        output.append(newline)
        if firstIndex(of: newline, in: output, start..<end) != nil {
            throw CommandError(
                .malformed,
                """
                The plaintext holds a newline and would become two lines. Decrypt it without \
                --lines.
                """)
        }
        if isForTerminal, !TerminalText.isHarmless(Array(output[start...])) {
            throw CommandError(
                .malformed,
                """
                The plaintext is not text, and may control the terminal. Redirect standard output.
                """)
        }
    }

    // MARK: Options

    /// Refuses an option that does not say that it goes with `--lines`.
    static func checkOptions(_ arguments: Arguments) throws(CommandError) {
        for (option, _) in arguments.options where !option.goesWithLines {
            try arguments.allowOne(of: "lines", option.name)
        }
    }

    private static func credential(
        _ arguments: Arguments, isNew: Bool
    ) throws(CommandError) -> Credential {
        guard arguments.operands.isEmpty || arguments.operands == ["-"] else {
            throw .usage("--lines reads standard input, and an INPUT is given")
        }
        try checkOptions(arguments)
        let source = try SecretSource(arguments, isNew: isNew)
        let job = FileJob(input: .standardInput, output: .standardOutput)
        _ = try FilePlan([job], secrets: source.files)
        return try source.credential()
    }

    // MARK: Line by line

    /// Reads standard input to its end.
    /// - Throws: if lines failed, an error with their number; or the error of reading or writing.
    private func run() throws(CommandError) {
        var reader = LineReader(byteLimit: byteLimit)
        var doneCount = 0
        var failed = FailedLines()
        var output: [UInt8] = []
        do throws(CommandError) {
            while try reader.readBlock() {
                for start in stride(from: 0, to: reader.lines.count, by: batchCount) {
                    let batch = reader.lines[start...].prefix(batchCount)
                    output.removeAll(keepingCapacity: true)
                    try convert(
                        batch, of: reader.block, after: doneCount, into: &output, &failed)
                    try Report.write(output)
                    doneCount += batch.count
                }
            }
        } catch {
            failed.reportRest()
            guard Interruption.signal != 0 else { throw error }
            throw CommandError(
                .interrupted,
                "interrupted; \(doneCount) lines are done, and perhaps a part of the next ones")
        }
        if let error = failed.error(of: doneCount) { throw error }
    }

    /// Appends the lines that a batch becomes.
    /// - Parameter doneCount: how many lines came before.
    private func convert(
        _ batch: ArraySlice<Range<Int>?>, of block: [UInt8], after doneCount: Int,
        into output: inout [UInt8], _ failed: inout FailedLines
    ) throws(CommandError) {
        let wholeLines = batch.compactMap(\.self)
        var results = convert(block, wholeLines).makeIterator()
        if Interruption.signal != 0 { throw .interrupted }
        for (index, line) in batch.enumerated() {
            let start = output.count
            do throws(CommandError) {
                guard line != nil, let result = results.next() else { throw tooLong }
                try append(try commandError(try result.get()), &output)
            } catch {
                output.removeSubrange(start...)
                // Asked only here, so that it costs the other lines nothing.
                if passesBlankLines, let line, Self.isBlank(block[line]) {
                    output += block[line]
                } else {
                    failed.add(error, number: doneCount + index + 1)
                }
                output.append(Self.newline)
            }
        }
    }

    private var tooLong: CommandError {
        CommandError(
            .malformed, "It has more than \(byteLimit) bytes. Encrypt and decrypt it as a file.")
    }

    /// Whether a line is an empty cell of a dump: it has only spaces, tabs and carriage returns, or
    /// nothing.
    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { byte in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
    }
}

/// The lines that failed: the first ones are named as they fail, and the others are counted.
private struct FailedLines {
    private static let namedCount = 10

    private var count = 0
    private var status = ExitStatus.malformed

    mutating func add(_ error: CommandError, number: Int) {
        count += 1
        switch error.status {
        case .software: status = .software
        // A failure of OpenSSL says nothing about the message, so it outweighs this.
        case .authenticationFailed where status != .software: status = .authenticationFailed
        default: break
        }
        if count <= Self.namedCount {
            Report.complain("error", "line \(number): \(error.message)")
        }
    }

    /// Before another error ends the run: says how many there are, if not all were named.
    func reportRest() {
        guard count > Self.namedCount else { return }
        Report.complain("error", "\(count) lines failed, \(named)")
    }

    /// Nil if no line failed.
    func error(of lineCount: Int) -> CommandError? {
        guard count > 0 else { return nil }
        return CommandError(status, "\(count) of \(lineCount) lines failed, \(named)")
    }

    private var named: String {
        count > Self.namedCount ? "the first \(Self.namedCount) are named above" : "see above"
    }
}
