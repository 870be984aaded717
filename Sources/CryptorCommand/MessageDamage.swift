import CryptorFiles

/// A message as text, where bytes were expected. The text may fill half of the memory that there is
/// to be used, so it is worked on in place.
struct MessageText {
    let cause: Cause
    let advice: String
    /// What is in the text; empty if it is broken.
    let message: [UInt8]

    /// Nil for what does not look like the text of a message, which starts with a byte from 0 to 3.
    init?(_ input: consuming [UInt8]) throws(CryptorError) {
        var text = input
        let inner = try Self.withoutMargins(text)
        text.removeLast(text.count - inner.upperBound)
        text.removeFirst(inner.lowerBound)
        guard let first = text.first, "0A\"'\\".utf8.contains(first) else { return nil }
        var characters = try Self.characters(of: text)
        func has(_ some: String) -> Bool { characters.contains { some.utf8.contains($0) } }
        if first == UInt8(ascii: "0"),
            characters.allSatisfy({ $0.hexadecimalValue != nil || Self.isSpace($0) })
        {
            try Self.decodeHexadecimal(&text)
            message = text
            cause = .hex
            advice = "It is hexadecimal text: 'xxd -r -p' makes the message of it."
            return
        }
        let isQuoted = has("\"'\\")
        if isQuoted {
            try Self.unescape(&text)
            characters = try Self.characters(of: text)
        }
        let start = try Self.withoutMargins(text).lowerBound
        // What is base64 depends on the first character, and on which others there are.
        guard Header.isBase64Text(text[start...].prefix(1) + characters) else { return nil }
        message = try Self.decodedBase64(text)
        (cause, advice) =
            if isQuoted {
                (
                    .jsonString,
                    "It is base64 text with quotes or escapes: take them away, as 'jq -r .' does."
                )
            } else if has(" "), !has("\r\n") {
                (
                    .base64Spaces,
                    "It is base64 text with spaces for plus signs: put them back. "
                        + "This command reads it."
                )
            } else if has("-_") {
                (.base64URL, "It is base64url text: decode it as such. This command reads it.")
            } else {
                (
                    .base64,
                    "It is base64 text: decode it, such as with 'base64 -d'. "
                        + "This command reads it."
                )
            }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    /// Where the text is, without the white space before and behind it.
    private static func withoutMargins(_ text: [UInt8]) throws(CryptorError) -> Range<Int> {
        var start = text.count
        var end = text.count
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece where !isSpace(text[index]) {
                start = min(start, index)
                end = index + 1
            }
        }
        return start..<end
    }

    /// The characters that the text has, each of them once.
    private static func characters(of text: [UInt8]) throws(CryptorError) -> [UInt8] {
        var occurs = [Bool](repeating: false, count: 256)
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece { occurs[Int(text[index])] = true }
        }
        return (0...255).filter { occurs[Int($0)] }
    }

    /// Makes bytes of hexadecimal digits, and nothing of an odd number of them.
    private static func decodeHexadecimal(_ text: inout [UInt8]) throws(CryptorError) {
        var high: UInt8?
        var count = 0
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece {
                guard let digit = text[index].hexadecimalValue else { continue }
                guard let before = high else {
                    high = digit
                    continue
                }
                text[count] = before << 4 | digit
                count += 1
                high = nil
            }
        }
        text.removeLast(high == nil ? text.count - count : text.count)
    }

    /// What a backslash and these characters stand for.
    private static let escapes: [(escape: [UInt8], character: [UInt8])] = [
        ("u002b", "+"), ("u002B", "+"), ("u002f", "/"), ("u002F", "/"), ("n", "\n"), ("r", ""),
    ].map { (Array($0.utf8), Array($1.utf8)) }

    /// Takes away quotes, and the escapes that JSON has for characters of base64 text.
    private static func unescape(_ text: inout [UInt8]) throws(CryptorError) {
        var count = 0
        /// Where the next character begins that has not been looked at.
        var next = 0
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece where index >= next {
                next = index + 1
                switch text[index] {
                case UInt8(ascii: "\\"):
                    let found = escapes.first { text[next...].starts(with: $0.escape) }
                    guard let (escape, character) = found else { continue }
                    next += escape.count
                    for byte in character {
                        text[count] = byte
                        count += 1
                    }
                case UInt8(ascii: "\""), UInt8(ascii: "'"): continue
                case let byte:
                    text[count] = byte
                    count += 1
                }
            }
        }
        text.removeLast(text.count - count)
    }

    /// The bytes that base64 text stands for; none if it is broken.
    private static func decodedBase64(_ text: [UInt8]) throws(CryptorError) -> [UInt8] {
        var message: [UInt8] = []
        // The decoder makes room for each piece. More is needed for none of them then.
        message.reserveCapacity(text.count / 4 * 3 + 16)
        var decoder = Base64Decoder()
        var isBroken = false
        try Interruption.pieces(of: text.indices) { piece in
            if isBroken { return }
            do throws(Base64Decoder.Failure) {
                try decoder.decode(Array(text[piece]), into: &message)
                if piece.upperBound == text.count { try decoder.finish(into: &message) }
            } catch { isBroken = true }
        }
        return isBroken ? [] : message
    }
}

/// One way to undo what a copy may have done to a message. The HMAC tells whether it happened.
struct Repair {
    let cause: Cause
    let advice: String
    /// What the message was before, if it begins with these bytes or consists of them.
    let undo: (ArraySlice<UInt8>) throws(CryptorError) -> ArraySlice<UInt8>
}

/// What a message may have been before a copy damaged it.
struct Repairs {
    private(set) var all: [Repair] = []
    /// What may have happened, as far as the length tells.
    private(set) var possible: [Cause] = []

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    init(of message: [UInt8]) throws(CryptorError) {
        for end in [[Self.lineFeed], [Self.carriageReturn, Self.lineFeed]]
        where message.hasEnding(end) {
            let advice =
                "There is a newline behind the message: take it away, as "
                + "'head -c -\(end.count)' does."
            let repair = Repair(cause: .trailingNewline, advice: advice) { $0.dropLast(end.count) }
            try add(repair, to: message, leaving: message.count - end.count)
        }
        if let count = try Self.byteCountInLatin1(message) {
            let advice =
                "Its bytes were taken for Latin-1 and written as UTF-8: "
                + "'iconv -f utf-8 -t latin1' undoes that."
            let repair = Repair(cause: .latin1AsUTF8, advice: advice, undo: Self.inLatin1)
            try add(repair, to: message, leaving: count)
        }
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
                && byteCount >= FormatSize.keyHeader + FormatVersion.written.hmacByteCount
        }
        let header = try? Header(parsing: start)
        return (try? header?.checkMessageByteCount(byteCount)) != nil
    }

    // MARK: Latin-1

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
        return isPossible && !isWithinPair && pairCount > 0 ? message.count - pairCount : nil
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
        let advice =
            "It was copied as text, which changed the ends of lines (CR LF or LF): "
            + "fetch it again as bytes."
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
