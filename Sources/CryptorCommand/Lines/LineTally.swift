import CryptorFiles

/// What has become of the lines so far. The first that fail are named as they fail, and the others
/// are counted.
struct LineTally {
    private static let namedCount = 10

    /// Before the number of a line in its error.
    private let place: String
    /// Of the lines that are written.
    private(set) var written = OutcomeCounts()
    /// Of the lines after those.
    private var next = OutcomeCounts()
    /// How many failed because an HMAC did not match.
    private var mismatchCount = 0
    /// How many of those that failed get `false` of `verify --lines --json`.
    private var markedCount = 0
    private var flawCounts: [PlaintextFlaw: Int] = [:]
    private var hasOpened = false
    /// How many plaintexts look like messages.
    private var lookalikeCount = 0
    /// How many lines were encrypted as text, or are plaintexts, that COPY has for NULL.
    private var (encryptedNullCount, decryptedNullCount) = (0, 0)
    private var status = ExitStatus.malformed

    init(of input: FileEndpoint) {
        place = input.descriptor == nil ? "\(input): line" : "line"
    }

    private var failureCount: Int { written.failed + next.failed }

    mutating func addLookalikes(_ count: Int) { lookalikeCount += count }

    mutating func addEncryptedNulls(_ count: Int) { encryptedNullCount += count }

    mutating func addDecryptedNull() { decryptedNullCount += 1 }

    /// Adds the next line, which did not fail.
    mutating func add(_ outcome: LineWork.Outcome) {
        switch outcome {
        case .message, .plaintext, .authentic:
            next.written += 1
            hasOpened = true
        case .alreadyNew:
            next.alreadyNew += 1
            hasOpened = true
        case .empty:
            next.empty += 1
        case .failed:
            preconditionFailure("its error is added")
        }
    }

    /// Adds the next line, which failed.
    mutating func add(_ error: CommandError, isMarkedByVerify: Bool) {
        if error.status == .authenticationFailed { mismatchCount += 1 }
        if isMarkedByVerify { markedCount += 1 }
        switch error.status {
        case .software: status = .software
        // A failure of OpenSSL says nothing about the message, so it outweighs this.
        case .authenticationFailed where status != .software: status = .authenticationFailed
        default: break
        }
        addFailure(error.message)
    }

    /// Adds the next line, whose plaintext cannot be written.
    mutating func add(_ flaw: PlaintextFlaw) {
        hasOpened = true
        flawCounts[flaw, default: 0] += 1
        addFailure(flaw.sentence)
    }

    private mutating func addFailure(_ sentence: String) {
        next.failed += 1
        guard failureCount <= Self.namedCount else { return }
        Report.complain("error", "\(place) \(written.total + next.total): \(sentence)")
    }

    /// Notes that all lines so far are written.
    mutating func noteWritten() {
        written += next
        next = OutcomeCounts()
    }

    /// The error of the first line that is not done, if it ends the run.
    func ending(_ error: CommandError) -> CommandError {
        CommandError(error.status, "\(place) \(written.total + 1): \(error.message)")
    }

    /// Whoever gives messages to `encrypt` may have meant `rekey`, or has encrypted them before.
    func warnOfLookalikes() {
        switch lookalikeCount {
        case 0:
            return
        case 1:
            Report.complain(
                "warning", "1 line looks like a message already, and was encrypted again.")
        case let count:
            Report.complain(
                "warning", "\(count) lines look like messages already, and were encrypted again.")
        }
    }

    /// A dump may have been meant, whose `\N` is NULL.
    func warnOfNulls() {
        if encryptedNullCount > 0 {
            let lines = encryptedNullCount.counted("line")
            let (verb, auxiliary) = encryptedNullCount == 1 ? ("is", "was") : ("are", "were")
            Report.complain(
                "warning",
                "\(lines) \(verb) \\N, NULL for COPY, and \(auxiliary) encrypted as text.")
        }
        if decryptedNullCount > 0 {
            let plaintexts = decryptedNullCount.counted("plaintext")
            let verb = decryptedNullCount == 1 ? "is" : "are"
            Report.complain("warning", "\(plaintexts) \(verb) \\N, which COPY takes for NULL.")
        }
    }

    /// Says what `rekey` has done.
    /// - Parameter isOver: whether all lines are written.
    func tellOfRotation(isJSON: Bool, isOver: Bool) {
        if isJSON {
            Report.note(json: written.rekeyedJSON)
        } else {
            Report.complain("note", written.rekeyed("line", isOver: isOver))
        }
    }

    /// Before another error ends the run: says how many there are, if not all were named.
    func reportRest() {
        guard failureCount > Self.namedCount else { return }
        Report.complain("error", "\(failureCount) lines failed, \(named)")
    }

    /// Nil if no line failed.
    var error: CommandError? {
        guard failureCount > 0 else { return nil }
        let lines = written.total.counted("line")
        return CommandError(
            status, "\(failureCount) of \(lines) failed, \(named)", hint: hint)
    }

    private var hint: String? {
        // The others may be the head of a table.
        if !hasOpened, mismatchCount > failureCount / 2 {
            return "No line opened: the password or the keys are probably wrong."
        }
        guard failureCount > Self.namedCount else { return nil }
        var hints: [String] = []
        if markedCount > 0 {
            let marked = markedCount == failureCount ? "all" : "\(markedCount)"
            hints.append(
                """
                'rncryptor verify --lines --json' marks \(marked) of them; 'rncryptor diagnose \
                --lines' may find the causes.
                """)
        }
        hints += PlaintextFlaw.allCases.compactMap { flaw in
            flawCounts[flaw].map { flaw.hint(count: $0) }
        }
        return hints.isEmpty ? nil : hints.joined(separator: "\n")
    }

    private var named: String {
        failureCount > Self.namedCount
            ? "the first \(Self.namedCount) are named above" : "see above"
    }
}
