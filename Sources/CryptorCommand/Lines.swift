import CryptorFiles
import CryptorPrimitives
import CryptorSystem

/// `--lines`: each line of standard input is worked on by itself and becomes a line of standard
/// output.
///
/// Line n of the output belongs to line n of the input, always: a line that fails becomes an empty
/// one. Otherwise `paste` and the like would give a row the plaintext of another.
///
/// The whole lines of what one read returns are worked on and written before the next read, so a
/// program that sends one line and waits gets its answer at once.
enum Lines {
    static let newline = UInt8(ascii: "\n")
    static let option = Option(
        "lines",
        "Work on each line of standard input by itself: text into a message in base64 text, "
            + "or back.")
    /// The most bytes of a line of plaintext, and those of its message in base64 text.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    private static let messageByteLimit = (plaintextByteLimit + 82 + 2) / 3 * 4
    static let freshSalts = Option(
        "fresh-salts",
        "With --lines and a password, draw new salts for each line, which takes more than a "
            + "thousand times as long. Without it the lines of one run share their salts, and "
            + "anybody can see that they belong together.")

    static func encrypt(_ arguments: Arguments) throws(CommandError) {
        let credential = try credential(arguments, isNew: true)
        let cryptor = try commandError(try KeyedCryptor(credential))
        // Too few iterations are refused now, and not for each line.
        _ = try commandError(try cryptor.encrypt([]))
        let drawsSalts = arguments.contains("fresh-salts")
        try run(byteLimit: plaintextByteLimit, together: drawsSalts ? 16 : 256) { block, lines in
            lines.map { line in
                Result { () throws(CryptorError) in
                    guard drawsSalts else { return try cryptor.encrypt(block[line]) }
                    return try Cryptor.encrypt(block[line], with: credential)
                }
            }
        } append: { message, output in
            Base64Encoder.append(message.rawSpan(0..<message.count), to: &output)
            output.append(newline)
        }
    }

    static func decrypt(_ arguments: Arguments) throws(CommandError) {
        let accepted = try AcceptedVersions(arguments)
        let accepting = accepted.inFull
        let credential = try credential(arguments, isNew: false)
        let cryptor = try commandError(try KeyedCryptor(credential))
        let isForTerminal = FileEndpoint.standardOutput.isTerminal
        let byteLimit = messageByteLimit
        try run(byteLimit: byteLimit, together: 256, passesBlankLines: true) { block, lines in
            var message: [UInt8] = []
            // Messages whose keys have to be derived, which is done for several of them together.
            var waiting: [(index: Int, message: [UInt8])] = []
            var results: [Result<[UInt8], CryptorError>] = lines.enumerated().map { index, line in
                Result { () throws(CryptorError) in
                    message.removeAll(keepingCapacity: true)
                    try Cryptor.message(fromBase64: block.rawSpan(line), into: &message)
                    if accepted.includesVersion0, message.first == 0 {
                        return try Cryptor.decryptVersion0(message, with: credential)
                    }
                    let opened = try cryptor.openAtOnce(message, accepting: accepting)
                    if opened == nil { waiting.append((index, message)) }
                    return opened?.plaintext ?? []
                }
            }
            // A few at a time, since each may take long, and a signal ends the run.
            while !waiting.isEmpty, Interruption.signal == 0 {
                let few = waiting.prefix(16)
                let derived = cryptor.decryptAll(few.map(\.message), accepting: accepting)
                for (place, result) in zip(few, derived) {
                    results[place.index] = result
                }
                waiting.removeFirst(few.count)
            }
            return results
        } append: { (plaintext, output) throws(CommandError) in
            let start = output.count
            output += plaintext
            // The newline is checked as well: before it, a carriage return at the end of the
            // plaintext is harmless.
            output.append(newline)
            if firstIndex(of: newline, in: output, start..<output.count - 1) != nil {
                throw CommandError(
                    .malformed,
                    "The plaintext holds a newline and would become two lines. "
                        + "Decrypt it without --lines.")
            }
            if isForTerminal, !TerminalText.isHarmless(Array(output[start...])) {
                throw CommandError(
                    .malformed,
                    "The plaintext is not text, and may control the terminal. "
                        + "Redirect standard output.")
            }
        }
    }

    private static func credential(
        _ arguments: Arguments, isNew: Bool
    ) throws(CommandError) -> Credential {
        guard arguments.operands.isEmpty || arguments.operands == ["-"] else {
            throw .usage("--lines reads standard input, and an INPUT is given")
        }
        // It uses only standard input and output.
        let others =
            "output suffix force skip-existing remove-source base64 spool-limit progress "
            + "recursive"
        for other in others.split(separator: " ") {
            try arguments.allowOne(of: "lines", String(other))
        }
        let source = try SecretSource(arguments, isNew: isNew)
        let job = FileJob(input: .standardInput, output: .standardOutput)
        _ = try FilePlan([job], secrets: source.files)
        return try source.credential()
    }

    /// Whether a line is an empty cell of a dump: it has only spaces, tabs and carriage returns, or
    /// nothing.
    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { byte in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
    }

    // MARK: Line by line

    /// Reads standard input to its end.
    /// - Parameters:
    ///   - count: how many lines are worked on together, at most.
    ///   - passesBlankLines: whether a blank line passes through as it is, where it would fail.
    ///   - work: gets a block and the places of lines in it, and returns what becomes of each.
    ///   - append: appends that to the output, or says why it cannot be part of it.
    /// - Throws: if lines failed, an error with their number; or the error of reading or writing.
    private static func run(
        byteLimit: Int, together count: Int,
        passesBlankLines: Bool = false,
        _ work: (_ block: [UInt8], _ lines: [Range<Int>]) -> [Result<[UInt8], CryptorError>],
        append: ([UInt8], inout [UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        let tooLong = CommandError(
            .malformed, "It has more than \(byteLimit) bytes. Encrypt and decrypt it as a file.")
        var reader = LineReader(byteLimit: byteLimit)
        var lineCount = 0
        var failed = FailedLines()
        var output: [UInt8] = []
        do throws(CommandError) {
            while try reader.readBlock() {
                for start in stride(from: 0, to: reader.lines.count, by: count) {
                    let lines = reader.lines[start...].prefix(count)
                    var results = work(reader.block, lines.compactMap(\.self)).makeIterator()
                    if Interruption.signal != 0 { throw .interrupted }
                    output.removeAll(keepingCapacity: true)
                    for (index, line) in lines.enumerated() {
                        let end = output.count
                        do throws(CommandError) {
                            guard line != nil, let result = results.next() else { throw tooLong }
                            try append(try commandError(try result.get()), &output)
                        } catch {
                            output.removeSubrange(end...)
                            // Asked only here, so that it costs the other lines nothing.
                            if passesBlankLines, let line, isBlank(reader.block[line]) {
                                output += reader.block[line]
                            } else {
                                failed.add(error, number: lineCount + index + 1)
                            }
                            output.append(newline)
                        }
                    }
                    try Report.write(output)
                    lineCount += lines.count
                }
            }
        } catch {
            failed.reportRest()
            guard Interruption.signal != 0 else { throw error }
            throw CommandError(
                .interrupted,
                "interrupted; \(lineCount) lines are done, and perhaps a part of the next ones")
        }
        if let error = failed.error(of: lineCount) { throw error }
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
