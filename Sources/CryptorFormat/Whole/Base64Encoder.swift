import CryptorPrimitives

/// Encodes bytes that come in chunks (RFC 4648, section 4).
package struct Base64Encoder {
    /// Returns the text of all bytes in one line, without a newline.
    static func text(of bytes: RawSpan) -> [UInt8] {
        var text: [UInt8] = []
        Base64Blocks.append(bytes, to: &text)
        return text
    }

    /// Appends the text of all bytes in one line, without a newline.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Blocks.append(bytes.rawSpan(bytes.indices), to: &text)
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
