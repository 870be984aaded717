import CryptorFiles

/// A message as text, where bytes were expected. The text may fill half of the memory that there is
/// to be used, so it is worked on in place.
struct MessageText {
    let cause: Cause
    let advice: String
    /// What is in the text; empty if it is broken.
    let message: [UInt8]

    /// Nil for what does not look like the text of a message, which starts with a version.
    init?(_ input: consuming [UInt8]) throws(CryptorError) {
        var text = input
        let inner = try Self.withoutMargins(text)
        text.removeLast(text.count - inner.upperBound)
        text.removeFirst(inner.lowerBound)
        guard let first = text.first, Self.mayBegin(with: first) else { return nil }
        var characters = try Self.characters(of: text)
        if first == UInt8(ascii: "0"), characters.allSatisfy(Self.isHexadecimal) {
            try Self.decodeHexadecimal(&text)
            message = text
            cause = .hex
            advice = "It is hexadecimal text: 'xxd -r -p' makes the message of it."
            return
        }
        let isQuoted = Self.hasSome("\"'\\", characters)
        if isQuoted {
            try Self.unescape(&text)
            characters = try Self.characters(of: text)
        }
        let start = try Self.withoutMargins(text).lowerBound
        // What is base64 depends on the first character, and on which others there are.
        guard MessageHeader.isBase64Text(text[start...].prefix(1) + characters) else { return nil }
        message = try Self.decodedBase64(text)
        (cause, advice) = Self.kindOfBase64(characters, isQuoted: isQuoted)
    }

    /// Whether it begins the base64 text of a message, or its hexadecimal digits, of which the
    /// first is 0; or is a quotation mark or an escape before them.
    private static func mayBegin(with character: UInt8) -> Bool {
        "0\"'\\".utf8.contains(character) || MessageHeader.isBase64Text([character])
    }

    private static func kindOfBase64(
        _ characters: [UInt8], isQuoted: Bool
    ) -> (Cause, advice: String) {
        if isQuoted {
            return (
                .jsonString,
                "It is base64 text with quotes or escapes: take them away, as 'jq -r .' does."
            )
        }
        if hasSome(" ", characters), !hasSome("\r\n", characters) {
            return (
                .base64Spaces,
                """
                It is base64 text with spaces for plus signs: put them back. This command reads it.
                """
            )
        }
        if hasSome("-_", characters) {
            return (
                .base64URL, "It is base64url text: decode it as such. This command reads it."
            )
        }
        return (
            .base64,
            "It is base64 text: decode it, such as with 'base64 -d'. This command reads it."
        )
    }

    private static func hasSome(_ wanted: String, _ characters: [UInt8]) -> Bool {
        characters.contains { wanted.utf8.contains($0) }
    }

    /// The value of each byte as a hexadecimal digit; nil for others.
    private static let digits: [UInt8?] = (UInt8.min...UInt8.max).map { byte in
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        digits[Int(byte)] != nil || isSpace(byte)
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
        let digits = Self.digits
        var high: UInt8?
        var count = 0
        try Interruption.pieces(of: text.indices) { piece in
            for index in piece {
                guard let digit = digits[Int(text[index])] else { continue }
                guard let before = high else {
                    high = digit
                    continue
                }
                text[count] = before << 4 | digit
                count += 1
                high = nil
            }
        }
        let isOdd = high != nil
        text.removeLast(isOdd ? text.count : text.count - count)
    }

    /// What a backslash and these characters stand for.
    private static let escapes: [(escape: [UInt8], character: [UInt8])] = [
        ("u002b", "+"),
        ("u002B", "+"),
        ("u002f", "/"),
        ("u002F", "/"),
        ("n", "\n"),
        ("r", ""),
    ].map { (escape: String, character: String) in (Array(escape.utf8), Array(character.utf8)) }

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
            } catch {
                isBroken = true
            }
        }
        return isBroken ? [] : message
    }
}
