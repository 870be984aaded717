import CryptorFiles

/// Searches for what happened to a message and to its password or keys. What a wrong password and
/// an altered message have in common is never taken for a cause: the HMAC and the padding decide,
/// or bytes that say it themselves.
///
/// Each result of a ``WaySearch`` that may be a message is tried under the secrets as they are,
/// then under one mistake in them. A message that ends before its bytes do takes the longest to
/// find, and comes last.
struct Examination {
    /// What may be a message, and what had to be undone for it.
    private struct End {
        let path: WaySearch.Path
        let isSound: Bool

        var isLikely: Bool { isSound && path.allSatisfy(\.way.isLikely) }
        var causes: [Cause] { path.map(\.way.cause) }
        var advice: [String] { path.map { $0.way.advice($0.place) } }
    }

    /// How many salts are tried under mistakes, since keys take time.
    private static let maximumSaltsCount = 8
    /// How many ends may be the beginning of a message.
    private static let maximumBeginningCount = 8

    private let source: () throws(CommandError) -> [Credential]
    private let iterationLimit: Int
    private var given: [Credential]?
    private var suspects: [Suspect] = []

    /// The trials of one file, with the keys that were derived for it.
    private var trials: [Trial] = []
    private var suspectTrials: [Trial] = []
    private var saltsTried: [MessageHeader.Salts] = []
    private var effort: Trial.Effort? = Trial.Effort()

    /// - Parameter credentials: called once a file needs them, and not again.
    init(
        _ credentials: @escaping () throws(CommandError) -> [Credential], iterationsUpTo limit: Int
    ) {
        source = credentials
        iterationLimit = limit
    }

    /// - Parameter input: all of a file.
    mutating func diagnosis(of input: [UInt8]) throws(CommandError) -> Diagnosis {
        if input.isEmpty {
            return Diagnosis(
                [.truncated],
                """
                It is empty: it was never written, or its contents were lost. Fetch it again.
                """)
        }
        if try commandError(try Self.hasOnlyZeros(input)) {
            return Diagnosis(
                [.onlyZeros],
                """
                It has only zero bytes: its contents were lost or never written. Fetch it again.
                """)
        }
        trials = []
        var search = WaySearch(input)
        var ends: [End] = []
        let found = try search.first { (bytes, path) throws(CommandError) -> Diagnosis? in
            guard Way.mayBeMessage(bytes[...]) else { return nil }
            let end = End(path: path, isSound: Way.isSound(bytes[...]))
            ends.append(end)
            guard end.isSound else { return nil }
            try prepareTrials()
            return try commandError(try self.found(bytes, end))
        }
        if let found { return found }
        // The most likely end comes last, because its bytes are needed once more then.
        guard let likely = ends.firstIndex(where: \.isLikely) ?? ends.indices.first else {
            return Self.unlike(input)
        }
        let others = ends.indices.prefix(Self.maximumBeginningCount).filter { $0 != likely }
        for index in others {
            let bytes = try commandError(try search.result(of: ends[index].path)) ?? []
            if let found = try foundBeginning(of: bytes, ends[index]) { return found }
        }
        let bytes = try commandError(try search.result(of: ends[likely].path)) ?? []
        if let found = try foundBeginning(of: bytes, ends[likely]) { return found }
        return try commandError(try unverified(bytes, ends[likely], of: ends))
    }

    private static func hasOnlyZeros(_ input: [UInt8]) throws(CryptorError) -> Bool {
        var isZero = true
        try Interruption.pieces(of: input.indices) { piece in
            isZero = isZero && input[piece].allSatisfy { $0 == 0 }
        }
        return isZero
    }

    private mutating func prepareTrials() throws(CommandError) {
        guard trials.isEmpty else { return }
        if given == nil {
            let credentials = try source()
            given = credentials
            suspects = credentials.flatMap { $0.suspects(iterationsUpTo: iterationLimit) }
        }
        trials = (given ?? []).map { Trial($0) }
        suspectTrials = suspects.map { Trial($0.credential) }
        saltsTried = []
        effort = Trial.Effort()
    }

    // MARK: A message whose HMAC and padding are right

    /// Nil if the message opens under nothing that was given or suspected.
    private mutating func found(_ message: [UInt8], _ end: End) throws(CryptorError) -> Diagnosis? {
        var faulty: Diagnosis?
        for index in trials.indices {
            var unlimited: Trial.Effort?
            switch try trials[index].verdict(on: message[...], effort: &unlimited) {
            case .notAuthentic:
                continue
            case .opens:
                return opening(message, end, under: trials[index].credential)
            case .aes128:
                return diagnosis(end, [.aes128], advice: Self.aes128Advice)
            case .badPadding:
                let advice = "\(Self.paddingAdvice) The program that wrote the message is faulty."
                faulty = Diagnosis([], (end.advice + [advice]).joined(separator: " "))
            }
        }
        guard mayTrySuspects(on: message) else { return faulty }
        for (index, suspect) in suspects.enumerated() {
            switch try suspectTrials[index].verdict(on: message[...], effort: &effort) {
            case .notAuthentic, .badPadding:
                continue
            case .opens:
                return diagnosis(end, [suspect.cause], advice: suspect.advice, version: message[0])
            case .aes128:
                let advice = "\(suspect.advice) \(Self.aes128Advice)"
                return diagnosis(
                    end, [suspect.cause, .aes128], advice: advice, version: message[0])
            }
        }
        return faulty
    }

