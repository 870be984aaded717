package import CryptorFiles

/// Searches for what happened to a message and to its password or keys. What a wrong password and
/// an altered message have in common is never taken for a cause: the HMAC and the padding decide,
/// or bytes that say it themselves.
///
/// Each result of an ``AlterationSearch`` that may be a message is tried under the secrets as they
/// are, then under one mistake in them. A message that ends before its bytes do takes the longest
/// to find, and comes last.
package struct Diagnoser {
    /// How many salts are tried under mistakes, since keys take time.
    private static let maximumSaltsCount = 8
    /// After how many unexplained lines no more mistakes are tried on salts that were tried.
    private static let maximumUnexplainedCount = 8
    /// In how many reconstructions a message is searched for that ends before their bytes do.
    private static let maximumBeginningCount = 8
    /// The length of the longest input that is held in memory.
    private static let memoryByteLimit = 256 * 1024 * 1024
    /// How many bytes may be hashed for what is not certain, if they are not too long for that.
    private static let effortByteCount = 1 << 30

    private let source: () throws -> [Credential]
    private let iterationLimit: Int
    /// How messages are spelled in lines; nil for files.
    private let lineDecoder: LineDecoder?
    private let shouldStop: () -> Bool
    /// What was given, and then what it may have been; nil until a file needs them.
    private var candidates: [(credential: Credential, suspect: Suspect?)]?

    /// The trials of one file or of all lines, with the keys that were derived.
    private var trials: [Trial] = []
    private var saltsTried: [MessageHeader.Salts] = []
    /// Whether the line is a string of JSON, which is looked at without its quotes and escapes.
    private var isString = false
    /// Whether the line is known to be authentic under nothing that was given.
    private var isRefused = false
    /// How many lines have been unexplained since other salts were tried.
    private var unexplainedCount = 0
    /// Whether not all was tried on the line, since others have taken long enough.
    private var hasStopped = false
    /// What may be hashed under suspects, and for messages that end before their bytes do.
    private var effort = Trial.Effort(byteCount: 0)
    private var effortForEnds = Trial.Effort(byteCount: 0)

    /// What a text in a line stands for; nil if it is spelled as no message is.
    package typealias LineDecoder = (_ text: [UInt8]) -> [UInt8]?

    /// - Parameters:
    ///   - limit: the most iterations that are tried.
    ///   - decoder: for lines, which hold text. What this decodes is not a cause.
    ///   - credentials: called once a file may be a message, and not again.
    ///   - shouldStop: asked all the time. If it returns true, `cancelled` is thrown.
    package init(
        iterationsUpTo limit: Int, decodingLines decoder: LineDecoder? = nil,
        credentials: @escaping () throws -> [Credential],
        shouldStop: @escaping () -> Bool
    ) {
        iterationLimit = limit
        lineDecoder = decoder
        source = credentials
        self.shouldStop = shouldStop
    }

    /// A regular file may have any length. Of anything else, up to 256 MiB are read into memory.
    /// - Throws: `cancelled`; the error of `credentials`, as `underlyingError` of `callbackFailed`;
    ///   `cryptoLibraryFailure`, or why the file cannot be read.
    package mutating func diagnosis(of file: FileEndpoint) throws(CryptorError) -> Diagnosis {
        let (shouldStop, limit) = (shouldStop, Self.memoryByteLimit)
        let opened = try file.openForRandomAccess(
            holding: limit, orFailWith: "It is larger than 256 MiB, the limit of diagnose.",
            progress: { _ in if shouldStop() { throw CancellationError() } })
        return try diagnosis(
            of: Contents(
                Contents.Source(
                    byteCount: opened.byteCount, bytes: opened.bytes, shouldStop: shouldStop)))
    }

    /// - Throws: `cancelled`, `callbackFailed` or `cryptoLibraryFailure`.
    package mutating func diagnosis(of bytes: [UInt8]) throws(CryptorError) -> Diagnosis {
        try diagnosis(of: Contents(bytes, shouldStop: shouldStop))
    }

    /// Finds out about the next of many lines. All lines together may take as long as one file, but
    /// for the keys of what was given, and of what explained a line before.
    /// - Parameters:
    ///   - text: what should be a message.
    ///   - isString: whether it was in a string of JSON.
    ///   - isRefused: whether its HMAC does not match under what was given.
    /// - Throws: as for a file.
    package mutating func diagnosis(
        ofLine text: [UInt8], isString: Bool = false, isRefused: Bool
    ) throws(CryptorError) -> Diagnosis {
        self.isString = isString
        self.isRefused = isRefused
        hasStopped = false
        var found = try search(Contents(text, shouldStop: shouldStop))
        // So little text is taken for other text, unless every line is a message.
        if found.causes == [.foreign], let message = lineDecoder?(text),
            message.count == 1 || MessageShape(message).mayBegin
        {
            found = try search(Contents(message, shouldStop: shouldStop))
        }
        let isPartial = hasStopped || effort.isUsedUp || effortForEnds.isUsedUp
        guard found.causes.isEmpty, !found.opens else { return found }
        unexplainedCount += 1
        if isPartial { found.advice += Self.stopNote }
        return found
    }

    private static let stopNote = """
         The full search has stopped, because it would take too long for each line: only what \
        explained a line before was tried.
        """

    mutating func diagnosis(of input: Contents) throws(CryptorError) -> Diagnosis {
        trials = []
        var found = try search(input)
        if !input.isShort, found.causes.isEmpty, !found.opens {
            found.advice += " More than two changes at once are searched for up to 16 MiB only."
        }
        return found
    }

    private mutating func search(_ input: Contents) throws(CryptorError) -> Diagnosis {
        if input.byteCount == 0 {
            return Diagnosis(
                [.truncated],
                """
                It is empty: it was never written, or its contents were lost. Fetch it again.
                """)
        }
        if try input.forEachPiece({ piece in piece.allSatisfy { $0 == 0 } }) {
            return Diagnosis(
                [.onlyZeros],
                """
                It has only zero bytes: its contents were lost or never written. Fetch it again.
                """)
        }
        var search = AlterationSearch(input, decodingLines: lineDecoder)
        var reconstructions: [Reconstruction] = []
        let found = try search.first { (contents, path) throws(CryptorError) -> Diagnosis? in
            let shape = MessageShape(contents)
            guard shape.mayBeMessage else { return nil }
            let reconstruction = Reconstruction(
                path: path, isSound: shape.isSound, isOfString: isString,
                contents: contents.isShort ? nil : contents)
            reconstructions.append(reconstruction)
            guard shape.isSound else { return nil }
            return try diagnosisIfAuthentic(contents, reconstruction)
        }
        if let found { return found }
        if ForeignStart.isOtherPEM(input.excerpt) { return diagnosis(ofNoMessage: input) }
        // The most likely one comes last, because its bytes are needed once more then.
        guard let likely = reconstructions.first(where: \.isLikely) ?? reconstructions.first else {
            return diagnosis(ofNoMessage: input)
        }
        // What was without a newline at its end is looked at with it: it follows the message.
        let others = reconstructions.prefix(Self.maximumBeginningCount).filter {
            $0 !== likely && $0.causes().last != .trailingNewline && !$0.readsLines
                && !$0.causes().contains(.truncated)
        }
        for reconstruction in others {
            guard let contents = try reconstruction.contents(search) else { continue }
            if let found = try diagnosisOfBeginning(of: contents, reconstruction) { return found }
        }
        guard let contents = try likely.contents(search) else {
            return diagnosis(ofNoMessage: input)
        }
        if !likely.readsLines, !likely.causes().contains(.truncated),
            let found = try diagnosisOfBeginning(of: contents, likely)
        {
            return found
        }
        return try diagnosisOfUnknown(contents, likely, among: reconstructions)
    }

    // MARK: Trials

    private mutating func prepareTrials(for contents: Contents) throws(CryptorError) {
        guard trials.isEmpty else { return }
        if candidates == nil {
            let given: [Credential]
            do { given = try source() } catch { throw .fromCallback(error) }
            let suspects = given.flatMap { $0.suspects(iterationsUpTo: iterationLimit) }
            candidates = given.map { ($0, nil) } + suspects.map { ($0.credential, $0) }
        }
        trials = (candidates ?? []).map { credential, suspect in
            Trial(credential, suspect: suspect, shouldStop: shouldStop)
        }
        saltsTried = []
        // Of long contents, only a few whole ones are hashed for suspects.
        let few = 4 * contents.byteCount
        effort = Trial.Effort(byteCount: contents.isShort ? Self.effortByteCount : few)
        effortForEnds = Trial.Effort(byteCount: max(Self.effortByteCount, few))
    }

    /// The first result of `attempt` with what was given and then with what is only suspected.
    /// What explained a line before is tried whatever it takes, but nothing that is known to fail.
    private mutating func first<Found>(
        for contents: Contents, _ reconstruction: Reconstruction,
        _ attempt: (Trial) throws(CryptorError) -> Found?
    ) throws(CryptorError) -> (found: Found, trial: Trial)? {
        try prepareTrials(for: contents)
        let isRefused = isRefused && reconstruction.isLine
        func isWorthwhile(_ trial: Trial) -> Bool {
            trial.hasExplained || trial.suspect == nil && !isRefused
        }
        for trial in trials where isWorthwhile(trial) {
            if let found = try attempt(trial) { return (found, trial) }
        }
        guard mayTryAll(on: contents, reconstruction) else { return nil }
        for trial in trials where !isWorthwhile(trial) {
            guard let found = try attempt(trial) else { continue }
            trial.hasExplained = true
            return (found, trial)
        }
        return nil
    }

    private mutating func mayTryAll(
        on contents: Contents, _ reconstruction: Reconstruction
    ) -> Bool {
        // Of some lines, parts look like messages by chance. Their salts would take the place of
        // those that later lines have.
        if lineDecoder != nil, !reconstruction.isLikely { return false }
        guard let salts = MessageShape(contents).salts else { return true }
        let isNew = !saltsTried.contains(salts)
        if isNew, saltsTried.count < Self.maximumSaltsCount {
            saltsTried.append(salts)
            unexplainedCount = 0
            return true
        }
        if !isNew, unexplainedCount < Self.maximumUnexplainedCount { return true }
        hasStopped = true
        return false
    }

    // MARK: A message whose HMAC is right

    /// Nil if the message is authentic under nothing that was given or suspected.
    private mutating func diagnosisIfAuthentic(
        _ message: Contents, _ reconstruction: Reconstruction
    ) throws(CryptorError) -> Diagnosis? {
        try prepareTrials(for: message)
        let effort = effort
        var hasBadPadding = false
        let first = try first(for: message, reconstruction) {
            (trial) throws(CryptorError) -> Trial.Verdict? in
            let isGiven = trial.suspect == nil
            let verdict = try trial.verdict(on: message, effort: isGiven ? nil : effort)
            switch verdict {
            case .opens, .aes128:
                return verdict
            case .badPadding:
                hasBadPadding = hasBadPadding || isGiven
                return nil
            case .notAuthentic:
                return nil
            }
        }
        if let (verdict, trial) = first {
            if verdict == .aes128 {
                return diagnosis(
                    reconstruction, [trial.suspect?.cause, .aes128],
                    saying: [trial.suspect?.advice, Self.aes128Advice],
                    version: trial.suspect == nil ? nil : message.excerpt[0])
            }
            guard let suspect = trial.suspect else {
                return try opening(message, reconstruction, under: trial)
            }
            return diagnosis(
                reconstruction, [suspect.cause], saying: [suspect.advice],
                version: message.excerpt[0])
        }
        guard hasBadPadding else { return nil }
        let advice = "\(Self.paddingAdvice) The program that wrote the message is faulty."
        return Diagnosis([], (reconstruction.advice() + [advice]).joined(separator: " "))
    }

    /// The diagnosis of a message that opens under what was given.
    private func opening(
        _ message: Contents, _ reconstruction: Reconstruction, under trial: Trial
    ) throws(CryptorError) -> Diagnosis {
        let version = message.excerpt[0]
        guard reconstruction.isRead, Self.noteOnVersion(version) == nil else {
            let happened = reconstruction.path.isEmpty ? "The HMAC matches." : nil
            return diagnosis(reconstruction, [], saying: [happened], version: version)
        }
        var advice = ["It opens as it is."]
        if reconstruction.causes() == [], !reconstruction.path.isEmpty {
            advice.append("It is base64 text, which other programs need decoded first.")
        }
        advice += reconstruction.advice()
        if try trial.holdsMessage(message) {
            advice.append("Its plaintext looks like another message: decrypt that as well.")
        }
        if trial.credential.password != nil {
            advice.append("The newline at the end of a password file is not part of the password.")
        }
        return Diagnosis(reconstruction.causes(), advice.joined(separator: " "), opens: true)
    }

    /// What is certain of a reconstruction.
    /// - Parameters:
    ///   - hasMore: whether other bytes follow the message, so that 'decrypt' does not read it.
    ///   - version: if it is to be said that this is not read without an option.
    private func diagnosis(
        _ reconstruction: Reconstruction, hasMore: Bool = false, _ causes: [Cause?],
        saying advice: [String?], version: UInt8? = nil
    ) -> Diagnosis {
        let note = version.flatMap(Self.noteOnVersion)
        let noted: [Cause] = note == nil ? [] : [.versionNotAccepted]
        let sentences =
            reconstruction.advice(hasMore: hasMore) + (advice + [note]).compactMap(\.self)
        return Diagnosis(
            reconstruction.causes(hasMore: hasMore) + causes.compactMap(\.self) + noted,
            sentences.joined(separator: " "))
    }

    /// What is to be known of a version that is not read without an option.
    private static func noteOnVersion(_ version: UInt8) -> String? {
        if let version = FormatVersion(rawValue: version),
            Acceptance.default.contains(Acceptance([version]))
        {
            return nil
        }
        return """
            It has version \(version): use --accept v\(version) to read it. 'rncryptor rekey' \
            converts it.
            """
    }

    private static let paddingAdvice = "The HMAC matches, but the padding is wrong."

    private static let aes128Advice = """
        \(paddingAdvice) It is right for AES-128 with the first 16 bytes of the encryption key: \
        decrypt the message with the program that wrote it, and encrypt it again.
        """

    // MARK: A message that ends before its bytes do

    /// Nil if the bytes do not begin with a message that opens.
    private mutating func diagnosisOfBeginning(
        of contents: Contents, _ reconstruction: Reconstruction
    ) throws(CryptorError) -> Diagnosis? {
        guard contents.byteCount > FormatVersion.shortestMessageByteCount else { return nil }
        try prepareTrials(for: contents)
        let (effort, effortForEnds) = (effort, effortForEnds)
        let first = try first(for: contents, reconstruction) {
            (trial) throws(CryptorError) -> Int? in
            // After a step, long contents are decoded again to be hashed.
            let isFast = contents.isShort || reconstruction.path.isEmpty
            return try trial.end(
                ofMessageIn: contents,
                effort: trial.suspect == nil && isFast ? effortForEnds : effort)
        }
        guard let (end, trial) = first else { return nil }
        let (cause, advice) = try Self.rest(of: contents, from: end)
        return diagnosis(
            reconstruction, hasMore: true, [cause, trial.suspect?.cause],
            saying: [advice, trial.suspect?.advice],
            version: contents.excerpt[0])
    }

    /// What follows a message.
    private static func rest(
        of contents: Contents, from end: Int
    ) throws(CryptorError) -> (Cause, String) {
        let count = contents.byteCount - end
        let range = end..<contents.byteCount
        if try contents.forEachPiece(in: range, { piece in piece.allSatisfy { $0 == 0 } }) {
            return (
                .trailingBytes,
                """
                Zero bytes follow the message (\(count)), as databases and disks add them: remove \
                them, for example with 'head -c \(end)'.
                """
            )
        }
        let next = MessageShape(
            start: try contents.bytes(in: range.prefix(FormatVersion.longestHeaderByteCount))[...],
            end: try contents.bytes(in: range.suffix(MessageHeader.decidingEndByteCount))[...],
            byteCount: count)
        if next.mayBeMessage, count >= FormatVersion.shortestMessageByteCount {
            return (
                .severalMessages,
                """
                Another message follows this one: 'head -c \(end)' extracts the first, 'tail -c \
                +\(end + 1)' the rest.
                """
            )
        }
        return (
            .trailingBytes,
            """
            Other bytes follow the message (\(count)): remove them, for example with 'head -c \
            \(end)'.
            """
        )
    }

    // MARK: Any other message

    /// - Parameter reconstruction: the most likely one.
    private mutating func diagnosisOfUnknown(
        _ message: Contents, _ reconstruction: Reconstruction,
        among reconstructions: [Reconstruction]
    ) throws(CryptorError) -> Diagnosis {
        var found = Diagnosis([], "Wrong password or keys, or the message was altered.")
        for other in reconstructions where other.isLikely == reconstruction.isLikely {
            for cause in other.causes() {
                found.add(possible: cause)
            }
        }
        // After another change, the result may look like a message by chance.
        let isCertain = reconstruction.isEvident
        if isCertain, reconstruction.causes().contains(.truncated) {
            return diagnosis(reconstruction, [], saying: [])
        }
        if isCertain, try Self.isTextWithReplacements(message) {
            return diagnosis(
                reconstruction, [.utf8Damaged],
                saying: [
                    """
                    It was read as UTF-8 text, which replaced all other bytes. That cannot be \
                    undone: fetch it again in binary, or send it as base64 text.
                    """
                ])
        }
        let version = message.excerpt[0]
        if isCertain, !reconstruction.isSound {
            if let added = try Self.whatMayBeAdded(to: message) {
                found.add(possible: added)
            } else if try Self.mayLackCarriageReturns(message) {
                found.add(possible: .textMode)
            } else {
                return diagnosis(
                    reconstruction, [.truncated],
                    saying: [
                        """
                        No message of version \(version) has \(message.byteCount.counted("byte")): \
                        some are missing or were added. Fetch it again in binary.
                        """
                    ])
            }
        }
        found.add(possible: .truncated)
        guard isCertain, reconstruction.isSound, version > 0 else { return found }
        if try isAuthenticAsOtherKind(message) { return found }

        let isOfPassword = message.excerpt[1] == 1
        let isGiven = trials.contains { trial in
            trial.suspect == nil && (trial.credential.password != nil) == isOfPassword
        }
        guard isGiven else {
            let cause = isOfPassword ? Cause.needsPassword : .needsKeys
            let advice =
                isOfPassword
                ? "It was encrypted with a password, but you gave keys: use the password."
                : """
                It was encrypted with keys, but you gave a password: use the keys, with --key-file.
                """
            return diagnosis(reconstruction, [cause], saying: [advice])
        }
        if isOfPassword { found.add(possible: .iterations) }
        return found
    }

    /// Whoever altered the bit for the kind of credential has made the one kind of message look
    /// like the other.
    private func isAuthenticAsOtherKind(_ message: Contents) throws(CryptorError) -> Bool {
        var start = Array(message.excerpt.prefix(FormatVersion.longestHeaderByteCount))
        start[1] ^= 1
        for trial in trials where trial.suspect == nil {
            let verdict = try trial.verdict(on: message, start: start, effort: nil)
            if verdict != .notAuthentic { return true }
        }
        return false
    }

    /// What may be behind a message that does not open: only if it did, it would be certain.
    private static func whatMayBeAdded(to message: Contents) throws(CryptorError) -> Cause? {
        let excerpt = message.excerpt
        let zeroCount = excerpt.reversed().prefix(FormatSize.block).prefix { $0 == 0 }.count
        for count in 0..<zeroCount {
            let shorter = MessageShape(
                start: excerpt[...], end: excerpt.dropLast(count + 1),
                byteCount: message.byteCount - count - 1)
            if shorter.isSound { return .trailingBytes }
        }
        guard let header = MessageShape(message).header else { return nil }
        let shortest = header.byteCount + header.version.heldBackByteCount
        let limit = min(message.byteCount, 1 << 20)
        let start = try message.bytes(in: 0..<min(message.byteCount, limit + 64))
        let hasSecond = stride(from: shortest, to: limit, by: FormatSize.block).contains { end in
            start[end...].prefix(2) == start.prefix(2)
                && MessageShape(
                    start: start[end...], end: start[end...], byteCount: message.byteCount - end
                ).isSound
        }
        return hasSecond ? .severalMessages : nil
    }

    /// Whether so many bytes have so many LF and no CR LF that some CR may be missing. Which, is
    /// not tried.
    private static func mayLackCarriageReturns(_ message: Contents) throws(CryptorError) -> Bool {
        guard message.byteCount >= 16 * 1024 else { return false }
        var hasLines = false
        var previous: UInt8 = 0
        let hasNoPair = try message.forEachPiece { piece in
            for byte in piece {
                if byte == UInt8(ascii: "\n") {
                    if previous == UInt8(ascii: "\r") { return false }
                    hasLines = true
                }
                previous = byte
            }
            return true
        }
        return hasLines && hasNoPair
    }

    /// Whether the message is UTF-8 text with the character that stands for what was none.
    private static func isTextWithReplacements(_ message: Contents) throws(CryptorError) -> Bool {
        var hasReplacements = false
        var rest: [UInt8] = []
        let isText = try message.forEachPiece { piece in
            rest += piece
            // The last character may not be complete: it has up to three more bytes.
            let found: Int? = rest.suffix(4).lastIndex { $0 & 0xC0 != 0x80 }
            guard let start = found,
                let text = String(validating: rest[..<start], as: UTF8.self)
            else { return false }
            hasReplacements = hasReplacements || text.unicodeScalars.contains("\u{FFFD}")
            rest = Array(rest[start...])
            return true
        }
        guard isText, let text = String(validating: rest, as: UTF8.self) else { return false }
        return hasReplacements || text.unicodeScalars.contains("\u{FFFD}")
    }

    // MARK: No message

    private func diagnosis(ofNoMessage input: Contents) -> Diagnosis {
        let start = input.excerpt
        if !ForeignStart.isCertain(start), let text = MessageText.cause(in: start) {
            let named = lineDecoder == nil ? [text] : []
            guard text == .base64, let found = MessageText.firstForeign(in: start) else {
                return Diagnosis(
                    [], "Part of the text may be lost or altered.", possible: named + [.truncated])
            }
            return Diagnosis(
                [],
                """
                It has base64 text and other characters, of which the first is \(found): part of \
                it may be altered.
                """,
                possible: named + [.leadingBytes, .trailingBytes, .truncated])
        }
        // It is spelled like a message, and may be one with other bytes before it.
        if let lineDecoder, start.count >= FormatVersion.shortestMessageByteCount,
            start.allSatisfy({ ByteSet.wordsOfBase64.contains($0) || $0 == UInt8(ascii: "\\") }),
            lineDecoder(start) != nil
        {
            return Diagnosis(
                [], "What this text stands for does not begin like a message.",
                possible: [.leadingBytes])
        }
        if let foreign = ForeignStart.of(start) { return Diagnosis([.foreign], foreign) }
        guard MessageShape.isVersion(start[0]) else {
            return Diagnosis(
                [],
                """
                It does not start like an RNCryptor message. It is another kind of file, or its \
                beginning was damaged.
                """)
        }
        var advice = "Wrong password or keys, or the message was altered."
        if start.count == 1 {
            advice = "It has only 1 byte, with which a message may begin."
        } else if !MessageShape(input).mayBegin {
            advice = """
                The options byte is \(start[1]), but must be 0 (keys) or 1 (password): the message \
                was damaged, or written by a faulty program.
                """
        }
        return Diagnosis([], advice, possible: [.truncated])
    }
}

