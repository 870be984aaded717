import CryptorFiles

/// What has become of the lines so far. The first that fail are named as they fail, and the others
/// are counted.
struct LineTally {
    private static let namedCount = 10

    /// Before the number of a line in its error.
    private let place: String
    /// How many lines are written.
    private(set) var doneCount = 0
    private var failureCount = 0
    /// How many failed because an HMAC did not match.
    private var mismatchCount = 0
    private var hasOpened = false
    /// How many plaintexts look like messages.
    private var lookalikeCount = 0
    /// How many lines were encrypted as text, or are plaintexts, that COPY has for NULL.
    private var (encryptedNullCount, decryptedNullCount) = (0, 0)
    private var status = ExitStatus.malformed
    /// Whether `verify --lines --json` tells more of the lines than this run.
    private let mayBeVerified: Bool

    init(of input: FileEndpoint, mayBeVerified: Bool) {
        place = input.descriptor == nil ? "\(input): line" : "line"
        self.mayBeVerified = mayBeVerified
    }

    mutating func addDone(_ count: Int) { doneCount += count }

    mutating func addLookalikes(_ count: Int) { lookalikeCount += count }

    mutating func addEncryptedNulls(_ count: Int) { encryptedNullCount += count }

    mutating func addDecryptedNull() { decryptedNullCount += 1 }

    /// Notes whether a line was worked on, even if its plaintext cannot be written.
    mutating func add(_ outcome: LineWork.Outcome) {
        switch outcome {
        case .message, .plaintext, .authentic, .kept: hasOpened = true
        case .empty, .failed: break
        }
    }

    /// - Parameter index: that of the line among those that are not done yet.
    mutating func add(_ error: CommandError, at index: Int) {
        failureCount += 1
        if error.status == .authenticationFailed { mismatchCount += 1 }
        switch error.status {
        case .software: status = .software
        // A failure of OpenSSL says nothing about the message, so it outweighs this.
        case .authenticationFailed where status != .software: status = .authenticationFailed
        default: break
        }
        if failureCount <= Self.namedCount {
            Report.complain("error", "\(place) \(doneCount + index + 1): \(error.message)")
        }
    }

    /// The error of the first line that is not done, if it ends the run.
    func ending(_ error: CommandError) -> CommandError {
        CommandError(error.status, "\(place) \(doneCount + 1): \(error.message)")
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
            let lines = encryptedNullCount == 1 ? "1 line is" : "\(encryptedNullCount) lines are"
            let verb = encryptedNullCount == 1 ? "was" : "were"
            Report.complain(
                "warning", "\(lines) \\N, NULL for COPY, and \(verb) encrypted as text.")
        }
        if decryptedNullCount > 0 {
            let plaintexts =
                decryptedNullCount == 1 ? "1 plaintext is" : "\(decryptedNullCount) plaintexts are"
            Report.complain("warning", "\(plaintexts) \\N, which COPY takes for NULL.")
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
        let lines = doneCount == 1 ? "line" : "lines"
        return CommandError(
            status, "\(failureCount) of \(doneCount) \(lines) failed, \(named)", hint: hint)
    }

    private var hint: String? {
        // The others may be the head of a table.
        if !hasOpened, mismatchCount > failureCount / 2 {
            return "No line opened: the password or the keys are probably wrong."
        }
        guard failureCount > Self.namedCount, mayBeVerified else { return nil }
        return "'rncryptor verify --lines --json' marks all of them."
    }

    private var named: String {
        failureCount > Self.namedCount
            ? "the first \(Self.namedCount) are named above" : "see above"
    }
}
