import CryptorFiles

/// `--lines`: each line of standard input is worked on by itself and becomes a line of standard output.
///
/// What one read returns is a block. Its whole lines are worked on and written before the next read, so a program that
/// sends one line and waits gets its answer at once.
enum Lines {
    static let encryption = Option(
        "lines", "Make a message of each line of standard input: one base64 text a line.")
    static let decryption = Option(
        "lines", "Decrypt each line of standard input, a message in base64 text, into a line of plaintext.")

    /// The most bytes of a line of plaintext, and those of its message in base64 text.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    private static let messageByteLimit = (plaintextByteLimit + 82 + 2) / 3 * 4
    private static let newline = UInt8(ascii: "\n")

    static let freshSalts = Option(
        "fresh-salts",
        "With --lines and a password, draw new salts for each line, which takes more than a thousand times as long. Without it the "
            + "lines of one run share their salts, and anybody can see that they belong together.")

    static func encrypt(_ arguments: Arguments) throws(CommandError) {
        let credential = try credential(arguments, isNew: true)
        let cryptor = try cryptor(credential)
        let drawsSalts = arguments.contains("fresh-salts")
        try run(byteLimit: plaintextByteLimit, together: drawsSalts ? 16 : 1024) { block, lines, output, failures in
            for line in lines {
                failures.take(line) { () throws(CommandError) in
                    let message = try commandError { () throws(CryptorError) in
                        let plaintext = block[line.range]
                        return drawsSalts
                            ? try Cryptor.encrypt(plaintext, with: credential) : try cryptor.encrypt(plaintext)
                    }
                    Cryptor.base64Text(of: span(of: message, 0..<message.count), into: &output)
                    output.append(newline)
                }
            }
        }
    }

    static func decrypt(_ arguments: Arguments) throws(CommandError) {
        let accepting = try Acceptance(arguments)
        let credential = try credential(arguments, isNew: false)
        let cryptor = try cryptor(credential)
        let isForTerminal = FileEndpoint.standardOutput.isTerminal
        try run(byteLimit: messageByteLimit, together: 1024) { block, lines, output, failures in
            // Messages whose keys have to be derived, which is done for sixteen of them together.
            var waiting: [(line: Line, message: [UInt8])] = []
            func decryptWaiting() {
                if waiting.isEmpty { return }
                let plaintexts = cryptor.decryptAll(waiting.map(\.message), accepting: accepting)
                for ((line, _), plaintext) in zip(waiting, plaintexts) {
                    failures.take(line) { () throws(CommandError) in
                        try append(try commandError(plaintext.get), to: &output, isForTerminal)
                    }
                }
                waiting.removeAll(keepingCapacity: true)
            }
            var message: [UInt8] = []
            for line in lines {
                var plaintext: [UInt8]?
                failures.take(line) { () throws(CommandError) in
                    try commandError { () throws(CryptorError) in
                        message.removeAll(keepingCapacity: true)
                        try Cryptor.message(fromBase64: span(of: block, line.range), into: &message)
                        plaintext = try cryptor.openAtOnce(message, accepting: accepting)?.plaintext
                        if plaintext == nil { waiting.append((line, message)) }
                    }
                }
                if let plaintext {
                    decryptWaiting()
                    failures.take(line) { () throws(CommandError) in
                        try append(plaintext, to: &output, isForTerminal)
                    }
                }
                if waiting.count == 16 { decryptWaiting() }
            }
            decryptWaiting()
        }
    }

    // MARK: Setting up

    private static func credential(_ arguments: Arguments, isNew: Bool) throws(CommandError) -> Credential {
        guard arguments.operands.isEmpty || arguments.operands == ["-"] else {
            throw .usage("--lines reads standard input, and an INPUT is given")
        }
        let others = [
            "output", "suffix", "force", "remove-source", "base64", "spool-limit", "progress", "recursive",
        ]
        if let option = others.first(where: arguments.contains) {
            throw .usage(
                "--lines and --\(option) cannot be used together: --lines uses only standard input and output")
        }
        let source = try SecretSource(arguments, isNew: isNew)
        _ = try FilePlan([FileJob(input: .standardInput, output: .standardOutput)], secrets: source.files)
        return try source.credential()
    }

    private static func cryptor(_ credential: Credential) throws(CommandError) -> KeyedCryptor {
        try commandError { () throws(CryptorError) in try KeyedCryptor(credential) }
    }

    private static func append(
        _ plaintext: [UInt8], to output: inout [UInt8], _ isForTerminal: Bool
    ) throws(CommandError) {
        let start = output.count
        output += plaintext
        // The newline is checked as well: before it, a carriage return at the end of the plaintext is harmless.
        output.append(newline)
        let failure: String
        if firstIndex(of: newline, in: output, start..<output.count - 1) != nil {
            failure = "The plaintext holds a newline and would become two lines. Decrypt it without --lines."
        } else if isForTerminal, !TerminalText.isHarmless(Array(output[start...])) {
            failure = "The plaintext is not plain text, and could control the terminal. Redirect standard output."
        } else {
            return
        }
        output.removeSubrange(start...)
        throw CommandError(.malformed, failure)
    }