/// What may be a message, and what had to be undone for it.
private final class Reconstruction {
    let path: AlterationSearch.Path
    let isSound: Bool
    /// Whether the contents were in a string of JSON.
    private let isOfString: Bool
    /// Nil for short contents: those of all reconstructions would fill memory.
    private let contents: Contents?

    init(path: AlterationSearch.Path, isSound: Bool, isOfString: Bool, contents: Contents?) {
        self.path = path
        self.isSound = isSound
        self.isOfString = isOfString
        self.contents = contents
    }

    /// What is left of the contents that were searched.
    func contents(_ search: AlterationSearch) throws(CryptorError) -> Contents? {
        if let contents { return contents }
        return try search.result(of: path)
    }

    var isLikely: Bool { isSound && path.allSatisfy { $0.alteration.evidence != .hmac } }

    /// What was done to what is read as a line anyway; for files, everything.
    private var undone: AlterationSearch.Path { path.filter { !$0.isOfLine } }

    /// Whether it is what was in a line, as lines are read.
    var isLine: Bool { undone.isEmpty }

    /// Whether the bytes show what happened: one thing at most, and perhaps base64 text.
    var isEvident: Bool {
        path.allSatisfy { $0.alteration.evidence == .bytes }
            && path.count { $0.alteration.adviceIfRead == nil } <= 1
    }

