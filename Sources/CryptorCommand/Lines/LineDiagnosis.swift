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

    /// What is said of each line, if the file is UTF-16.
    private var utf16: Diagnosis?
    /// The last lines, if they may be one message with the next.
    private var failed: [FailedLine] = []
    private var wrapped = WrappedText(decodingLines: MessageSpelling.message)

    /// How many lines have a result, and how many of these are written, or in the report.
    private var doneCount = 0
    private var writtenCount = 0

    private init(
        _ credentials: [Credential], _ accepted: AcceptedVersions, isJSON: Bool, iterationLimit: Int
    ) throws {
        self.isJSON = isJSON
        let opener = try LineOpener(SecretSource.keyring(credentials), accepting: accepted)
        work = LineWork(.verify(opener), isJSON: isJSON, isForTerminal: false)
        diagnoser = Diagnoser(
            iterationsUpTo: iterationLimit,
            decodingLines: MessageSpelling.message,
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
                    writtenCount = doneCount
                }
            }
            try Report.write(try resultsOfFailed())
        } catch {
            throw Interruption.signal != 0 ? output.interrupted(after: writtenCount) : error
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
            guard case .failed(let error) = outcomes[index] else {
                output += try resultsOfFailed()
                if case .empty = outcomes[index] {
                    output += emptyResult().utf8
                } else {
                    doneCount += 1
                    output += json(Self.opened).utf8
                }
                continue
            }
            let bytes = range.map { Array(block[$0]) }
            if doneCount == 0, failed.isEmpty { utf16 = bytes.flatMap(Diagnosis.ofUTF16) }
            var string: LineText?
            if case .text(let text) = batch[index], text.isString { string = text }
            let line = FailedLine(bytes: bytes, error: error, string: string)
            let text = string == nil ? bytes ?? [] : []
            if !wrapped.take(text) {
                output += try resultsOfFailed()
                _ = wrapped.take(text)
            }
            failed.append(line)
            if !wrapped.mayContinue { output += try resultsOfFailed() }
        }
        return output
    }

    private static let opened = Diagnosis([], "It opens as it is.", opens: true)
    private static let empty = Diagnosis([], "It is an empty cell.")

    private mutating func emptyResult() -> String {
        doneCount += 1
        report.emptyCount += 1
        return json(Self.empty, opens: "null")
    }

    private func json(_ found: Diagnosis, opens: String? = nil) -> String {
        isJSON ? "{\"line\": \(doneCount), \(found.members(opens: opens))}\n" : ""
    }

    // MARK: Lines that do not open

    /// What there is to write about the lines that wait for others.
    private mutating func resultsOfFailed() throws -> [UInt8] {
        defer {
            failed = []
            wrapped = WrappedText(decodingLines: MessageSpelling.message)
        }
        let wrapped = failed.count > 1 ? try diagnosisOfWrapped() : nil
        var output: [UInt8] = []
        for line in failed {
            let utf16 = line.hasZeros ? utf16 : nil
            if utf16 != nil, line.isBlankInUTF16 {
                output += emptyResult().utf8
                continue
            }
            var found: Diagnosis
            if let wrapped, !wrapped.causes.isEmpty {
                found = wrapped
            } else {
                found = try utf16 ?? diagnosis(of: line)
                if let wrapped, Self.shownByBytes.isSuperset(of: found.causes) { found = wrapped }
            }
            doneCount += 1
            tally.count(found)
            if isJSON {
                output += json(found).utf8
            } else {
                output += report.add(found, line: doneCount).utf8
            }
        }
        return output
    }

    private mutating func diagnosis(of line: FailedLine) throws -> Diagnosis {
        let code = (line.error as? CryptorError)?.code
        if code == .cryptoLibraryFailure { throw line.error }
        guard let bytes = line.bytes else {
            return Diagnosis([], CommandError(line.error).message)
        }
        let text = line.string.map { Array($0.bytes[$0.range]) } ?? bytes
        let found = try diagnoser.diagnosis(
            ofLine: text, isString: line.string != nil, isRefused: code == .authenticationFailed)
        let whole = LineText(bytes: bytes, range: bytes.indices)
        if found.causes == [.jsonString], !isJSON, (try? whole.json(allowsBare: false)) != nil {
            return Diagnosis(found.causes, ForeignLine.adviceOnStrings)
        }
        guard found.causes == [.foreign] else { return found }
        if let sentence = ForeignLine.sentence(of: whole, isJSON: isJSON, holdsMessages: true) {
            return Diagnosis(found.causes, sentence)
        }
        guard let error = line.error as? CommandError else { return found }
        // It may be a message that was damaged.
        return Diagnosis([], error.message, possible: [.truncated])
    }

    /// What is certain without the HMAC, if it is a message, or none.
    private static let shownByBytes: Set<Cause> = [
        .truncated, .utf8Damaged, .needsPassword, .needsKeys, .foreign,
    ]

    /// What is wrong with several lines that may be one message: only the HMAC shows that they are,
    /// and that nothing follows it.
    private mutating func diagnosisOfWrapped() throws -> Diagnosis {
        let found = try diagnoser.diagnosis(ofLine: wrapped.text, isRefused: false)
        let isOne = Set(found.causes).isDisjoint(with: [.trailingBytes, .severalMessages])
        guard found.opens || isOne && !Self.shownByBytes.isSuperset(of: found.causes) else {
            let isUnknown = found.causes.isEmpty
            return Diagnosis(
                [], isUnknown ? found.advice : "It is no message by itself.",
                possible: [.wrappedLines] + (isUnknown ? found.possible : found.causes))
        }
        let lines = doneCount + 1...doneCount + failed.count
        let advice = """
            Lines \(lines.lowerBound) to \(lines.upperBound) are one message, which was wrapped: \
            it is no input for --lines. 'sed -n \(lines.lowerBound),\(lines.upperBound)p' extracts \
            it for 'rncryptor decrypt' without --lines. In a query of PostgreSQL, \
            translate(encode(COLUMN, 'base64'), E'\\n', '') avoids the newlines.
            """
        var more = found.opens ? "" : " \(found.advice)"
        if found.opens, MessageSpelling.isHexadecimal(wrapped.text) {
            more = " It is hexadecimal text: decode it with 'xxd -r -p'."
        }
        return Diagnosis([.wrappedLines] + found.causes, advice + more)
    }
}

/// A line that does not open.
private struct FailedLine {
    /// Nil if it is too long.
    let bytes: [UInt8]?
    /// Why it does not open, as `verify` says it.
    let error: any Error
    /// What it stands for as a string of JSON.
    let string: LineText?

    var hasZeros: Bool { bytes?.contains(0) == true }

    /// Whether there is only white space, whose first byte may belong to the line before.
    var isBlankInUTF16: Bool {
        bytes?.allSatisfy { $0 == 0 || $0 == UInt8(ascii: "\r") } == true
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
        /// Whether numbers in the advice are those of the first line.
        var isOfFirst = false
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
        if groups[group].diagnosis.advice != found.advice { groups[group].isOfFirst = true }
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
            let note =
                group.isOfFirst
                ? "For line \(group.firstLine) (--json has each line's own): " : ""
            text += """
                \(group.label): \(count)\(lines) \(group.firstLine). \
                \(note)\(group.diagnosis.sentences)

                """
        }
        return text + """
            \(lineCount) \(lineCount == 1 ? "line" : "lines"): \
            \(lineCount - failureCount - emptyCount) opened, \(failureCount) not opened, \
            \(emptyCount) empty

            """
    }
}
