import CryptorPrimitives

/// Decodes base64 text that comes in chunks, leniently: either alphabet, line breaks, and no
/// padding. Memory does not grow with the text.
///
/// A careless URL decoder turns plus signs into spaces. In a text without line breaks, spaces
/// between two characters are therefore plus signs, and so are those at its end if they complete a
/// message. All other spaces at the beginning or the end of a line are white space. In a text with
/// line breaks, a space within a line is an error.
package struct Base64Decoder {
    /// The longest run of spaces that is accepted. A message looks random, so the probability of
    /// 1,000 plus signs in a row is 64 to the power of -1,000, and nobody indents lines that far. A
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
