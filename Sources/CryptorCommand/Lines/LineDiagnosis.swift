import CryptorDiagnosis
import CryptorFiles

/// `diagnose --lines`: why messages in lines do not open. Lines are read as `verify --lines` reads
/// them, and those that it opens cost no more than there.
struct LineDiagnosis {
    private let isJSON: Bool
    private let work: LineWork
    private var diagnoser: Diagnoser
    private var report = LineReport()
    private var tally = DiagnosisTally()

    /// How many lines are written, or in the report.
    private var doneCount = 0

    private init(
        _ credentials: [Credential], _ accepted: AcceptedVersions, isJSON: Bool, iterationLimit: Int
    ) throws {
        self.isJSON = isJSON
        let opener = try LineOpener(SecretSource.keyring(credentials), accepting: accepted)
        work = LineWork(.verify(opener), isJSON: isJSON, isForTerminal: false)
        diagnoser = Diagnoser(
            iterationsUpTo: iterationLimit,
            decodingLines: Self.message,
            credentials: { credentials },
            shouldStop: { Interruption.signal != 0 })
    }

    static func run(_ arguments: Arguments, iterationLimit: Int) throws {
        let input = try Lines.input(arguments)
        let source = try SecretSource(arguments, isNew: false)
        _ = try FilePlan([FileJob(input: input)], secrets: source.files, hintForDirectory: nil)
        var diagnosis = try LineDiagnosis(
            try source.credentials(), try AcceptedVersions(arguments),
            isJSON: arguments.contains("json"), iterationLimit: iterationLimit)
        try diagnosis.run(input)
    }

    private mutating func run(_ input: FileEndpoint) throws {
        var reader = try LineReader.open(input, byteLimit: work.byteLimit)
        let output = try LineOutput(.standardOutput, overwrites: false)
        do {
            while try reader.readBlock() {
                for start in stride(from: 0, to: reader.lines.count, by: LineWork.batchCount) {
                    let batch = reader.lines[start...].prefix(LineWork.batchCount)
                    try Report.write(try results(of: batch, in: reader.block))
                    doneCount += batch.count
                }
            }
        } catch {
            throw Interruption.signal != 0 ? output.interrupted(after: doneCount) : error
        }
        if !isJSON { try Report.tell(sentences: report.end(lineCount: doneCount)) }
        if tally.status != .success { throw CommandError(tally.status, "") }
    }

    /// What there is to write about lines.
    private mutating func results(
        of lines: ArraySlice<Range<Int>?>, in block: [UInt8]
    ) throws -> [UInt8] {
        let batch = work.read(lines, of: block)
        guard let outcomes = work.outcomes(of: batch) else { throw CommandError.interrupted }
        var output: [UInt8] = []
        for (index, range) in lines.enumerated() {
            let number = doneCount + index + 1
            switch outcomes[index] {
            case .failed(let error):
                let found = try diagnosis(of: batch[index], range, in: block, after: error)
                tally.count(found)
                if isJSON {
                    output += Self.json(number, found, opens: "\(found.opens)").utf8
                } else {
                    output += report.add(found, line: number).utf8
                }
            case .empty:
                if isJSON { output += Self.json(number, Self.empty, opens: "null").utf8 }
                report.emptyCount += 1
            case .message, .plaintext, .authentic, .alreadyNew:
                if isJSON { output += Self.json(number, Self.opened, opens: "true").utf8 }
            }
        }
        return output
    }

    private static let opened = Diagnosis([], "It opens as it is.", opens: true)
    private static let empty = Diagnosis([], "It is an empty cell.")

    private static func json(_ number: Int, _ found: Diagnosis, opens: String) -> String {
        "{\"line\": \(number), \(found.members(opens: opens))}\n"
    }

    // MARK: A line that does not open