    // MARK: Blocks

    /// Reads standard input to its end.
    /// - Parameters:
    ///   - count: how many lines are worked on together, at most.
    ///   - work: gets a block and lines in it, appends the output, and notes the failures.
    /// - Throws: if lines failed, an error with their number; or the error of reading or writing.
    private static func run(
        byteLimit: Int, together count: Int,
        _ work: (_ block: [UInt8], _ lines: ArraySlice<Line>, _ output: inout [UInt8], inout LineFailures) -> Void
    ) throws(CommandError) {
        var reader = LineReader(byteLimit: byteLimit)
        var failures = LineFailures()
        var output: [UInt8] = []
        while true {
            do throws(CommandError) {
                guard try reader.readBlock() else { break }
            } catch {
                throw Interruption.signal == nil ? error : failures.interrupted
            }
            for line in reader.tooLong {
                failures.take(line) { () throws(CommandError) in
                    throw CommandError(
                        .malformed, "It has more than \(byteLimit) bytes. Encrypt and decrypt it as a file.")
                }
            }
            var rest = reader.lines[...]
            while let last = rest.prefix(count).last {
                if Interruption.signal != nil { throw failures.interrupted }
                output.removeAll(keepingCapacity: true)
                work(reader.block, rest.prefix(count), &output, &failures)
                if let number = writeAll(output, to: STDOUT_FILENO) {
                    throw Interruption.signal == nil ? .unwritable(.standardOutput, number) : failures.interrupted
                }
                failures.lineCount = last.number
                rest = rest.dropFirst(count)
            }
            failures.lineCount = reader.lineCount
        }
        try failures.finish()
    }
}

/// A line of standard input.
private struct Line {
    /// Counted from 1.
    let number: Int
    /// Where it is in its block, without its newline.
    let range: Range<Int>
}

/// Reads standard input in blocks of whole lines. The last line may lack its newline.
private struct LineReader {
    private static let byteCount = 128 * 1024

    private let byteLimit: Int
    private(set) var block: [UInt8] = []
    /// The lines that are whole in the block.
    private(set) var lines: [Line] = []
    /// Those that are longer than the limit and were skipped.
    private(set) var tooLong: [Line] = []
    private(set) var lineCount = 0
    /// The start of the next line, which the block ends with.
    private var start = 0..<0
    /// Whether the next line has begun and is longer than the limit already, so that its start was dropped.
    private var isTooLong = false
    private var isAtEnd = false

    /// - Parameter byteLimit: the most bytes that a line may have.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Waits for the next block, which may have no whole line.
    /// - Returns: false after the end of the input.
    mutating func readBlock() throws(CommandError) -> Bool {
        lines.removeAll(keepingCapacity: true)
        tooLong = []
        guard !isAtEnd else { return false }
        if start.lowerBound > 0 {
            // A slice would keep the block from being changed in place.
            block.replaceSubrange(..<start.count, with: Array(block[start]))
            start = 0..<start.count
        }
        let missing = start.count + Self.byteCount - block.count
        if missing > 0 { block.append(contentsOf: repeatElement(0, count: missing)) }
        if Interruption.signal != nil { throw .interrupted }
        let count = readBytes(STDIN_FILENO, into: &block, at: start.count, atMost: Self.byteCount)
        guard count >= 0 else { throw .unreadable(.standardInput, errno) }

        let end = start.count + count
        var next = start.count
        while let newline = firstIndex(of: UInt8(ascii: "\n"), in: block, next..<end) {
            endLine(at: newline)
            next = newline + 1
            start = next..<next
        }
        start = start.lowerBound..<end
        isAtEnd = count == 0
        if isAtEnd, !start.isEmpty || isTooLong { endLine(at: end) }
        if start.count > byteLimit { isTooLong = true }
        if isTooLong { start = end..<end }
        return true
    }

    private mutating func endLine(at end: Int) {
        lineCount += 1
        let line = Line(number: lineCount, range: start.lowerBound..<end)
        if isTooLong || line.range.count > byteLimit { tooLong.append(line) } else { lines.append(line) }
        isTooLong = false
    }
}

/// The lines that could not be worked on.
private struct LineFailures {
    /// How many are named.
    private static let namedCount = 10

    /// How many lines were written or failed.
    var lineCount = 0
    private var count = 0
    private var status = ExitStatus.malformed

    /// Does `work` for a line, and notes its failure.
    mutating func take(_ line: Line, _ work: () throws(CommandError) -> Void) {
        do throws(CommandError) { try work() } catch {
            count += 1
            if error.status == .software { status = .software }
            guard count <= Self.namedCount else { return }
            Report.complain(
                CommandError(error.status, "line \(line.number): \(error.message)", hint: error.hint))
        }
    }

    func finish() throws(CommandError) {
        guard count > 0 else { return }
        let named = count > Self.namedCount ? "the first \(Self.namedCount) are named above" : "see above"
        throw CommandError(status, "\(count) of \(lineCount) lines failed, \(named)")
    }

    var interrupted: CommandError {
        CommandError(.interrupted, "interrupted; \(lineCount) lines are done, and perhaps a part of the next ones")
    }
}
