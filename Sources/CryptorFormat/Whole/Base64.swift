import CryptorPrimitives

// Messages as text, for channels that carry only text.
extension Cryptor {
    /// The base64 text of a message (RFC 4648, section 4), in one line and padded, in ASCII.
    public static func base64Text(of message: some Collection<UInt8>) -> [UInt8] {
        withRawSpan(of: message) { message in Base64Encoder.text(of: message) }
    }

    /// Decodes a message from base64 text. The text may have either alphabet, line breaks, no
    /// padding and, if it has no line breaks, spaces instead of plus signs, but no run of more than
    /// 1,000 spaces. Nothing is verified here: ``decrypt(_:with:accepting:)->[UInt8]`` does that.
    /// - Parameter text: ASCII.
    /// - Throws: `notBase64`.
    public static func message(fromBase64 text: some Collection<UInt8>) throws(CryptorError)
        -> [UInt8]
    {
        try withRawSpan(of: text) { (text) throws(CryptorError) in
            var message: [UInt8] = []
            try self.message(fromBase64: text, into: &message)
            return message
        }
    }

    /// Appends the message decoded from base64 text: see ``message(fromBase64:)``, which throws the
    /// same errors. After an error nothing is appended.
    package static func message(fromBase64 text: RawSpan, into message: inout [UInt8])
        throws(CryptorError)
    {
        var isWellFormed = false
        message.appendBytes(capacity: text.byteCount / 4 * 3) { output in
            isWellFormed = Base64Blocks.decode(text, into: &output)
        }
        if isWellFormed { return }
        let start = message.count
        var decoder = Base64Decoder()
        do throws(Base64Decoder.Failure) {
            try decoder.decode(Array(copying: text), into: &message)
            try decoder.finish(into: &message)
        } catch {
            message.removeLast(message.count - start)
            throw CryptorError(
                .notBase64,
                "Byte \(error.offset), counted from 0, is not base64. The text is not a message, or a part "
                    + "of it was lost or altered: fetch it again.")
        }
    }
}

/// Encodes bytes that come in chunks (RFC 4648, section 4).
package struct Base64Encoder {
    /// Returns the text of all bytes in one line, without a newline.
    static func text(of bytes: RawSpan) -> [UInt8] {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return text
    }

    /// Appends the text of all bytes in one line, without a newline.
    package static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        let capacity = Base64Blocks.textByteCount(of: bytes.byteCount) + 1
        text.appendBytes(capacity: capacity) { output in Base64Blocks.encode(bytes, into: &output) }
    }

    private static let newline = UInt8(ascii: "\n")

    /// How long a line is: as in mail, or endless.
    private let lineCharacterCount: Int
    /// The bytes of a group of three that is not full yet.
    private var rest: [UInt8] = []
    /// How many characters the current line has.
    private var column = 0

    /// - Parameter inLines: whether the text has lines of 76 characters, each of which ends with a
    ///   newline. Otherwise it is one line without a newline.
    package init(inLines: Bool = true) {
        lineCharacterCount = inLines ? Self.usualLineCharacterCount : .max
    }

    private static let usualLineCharacterCount = 76

    /// The length of the text of this many bytes, in lines of 76 characters. A result over
    /// `Int.max` becomes `Int.max`.
    package static func textByteCount(of byteCount: Int) -> Int {
        let characterCount = (UInt(byteCount) + 2) / 3 * 4
        let lineLength = UInt(usualLineCharacterCount)
        let lineCount = (characterCount + lineLength - 1) / lineLength
        return Int(clamping: characterCount + lineCount)
    }

    /// Appends the text of the groups that are full.
    package mutating func encode(_ bytes: [UInt8], into text: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
            rest += bytes[start..<min(start + Self.pieceByteCount, bytes.count)]
            let count = rest.count / 3 * 3
            append(Self.text(of: rest.rawSpan(0..<count)), to: &text)
            rest.removeFirst(count)
        }
    }

    /// How many bytes are copied at a time.
    private static let pieceByteCount = 12 * 1024

    /// Appends the text of the last, incomplete group. Nothing can be encoded afterwards.
    package mutating func finish(into text: inout [UInt8]) {
        append(Self.text(of: rest.rawSpan(0..<rest.count)), to: &text)
        if lineCharacterCount < .max, column > 0 { text.append(Self.newline) }
    }

    /// Appends characters in lines. A newline is appended only when the next line gets its first
    /// character.
    private mutating func append(_ characters: [UInt8], to text: inout [UInt8]) {
        var rest = characters[...]
        while !rest.isEmpty {
            if column == lineCharacterCount {
                text.append(Self.newline)
                column = 0
            }
            let piece = rest.prefix(lineCharacterCount - column)
            text += piece
            column += piece.count
            rest = rest.dropFirst(piece.count)
        }
    }
}