    /// - Parameters:
    ///   - range: where it is in the block; nil if it is too long.
    ///   - error: why it does not open, as `verify` says it.
    private mutating func diagnosis(
        of line: LineWork.Line, _ range: Range<Int>?, in block: [UInt8], after error: any Error
    ) throws -> Diagnosis {
        let code = (error as? CryptorError)?.code
        if code == .cryptoLibraryFailure { throw error }
        guard let range else { return Diagnosis([], CommandError(error).message) }
        let whole = LineText(bytes: block, range: range)
        var text = whole
        if case .text(let found) = line { text = found }
        let found = try diagnoser.diagnosis(
            ofLine: Array(text.bytes[text.trimmed]), isRefused: code == .authenticationFailed)
        if found.opens { return found }
        // What the reader says of lines is better than what can be said of any bytes.
        if found.causes.count <= 1,
            let sentence = ForeignLine.sentence(of: whole, isJSON: isJSON, holdsMessages: true)
        {
            return Diagnosis(found.causes, sentence, possible: found.possible)
        }
        guard found.causes.isEmpty || found.causes == [.foreign],
            let error = error as? CommandError
        else { return found }
        // It may be a message that was damaged.
        return Diagnosis([], error.message, possible: [.truncated])
    }

    /// The message that a text in a line stands for; nil if it is spelled as none.
    private static func message(of text: [UInt8]) -> [UInt8]? {
        let text = LineText(bytes: text, range: text.indices)
        var message: [UInt8] = []
        do { try MessageSpelling(of: text).decode(text, into: &message) } catch { return nil }
        return message
    }
}

/// What people read: the lines that do not open, with their causes, and what each cause means once.
private struct LineReport {
    /// Lines that do not open for the same reason.
    private struct Group {
        let label: String
        let firstLine: Int
        let diagnosis: Diagnosis
        var count = 0
    }

    var emptyCount = 0
    private var failureCount = 0
    private var groups: [Group] = []
    private var indices: [String: Int] = [:]
    /// The last lines that are of one group and have no other line between them.
    private var last: (lines: ClosedRange<Int>, group: Int)?

    /// - Returns: what is to be written now.
    mutating func add(_ found: Diagnosis, line: Int) -> String {
        failureCount += 1
        let group = group(of: found, line)
        groups[group].count += 1
        if let (lines, before) = last, before == group, lines.upperBound == line - 1 {
            last = (lines.lowerBound...line, group)
            return ""
        }
        let text = lastLines
        last = (line...line, group)
        return text
    }

    private var lastLines: String {
        guard let (lines, group) = last else { return "" }
        let numbers =
            lines.count == 1
            ? "line \(lines.lowerBound)" : "lines \(lines.lowerBound)-\(lines.upperBound)"
        return "\(numbers): \(groups[group].label)\n"
    }

    /// Numbers in the advice, such as those of bytes, make no other group.
    private mutating func group(of found: Diagnosis, _ line: Int) -> Int {
        let name = found.causes.isEmpty ? "no cause found" : found.names
        let key = "\(name). \(found.sentences.filter { !$0.isNumber })"
        if let index = indices[key] { return index }
        let sameCount = groups.count { $0.diagnosis.causes == found.causes }
        let label = sameCount == 0 ? name : "\(name) (\(sameCount + 1))"
        groups.append(Group(label: label, firstLine: line, diagnosis: found))
        indices[key] = groups.count - 1
        return groups.count - 1
    }

    /// The rest, with what was found most often first.
    func end(lineCount: Int) -> String {
        var text = lastLines
        for group in groups.sorted(by: { ($1.count, $0.firstLine) < ($0.count, $1.firstLine) }) {
            let lines = group.count == 1 ? "line" : "lines, the first is"
            let count = group.count == 1 ? "" : "\(group.count) "
            text += """
                \(group.label): \(count)\(lines) \(group.firstLine). \(group.diagnosis.sentences)

                """
        }
        return text + """
            \(lineCount) \(lineCount == 1 ? "line" : "lines"): \
            \(lineCount - failureCount - emptyCount) opened, \(failureCount) not opened, \
            \(emptyCount) empty

            """
    }
}
