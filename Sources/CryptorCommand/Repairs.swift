import CryptorFiles

/// What a message may have been before a copy damaged it.
struct Repairs {
    /// One way to undo what a copy may have done to a message. The HMAC tells whether it happened.
    struct Repair {
        let cause: Cause
        let advice: String
        /// What the message was before, if it begins with these bytes or consists of them.
        let undo: (ArraySlice<UInt8>) throws(CryptorError) -> ArraySlice<UInt8>
    }

    private(set) var all: [Repair] = []
    /// What may have happened, as far as the length tells.
    private(set) var possible: [Cause] = []

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    init(of message: [UInt8]) throws(CryptorError) {
        try addTrailingNewlines(message)
        try addLatin1(message)
        try addTextMode(message)
    }

    /// Adds a repair if it makes a message of a sound length.
    private mutating func add(
        _ repair: Repair, to message: [UInt8], leaving byteCount: Int
    ) throws(CryptorError) {
        // No repair makes less than half of the bytes.
        let start = try repair.undo(message.prefix(2 * FormatSize.passwordHeader + 2))
        guard Self.isSound(start, byteCount: byteCount) else { return }
        all.append(repair)
        if !possible.contains(repair.cause) { possible.append(repair.cause) }
    }

    /// Whether there are messages with this start and this length.
    static func isSound(_ start: ArraySlice<UInt8>, byteCount: Int) -> Bool {
        if start.first == 0 {
            return start.dropFirst().first == 0
                && byteCount >= FormatSize.keyHeader + MessageHeader.decidingEndByteCount
        }
        let header = try? MessageHeader(parsing: start)
        return (try? header?.checkMessageByteCount(byteCount)) != nil
    }

    private mutating func addTrailingNewlines(_ message: [UInt8]) throws(CryptorError) {
        for end in [[Self.lineFeed], [Self.carriageReturn, Self.lineFeed]]
        where message.hasEnding(end) {
            let advice = """
                There is a newline behind the message: take it away, as 'head -c -\(end.count)' \
                does.
                """
            let repair = Repair(cause: .trailingNewline, advice: advice) { $0.dropLast(end.count) }
            try add(repair, to: message, leaving: message.count - end.count)
        }
    }

    // MARK: Latin-1

    private mutating func addLatin1(_ message: [UInt8]) throws(CryptorError) {
        guard let count = try Self.byteCountInLatin1(message) else { return }
        let advice = """
            Its bytes were taken for Latin-1 and written as UTF-8: 'iconv -f utf-8 -t latin1' \
            undoes that.
            """
        let repair = Repair(cause: .latin1AsUTF8, advice: advice, undo: Self.inLatin1)
        try add(repair, to: message, leaving: count)
    }

    /// The length that a message had before its bytes were written as UTF-8; nil if they were not.
    private static func byteCountInLatin1(_ message: [UInt8]) throws(CryptorError) -> Int? {
        var pairCount = 0
        var isWithinPair = false
        var isPossible = true
        try Interruption.pieces(of: message.indices) { piece in
            for index in piece where isPossible {
                let byte = message[index]
                if isWithinPair {
                    isPossible = byte & 0xC0 == 0x80
                    isWithinPair = false
                } else if byte >= 0x80 {
                    // These begin the characters from U+0080 to U+00FF.
                    isPossible = byte == 0xC2 || byte == 0xC3
                    isWithinPair = true
                    pairCount += 1
                }
            }
        }
        guard isPossible, !isWithinPair, pairCount > 0 else { return nil }
        return message.count - pairCount
    }

    private static func inLatin1(
        _ text: ArraySlice<UInt8>
    ) throws(CryptorError) -> ArraySlice<UInt8> {
        var message: [UInt8] = []
        message.reserveCapacity(text.count)
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece {
                let byte = text[index]
                switch byte {
                case 0..<0x80: message.append(byte)
                // The second byte of a pair. The first one has its two highest bits.
                case 0x80..<0xC0: message.append(text[index - 1] << 6 | byte & 0x3F)
                default: continue
                }
            }
        }
        return message[...]
    }

    // MARK: Ends of lines

    /// How many bytes are hashed in all to find out where a CR is missing.
    private static let searchByteCount = 32 * 1024 * 1024

    private mutating func addTextMode(_ message: [UInt8]) throws(CryptorError) {
        // If one CR is gone, it was before one of the LF. More are too many to try, and in a short
        // message not likely.
        let searchCount = Self.searchByteCount / max(1, message.count)
        /// The first of the LF.
        var lines: [Int] = []
        var lineCount = 0
        var pairCount = 0
        try Interruption.pieces(of: message.indices) { piece in
            for index in piece where message[index] == Self.lineFeed {
                lineCount += 1
                if lineCount <= searchCount { lines.append(index) }
                if index > 0, message[index - 1] == Self.carriageReturn { pairCount += 1 }
            }
        }
        guard lineCount > 0, pairCount == 0 || pairCount == lineCount else { return }
        let advice = """
            It was copied as text, which changed the ends of lines (CR LF or LF): fetch it again \
            as bytes.
            """
        if pairCount > 0 {
            let repair = Repair(cause: .textMode, advice: advice, undo: Self.withLineFeedsOnly)
            return try add(repair, to: message, leaving: message.count - pairCount)
        }
        if lineCount <= searchCount, Self.isSound(message[...], byteCount: message.count + 1) {
            all += lines.map { line in
                Repair(cause: .textMode, advice: advice) { message in
                    message[..<line] + [Self.carriageReturn] + message[line...]
                }
            }
        }
        if message.count >= 16 * 1024, !Self.isSound(message[...], byteCount: message.count) {
            possible.append(.textMode)
        }
    }

    /// Without the CR before each LF.
    private static func withLineFeedsOnly(
        _ message: ArraySlice<UInt8>
    ) throws(CryptorError) -> ArraySlice<UInt8> {
        var changed: [UInt8] = []
        changed.reserveCapacity(message.count)
        try Interruption.pieces(of: message.indices) { piece in
            for index in piece {
                let isLineFeed = message[index] == Self.lineFeed
                if isLineFeed, changed.last == Self.carriageReturn { changed.removeLast() }
                changed.append(message[index])
            }
        }
        return changed[...]
    }
}