/// Decodes base64 text that comes in chunks, leniently: either alphabet, line breaks, and no
/// padding. Memory does not grow with the text.
///
/// A careless URL decoder turns plus signs into spaces. In a text without line breaks, spaces
/// between two characters are therefore plus signs, and so are those at its end if they complete a
/// message. All other spaces at the beginning or the end of a line are white space. In a text with
/// line breaks, a space within a line is an error.
package struct Base64Decoder {
    /// The longest run of spaces that is accepted. A message looks random, so the probability of
    /// 1,000 plus signs in a row is 64 to the power of -1,000, and nobody indents lines as far. A
    /// file is recognised as text by its first 1,024 bytes, which a longer indentation would fill.
    static let maximumSpaceCount = 1000

    /// The text is not base64 at this offset, counted from 0.
    package struct Failure: Error {
        package let offset: Int
    }

    package init() {}

    /// The bits of the last characters, and how many characters have been decoded, without padding.
    private var bits: UInt32 = 0
    private var characterCount = 0
    private var offset = 0
    private var isPadded = false
    private var isAtLineStart = true
    /// The number of spaces since the last character or line break, and of those that ended the
    /// last line.
    private var spaceCount = 0
    private var endingSpaceCount = 0
    private var hasSpacesForPlus = false
    /// Whether the text so far has several lines.
    package private(set) var hasSeveralLines = false

    /// Appends the bytes that are complete.
    package mutating func decode(_ text: [UInt8], into bytes: inout [UInt8]) throws(Failure) {
        for character in text {
            let meaning = Base64Character.meaning(of: character)
            switch meaning {
            case 0..<64:
                if isAtLineStart || spaceCount > 0 { try endWhiteSpace(into: &bytes) }
                guard !isPadded else { throw Failure(offset: offset) }
                take(meaning, into: &bytes)
            case Base64Character.padding:
                if isAtLineStart || spaceCount > 0 { try endWhiteSpace(into: &bytes) }
                isPadded = true
            case Base64Character.space:
                guard spaceCount < Self.maximumSpaceCount else { throw Failure(offset: offset) }
                spaceCount += 1
            case Base64Character.lineBreak:
                if !isAtLineStart { endingSpaceCount = spaceCount }
                isAtLineStart = true
                spaceCount = 0
            default:
                throw Failure(offset: offset)
            }
            offset += 1
        }
    }

    /// Appends the bytes of an incomplete last group.
    package mutating func finish(into bytes: inout [UInt8]) throws(Failure) {
        let count = isAtLineStart ? endingSpaceCount : spaceCount
        if !hasSeveralLines, !isPadded, !Self.isMessage(characterCount),
            Self.isMessage(characterCount + count)
        {
            for _ in 0..<count { take(Base64Character.plus, into: &bytes) }
        }
        let rest = characterCount % 4
        // A single character is less than a byte.
        guard rest != 1 else { throw Failure(offset: offset) }
        if rest > 1 { append(rest - 1, of: bits << UInt32(6 * (4 - rest)), to: &bytes) }
    }

    /// Whether so many characters may be a message, whose length is 2 modulo 16.
    private static func isMessage(_ characterCount: Int) -> Bool {
        characterCount % 4 != 1 && characterCount * 6 / 8 % FormatSize.block == 2
    }

    /// Called before a character that follows a line break or a space.
    private mutating func endWhiteSpace(into bytes: inout [UInt8]) throws(Failure) {
        let isWithinLine = !isAtLineStart
        if isWithinLine { hasSpacesForPlus = true } else { hasSeveralLines = characterCount > 0 }
        guard !hasSpacesForPlus || !hasSeveralLines else { throw Failure(offset: offset) }
        if isWithinLine, !isPadded {
            for _ in 0..<spaceCount { take(Base64Character.plus, into: &bytes) }
        }
        spaceCount = 0
        isAtLineStart = false
    }

    private mutating func take(_ sixBits: UInt8, into bytes: inout [UInt8]) {
        bits = bits << 6 | UInt32(sixBits)
        characterCount += 1
        if characterCount.isMultiple(of: 4) { append(3, of: bits, to: &bytes) }
    }

    /// Appends the highest bytes of a group of 24 bits.
    private func append(_ count: Int, of bits: UInt32, to bytes: inout [UInt8]) {
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index)))
        }
    }
}
