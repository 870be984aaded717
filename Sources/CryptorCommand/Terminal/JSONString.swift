import CryptorFiles

/// Strings of JSON (RFC 8259, section 7), from and to the bytes of their UTF-8 text.
enum JSONString {
    /// Why there is no string, or why it stands for no text.
    enum Failure: Error {
        case malformed
        case halfPair
        case notUTF8
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let delete: UInt8 = 0x7F

    // MARK: Writing

    /// Appends the string in quotes. Every control character is escaped, so a terminal may get it.
    /// - Throws: `notUTF8`, with nothing appended.
    static func append(_ text: [UInt8], to output: inout [UInt8]) throws(Failure) {
        let start = output.count
        output.append(quote)
        var copied = 0
        var index = plainEnd(in: text, 0..<text.count)
        // Most texts are plain ASCII.
        if index < text.count, !isUTF8(text, 0..<text.count) {
            output.removeSubrange(start...)
            throw .notUTF8
        }
        while index < text.count {
            if text[index] < 0x80 || isControl(text, at: index) {
                output += text[copied..<index]
                index += appendEscape(of: text, at: index, to: &output)
                copied = index
            } else {
                index += 1
            }
            index = plainEnd(in: text, index..<text.count)
        }
        output += text[copied...]
        output.append(quote)
    }

    /// Whether one of the control characters from U+0080 to U+009F is there.
    private static func isControl(_ text: [UInt8], at index: Int) -> Bool {
        text[index] == 0xC2 && text[index + 1] < 0xA0
    }

    /// Appends what stands for a quotation mark, a backslash or a control character.
    /// - Returns: how many bytes of the text that is.
    private static func appendEscape(
        of text: [UInt8], at index: Int, to output: inout [UInt8]
    ) -> Int {
        let byte = text[index]
        output.append(backslash)
        switch byte {
        case quote, backslash: output.append(byte)
        case UInt8(ascii: "\n"): output.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): output.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): output.append(UInt8(ascii: "t"))
        case 0xC2:
            output += "u00\(text[index + 1].hexadecimal)".utf8
            return 2
        default: output += "u00\(byte.hexadecimal)".utf8
        }
        return 1
    }

    // MARK: Reading

    /// Reads the string that takes all of a part of `bytes`, with its quotes.
    /// - Returns: where its text is: in `bytes`, or in an array of its own if it has escapes.
    static func text(
        in bytes: [UInt8], _ part: Range<Int>
    ) throws(Failure) -> (bytes: [UInt8], range: Range<Int>) {
        guard part.count >= 2, bytes[part.lowerBound] == quote, bytes[part.upperBound - 1] == quote
        else { throw .malformed }
        let contents = part.lowerBound + 1..<part.upperBound - 1
        var text: [UInt8] = []
        var copied = contents.lowerBound
        var isASCII = true
        var index = plainEnd(in: bytes, contents)
        while index < contents.upperBound {
            switch bytes[index] {
            case backslash:
                text += bytes[copied..<index]
                index += 1
                text += try unescape(bytes, at: &index, before: contents.upperBound).utf8
                copied = index
            case delete:
                index += 1
            case 0x80...:
                isASCII = false
                index += 1
            default:
                throw .malformed
            }
            index = plainEnd(in: bytes, index..<contents.upperBound)
        }
        guard isASCII || isUTF8(bytes, contents) else { throw .notUTF8 }
        if copied == contents.lowerBound { return (bytes, contents) }
        text += bytes[copied..<contents.upperBound]
        return (text, text.indices)
    }

    /// What follows a backslash.
    /// - Parameter index: where it is; afterwards, what comes behind it.
    private static func unescape(
        _ bytes: [UInt8], at index: inout Int, before end: Int
    ) throws(Failure) -> Unicode.Scalar {
        guard index < end else { throw .malformed }
        let character = bytes[index]
        index += 1
        switch character {
        case quote, backslash, UInt8(ascii: "/"): return Unicode.Scalar(character)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw .malformed
        }
        let unit = try codeUnit(bytes, at: &index, before: end)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // It is half of a pair.
        guard UTF16.isLeadSurrogate(unit), bytes[index..<end].starts(with: "\\u".utf8) else {
            throw .halfPair
        }
        index += 2
        let other = try codeUnit(bytes, at: &index, before: end)
        guard UTF16.isTrailSurrogate(other) else { throw .halfPair }
        return UTF16.decode(UTF16.EncodedScalar([unit, other]))
    }

    /// Four hexadecimal digits.
    private static func codeUnit(
        _ bytes: [UInt8], at index: inout Int, before end: Int
    ) throws(Failure) -> UInt16 {
        guard end - index >= 4 else { throw .malformed }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = bytes[index].hexadecimalValue else { throw .malformed }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }

    // MARK: Characters

    private static func isUTF8(_ bytes: [UInt8], _ part: Range<Int>) -> Bool {
        String(validating: bytes[part], as: UTF8.self) != nil
    }

    /// The end of those characters at the start of a part that are ASCII and stand for themselves:
    /// no quotation marks, backslashes or control characters.
    private static func plainEnd(in bytes: [UInt8], _ part: Range<Int>) -> Int {
        var index = part.lowerBound
        // Eight at a time.
        while index + 8 <= part.upperBound, isPlain(word(in: bytes, at: index)) { index += 8 }
        while index < part.upperBound, isPlain(bytes[index]) { index += 1 }
        return index
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<delete ~= byte && byte != quote && byte != backslash
    }

    /// Whether all eight bytes are plain. In each term, the highest bits are set if and only if one
    /// of the bytes is what the term looks for.
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highestBits: UInt64 = 0x8080_8080_8080_8080
        func hasZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        let isControl = (word &- (ones &* 0x20)) & ~word
        let isQuote = hasZero(word ^ (ones &* UInt64(quote)))
        let isBackslash = hasZero(word ^ (ones &* UInt64(backslash)))
        let isDelete = hasZero(word ^ (ones &* UInt64(delete)))
        let isNotPlain = word | isControl | isQuote | isBackslash | isDelete
        return isNotPlain & highestBits == 0
    }
}
