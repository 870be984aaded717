import CryptorFiles

/// `--lines`: each line of the input is worked on by itself and becomes a line of the output.
///
/// Line n of the output belongs to line n of the input, always, whatever fails (``LineWork``).
/// Otherwise `paste` and the like would give a row the plaintext of another.
///
/// The whole lines of what one read returns are worked on and written before the next read, so a
/// program that sends one line and waits gets its answer at once.
struct Lines {
    static let option = Option(
        "lines",
        goesWithLines: true,
        "Convert each line of INPUT by itself: text into a message in base64, or back.")

    /// For `rekey` and `verify`.
    static let messagesOption = Option(
        "lines",
        goesWithLines: true,
        "Treat each line of FILE, or of standard input, as a message of its own.")

    static let freshSalts = Option(
        "fresh-salts",
        goesWithLines: true,
        """
        With --lines and a password, use new salts for each line, which takes hundreds of times as \
        long. Without it, all lines of a run share their salts, so anybody can see that they \
        belong together.
        """)

    private static let jsonHelp =
        "With --lines, each line is a JSON value: a string, or null for an empty cell."

    /// For `encrypt`, which reads no messages.
    static let json = Option("json", goesWithLines: true, jsonHelp)

    /// For `decrypt` and `rekey`.
    static let jsonMessages = Option(
        "json", goesWithLines: true, "\(jsonHelp) Messages may also be unquoted.")

    /// For `verify`.
    static let verdicts = Option(
        "json",
        goesWithLines: true,
        """
        With --lines, write true or false for each line, or null for an empty cell. A message may \
        be a JSON string.
        """)

    static let newline = UInt8(ascii: "\n")

    private let isJSON: Bool
    private let form: PlaintextForm
    private let input: FileEndpoint
    private let destination: Destination
    private let overwrites: Bool

    // MARK: Options

    /// Whether `--lines` is given.
    /// - Throws: `usage`, for an option that does not say that it goes with `--lines`; without it,
    ///   for one that needs it.
    static func areWanted(_ arguments: Arguments) throws(CommandError) -> Bool {
        if arguments.contains("lines") {
            try checkOptions(arguments)
            return true
        }
        for option in [freshSalts, json, PlaintextForm.option]
        where arguments.contains(option.name) {
            throw .usage("--\(option.name) needs --lines")
        }
        return false
    }

    static func checkOptions(_ arguments: Arguments) throws(CommandError) {
        for (option, _) in arguments.options where !option.goesWithLines {
            try arguments.allowOne(of: "lines", option.name)
        }
    }

    /// What the lines are read from.
    static func input(_ arguments: Arguments) throws(CommandError) -> FileEndpoint {
        guard arguments.operands.count <= 1 else {
            throw .usage("--lines takes one INPUT, or standard input")
        }
        let operand = arguments.operands.first ?? "-"
        return operand.file(dash: .standardInput)
    }

    private init(_ arguments: Arguments) throws(CommandError) {
        input = try Self.input(arguments)
        destination = Destination.named(by: arguments) ?? .standardOutput
        overwrites = arguments.contains("force")
        isJSON = arguments.contains("json")
        form = try PlaintextForm(arguments)
    }

    // MARK: Subcommands

    static func encrypt(_ arguments: Arguments) throws {
        let source = try SecretSource(arguments, isNew: true)
        try Lines(arguments).run(secrets: source.files) {
            .encrypt(try sealer(arguments, try source.credential()))
        }
    }

    static func decrypt(_ arguments: Arguments) throws {
        let accepted = try AcceptedVersions(arguments)
        let source = try SecretSource(arguments, isNew: false)
        try Lines(arguments).run(secrets: source.files) {
            .decrypt(try LineOpener(try source.credential(), accepting: accepted))
        }
    }

    static func rekey(_ arguments: Arguments) throws {
        let accepted = try AcceptedVersions(arguments)
        let secrets = try RekeySecrets(arguments)
        try Lines(arguments).run(secrets: secrets.files) {
            let (reader, writer) = try secrets.credentials(
                leavingNew: true,
                hint: """
                    To try only the old ones, pipe 'rncryptor decrypt --lines --plaintext hex' \
                    into 'rncryptor encrypt --lines --plaintext hex'. Lines that fail become empty.
                    """)
            return .rekey(
                try LineOpener(reader, accepting: accepted),
                try sealer(arguments, writer))
        }
    }