    private mutating func mayTrySuspects(on message: [UInt8]) -> Bool {
        let start = message.prefix(FormatVersion.longestHeaderByteCount)
        guard let salts = (try? MessageHeader(parsing: start))?.salts else { return true }
        if saltsTried.contains(salts) { return true }
        guard saltsTried.count < Self.maximumSaltsCount else { return false }
        saltsTried.append(salts)
        return true
    }

    /// The message that begins here and ends before the bytes do.
    private mutating func foundBeginning(
        of bytes: [UInt8], _ end: End
    ) throws(CommandError) -> Diagnosis? {
        guard bytes.count > FormatVersion.shortestMessageByteCount else { return nil }
        try prepareTrials()
        return try commandError(try foundEnd(of: bytes, end))
    }

    private mutating func foundEnd(
        of bytes: [UInt8], _ end: End
    ) throws(CryptorError) -> Diagnosis? {
        for index in trials.indices {
            let found = try trials[index].end(
                ofMessageIn: bytes[...], isShort: false, effort: &effort)
            guard let found else { continue }
            return beginning(of: bytes, upTo: found, end)
        }
        guard mayTrySuspects(on: bytes) else { return nil }
        for (index, suspect) in suspects.enumerated() {
            let found = try suspectTrials[index].end(
                ofMessageIn: bytes[...], isShort: true, effort: &effort)
            guard let found else { continue }
            return beginning(of: bytes, upTo: found, end, suspect)
        }
        return nil
    }

    private func beginning(
        of bytes: [UInt8], upTo byteCount: Int, _ end: End, _ suspect: Suspect? = nil
    ) -> Diagnosis {
        let rest = bytes[byteCount...]
        var cause = Cause.trailingBytes
        var advice = """
            Other bytes follow the message (\(rest.count)): remove them, for example with 'head -c \
            \(byteCount)'.
            """
        if rest.allSatisfy({ $0 == 0 }) {
            advice = """
                Zero bytes follow the message (\(rest.count)), as databases and disks add them: \
                remove them, for example with 'head -c \(byteCount)'.
                """
        } else if Way.mayBeMessage(rest) {
            cause = .severalMessages
            advice = """
                Another message follows this one: 'head -c \(byteCount)' extracts the first, 'tail \
                -c +\(byteCount + 1)' the rest.
                """
        }
        guard let suspect else { return diagnosis(end, [cause], advice: advice, version: bytes[0]) }
        return diagnosis(
            end, [cause, suspect.cause], advice: "\(advice) \(suspect.advice)", version: bytes[0])
    }

    /// The diagnosis of a message that opens.
    private func opening(
        _ message: [UInt8], _ end: End, under credential: Credential
    ) -> Diagnosis {
        if !end.path.isEmpty { return diagnosis(end, [], advice: nil, version: message[0]) }
        if let note = Self.noteOnVersion(message[0]) {
            return Diagnosis([.versionNotAccepted], "The HMAC matches. \(note)")
        }
        var advice = "It opens as it is."
        if credential.writesUnderPassword {
            advice += " The newline at the end of a password file is not part of the password."
        }
        return Diagnosis([], advice, opens: true)
    }

    /// What is certain after a path.
    /// - Parameter version: if it is to be said that this is not read without an option.
    private func diagnosis(
        _ end: End, _ causes: [Cause], advice: String?, version: UInt8? = nil
    ) -> Diagnosis {
        let note = version.flatMap(Self.noteOnVersion)
        let noted: [Cause] = note == nil ? [] : [.versionNotAccepted]
        let sentences = end.advice + [advice, note].compactMap(\.self)
        return Diagnosis(
            end.causes + causes + noted, sentences.joined(separator: " "))
    }