    /// Whether 'decrypt' reads it as it is: bytes, or text that it decodes itself.
    var isRead: Bool {
        isLine || path.count == 1 && path[0].alteration.adviceIfRead != nil
    }

    /// In place of the advice of the last step, if 'decrypt' reads the text.
    private var adviceIfRead: String? {
        path.last.flatMap { step in
            step.alteration.adviceIfRead.map { step.isOfLine ? "" : $0 }
        }
    }

    var readsLines: Bool { path.contains { $0.alteration.followers != nil } }

    /// - Parameter hasMore: whether other bytes follow the message.
    func causes(hasMore: Bool = false) -> [Cause] {
        let isRead = !hasMore && adviceIfRead == ""
        let steps = isRead ? path.dropLast() : path[...]
        return steps.filter { !$0.isOfLine }.map(\.alteration.cause)
    }

    /// Commands make of a line what 'decrypt' reads without --lines.
    func advice(hasMore: Bool = false) -> [String] {
        if isLine, !hasMore { return [] }
        var advice = path.map(\.advice)
        if !hasMore, let adviceIfRead { advice[advice.count - 1] = adviceIfRead }
        if isOfString { advice.insert(Self.adviceOnStrings, at: 0) }
        return advice.filter { !$0.isEmpty }
    }

    private static let adviceOnStrings = "Extract the text of the JSON string with 'jq -j .'."
}