    static func verify(_ arguments: Arguments) throws {
        let accepted = try AcceptedVersions(arguments)
        let source = try SecretSource(arguments, isNew: false)
        try Lines(arguments).run(secrets: source.files) {
            .verify(try LineOpener(try source.credential(), accepting: accepted))
        }
    }

    private static func sealer(
        _ arguments: Arguments, _ credential: Credential
    ) throws -> LineSealer {
        try LineSealer(credential, drawsSalts: arguments.contains("fresh-salts"))
    }

    // MARK: Line by line

    /// Looks at the files, asks for the secrets, and works on all lines.
    /// - Throws: if lines failed, an error with their number, after all was written; or the error
    ///   of reading or writing, after which no file appears.
    private func run(
        secrets: [FileEndpoint], _ makeKind: () throws -> LineWork.Kind
    ) throws {
        let output = destination.single ?? .standardOutput
        let job = FileJob(input: input, output: output)
        _ = try FilePlan([job], secrets: secrets, overwrites: overwrites, hintForDirectory: nil)
        let work = LineWork(
            try makeKind(), form: form, isJSON: isJSON,
            isForTerminal: destination.isProtectedTerminal)

        var reader = try LineReader.open(input, byteLimit: work.byteLimit)
        var lines = try LineOutput(output, overwrites: overwrites)
        var tally = LineTally(of: input)
        func tellOfRotation(isOver: Bool) {
            guard work.isRekeying else { return }
            tally.tellOfRotation(isJSON: isJSON, isOver: isOver)
        }
        do {
            try convertAll(work, from: &reader, to: &lines, &tally)
        } catch {
            tally.reportRest()
            tellOfRotation(isOver: false)
            let isInterrupted = Interruption.signal != 0
            let failure = isInterrupted ? lines.interrupted(after: tally.written.total) : error
            lines.discard()
            throw failure
        }
        do { try lines.publish() } catch {
            tally.reportRest()
            throw error
        }
        tally.warnOfLookalikes()
        tally.warnOfNulls()
        tellOfRotation(isOver: true)
        if let error = tally.error { throw error }
    }

    private func convertAll(
        _ work: LineWork, from reader: inout LineReader, to lines: inout LineOutput,
        _ tally: inout LineTally
    ) throws {
        var output: [UInt8] = []
        var isFirst = true
        while try reader.readBlock() {
            if isFirst, let line = reader.lines.first ?? nil,
                let flaw = work.flawOfEncoding(line, of: reader.block)
            {
                Report.complain("warning", "line 1: \(flaw) It is encrypted as it is.")
            }
            isFirst = false
            for start in stride(from: 0, to: reader.lines.count, by: LineWork.batchCount) {
                var batch = reader.lines[start...].prefix(LineWork.batchCount)
                // A line that is too long cannot be kept.
                let end = work.keepsFailed ? batch.firstIndex(of: nil) : nil
                if let end { batch = batch[..<end] }
                output.removeAll(keepingCapacity: true)
                try convert(batch, of: reader.block, by: work, into: &output, &tally)
                try lines.write(output)
                tally.noteWritten()
                guard end == nil else {
                    let error = CommandError(
                        .malformed,
                        """
                        It has more than \(work.byteLimit) bytes and cannot be copied, so the run \
                        ends here. Rekey it as a file.
                        """)
                    throw tally.ending(error)
                }
            }
        }
    }

    /// Appends the lines that others become.
    private func convert(
        _ lines: ArraySlice<Range<Int>?>, of block: [UInt8], by work: LineWork,
        into output: inout [UInt8], _ tally: inout LineTally
    ) throws {
        let batch = work.read(lines, of: block)
        tally.addLookalikes(work.lookalikeCount(in: batch))
        tally.addEncryptedNulls(work.nullCount(in: batch))
        guard let outcomes = work.outcomes(of: batch), Interruption.signal == 0 else {
            throw CommandError.interrupted
        }
        for (index, range) in lines.enumerated() {
            let range = range ?? 0..<0
            let start = output.count
            if work.isNull(outcomes[index]) { tally.addDecryptedNull() }
            do {
                try work.append(
                    outcomes[index], of: batch[index], range, in: block, to: &output)
                tally.add(outcomes[index])
            } catch {
                output.removeSubrange(start...)
                work.appendFailed(range, of: block, to: &output)
                if let flaw = error as? PlaintextFlaw {
                    tally.add(flaw)
                } else {
                    tally.add(
                        work.explained(CommandError(error), range, of: block),
                        isMarkedByVerify: work.isMarkedByVerify(range, of: block))
                }
            }
        }
    }
}