    /// What is to be known of a version that is not read without an option.
    private static func noteOnVersion(_ version: UInt8) -> String? {
        if FormatVersion(rawValue: version)?.isReadByDefault == true { return nil }
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

    // MARK: Any other message

    /// - Parameter end: the most likely of the ends.
    private mutating func unverified(
        _ message: [UInt8], _ end: End, of ends: [End]
    ) throws(CryptorError) -> Diagnosis {
        var found = Diagnosis([], "Wrong password or keys, or the message was altered.")
        for cause in ends.filter({ $0.isLikely == end.isLikely }).flatMap(\.causes)
        where !found.possible.contains(cause) {
            found.possible.append(cause)
        }
        // What else may have happened to the bytes, they look like a message by chance.
        let isCertain = end.path.allSatisfy(\.isOfText)
        if isCertain, try Self.isTextWithReplacements(message) {
            return diagnosis(
                end, [.utf8Damaged],
                advice: """
                    It was read as UTF-8 text, which replaced all other bytes. That cannot be \
                    undone: fetch it again in binary, or send it as base64 text.
                    """)
        }
        let version = message[0]
        if isCertain, !end.isSound {
            if let added = Self.whatMayBeAdded(to: message) {
                found.possible.append(added)
            } else if try Way.mayLackCarriageReturns(message) {
                found.possible.append(.textMode)
            } else {
                return diagnosis(
                    end, [.truncated],
                    advice: """
                        No message of version \(version) has \(message.count) bytes: some are \
                        missing or were added. Fetch it again in binary.
                        """)
            }
        }
        found.possible.append(.truncated)
        guard isCertain, end.isSound, version > 0 else { return found }
        if try isAuthenticAsOtherKind(message) { return found }

        let isOfPassword = message[1] == 1
        guard trials.contains(where: { $0.credential.writesUnderPassword == isOfPassword }) else {
            let cause = isOfPassword ? Cause.needsPassword : .needsKeys
            return diagnosis(end, [cause], advice: Self.otherCredential(isOfPassword: isOfPassword))
        }
        if isOfPassword { found.possible.append(.iterations) }
        return found
    }

    /// Whoever altered the bit for the kind of credential has made the one kind of message look
    /// like the other.
    private mutating func isAuthenticAsOtherKind(_ message: [UInt8]) throws(CryptorError) -> Bool {
        var start = message.prefix(FormatVersion.longestHeaderByteCount)
        start[1] ^= 1
        for index in trials.indices {
            var unlimited: Trial.Effort?
            let verdict = try trials[index].verdict(
                on: message[...], start: start, effort: &unlimited)
            if verdict != .notAuthentic { return true }
        }
        return false
    }

    private static func otherCredential(isOfPassword: Bool) -> String {
        isOfPassword
            ? "It was encrypted with a password, but you gave keys: use the password."
            : "It was encrypted with keys, but you gave a password: use the keys, with --key-file."
    }

    /// What may be behind a message that does not open: only if it did, it would be certain.
    private static func whatMayBeAdded(to message: [UInt8]) -> Cause? {
        let zeroCount = message.reversed().prefix(FormatSize.block).prefix { $0 == 0 }.count
        let mayBePadded =
            zeroCount > 0
            && (1...zeroCount).contains {
                Way.isSound(message.dropLast($0))
            }
        if mayBePadded { return .trailingBytes }
        let start = message.prefix(FormatVersion.longestHeaderByteCount)
        guard let header = try? MessageHeader(parsing: start) else { return nil }
        let shortest = header.byteCount + header.version.heldBackByteCount
        let ends = stride(from: shortest, to: min(message.count, 1 << 20), by: FormatSize.block)
        let hasSecond = ends.contains { end in
            message[end...].prefix(2) == message.prefix(2) && Way.isSound(message[end...])
        }
        return hasSecond ? .severalMessages : nil
    }

    /// Whether the message is UTF-8 text with the character that stands for what was none.
    private static func isTextWithReplacements(_ message: [UInt8]) throws(CryptorError) -> Bool {
        var hasReplacements = false
        var isText = true
        var start = 0
        try Interruption.pieces(of: message.indices) { piece in
            guard isText else { return }
            // A character is not divided: it has up to three more bytes, which look like this.
            let rest = message[piece.upperBound...].prefix(3)
            let end = max(start, rest.prefix { $0 & 0xC0 == 0x80 }.endIndex)
            let text = String(validating: message[start..<end], as: UTF8.self)
            start = end
            isText = text != nil
            if let text, text.unicodeScalars.contains("\u{FFFD}") { hasReplacements = true }
        }
        return isText && hasReplacements
    }

    // MARK: No message

    private static func unlike(_ input: [UInt8]) -> Diagnosis {
        if let text = textOfMessage(input) {
            return Diagnosis(
                [], "Part of the text was lost or altered.", possible: [text, .truncated])
        }
        if let foreign = ForeignStart.of(input) { return Diagnosis([.foreign], foreign) }
        guard FormatVersion.isKnown(input[0]) else {
            return Diagnosis(
                [],
                """
                It does not start like an RNCryptor message. It is another kind of file, or its \
                beginning was damaged.
                """)
        }
        var advice = "Wrong password or keys, or the message was altered."
        if input.count > 1, input[1] > (input[0] == 0 ? 0 : 1) {
            advice = """
                The options byte is \(input[1]), but must be 0 (keys) or 1 (password): the message \
                was damaged, or written by a faulty program.
                """
        }
        return Diagnosis([], advice, possible: [.truncated])
    }

    /// How a message may have been encoded that begins like this, and has no sound text.
    private static func textOfMessage(_ input: [UInt8]) -> Cause? {
        let start = input.prefix(24)
        guard start.count == 24 else { return nil }
        let isHexadecimal = start.allSatisfy { ByteSet.digits.contains($0) }
        if isHexadecimal, start.first == UInt8(ascii: "0") { return .hex }
        let isBase64 = start.allSatisfy { ByteSet.base64.contains($0) && !ByteLook.isSpace($0) }
        return isBase64 && start.first == UInt8(ascii: "A") ? .base64 : nil
    }
}
