import CryptorFiles

/// How the text of a message is spelled: in base64, or in hexadecimal, as databases write bytes.
enum MessageSpelling {
    case base64
    /// The digits follow a prefix, which may be empty.
    case hexadecimal(prefix: [UInt8])

    /// Those of COPY, of PostgreSQL, and of SQL. COPY escapes the backslash.
    private static let prefixes = ["\\\\x", "\\x", "0x", "0X"].map { Array($0.utf8) }

    /// A message begins with a version, 0 to 3. So its base64 text begins with an A, and its
    /// hexadecimal digits with a 0.
    init(of text: LineText) {
        switch text.firstCharacter {
        case UInt8(ascii: "0"), UInt8(ascii: "\\"):
            self = .hexadecimal(prefix: Self.prefix(of: text))
        default: self = .base64
        }
    }

    /// What is before the hexadecimal digits of a text.
    static func prefix(of text: LineText) -> [UInt8] {
        let digits = text.bytes[text.trimmed]
        return prefixes.first { digits.starts(with: $0) } ?? []
    }

    /// Whether a plaintext begins as a message of version 3 does, and is as long as one at least.
    /// Only a few of its bytes are looked at, since every line is.
    static func isLikely(of plaintext: LineText) -> Bool {
        let byteCount = plaintext.range.count
        let start = plaintext.bytes[plaintext.range].prefix(15)
        switch start.first {
        case UInt8(ascii: "A"):
            guard byteCount >= fewestCharacters, start.starts(with: "Aw".utf8) else { return false }
            // It has four bits of the second byte, which is 0 or 1.
            return "ABCDEFGH".utf8.contains(start[start.startIndex + 2])
        case UInt8(ascii: "0"), UInt8(ascii: "\\"):
            guard byteCount >= fewestDigits else { return false }
            let prefix = prefixes.first { start.starts(with: $0) } ?? []
            let digits = start.dropFirst(prefix.count)
            guard digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return false }
            return digits.starts(with: "0300".utf8) || digits.starts(with: "0301".utf8)
        default:
            return false
        }
    }

    /// Those of 66 bytes in base64 and in hexadecimal: no message of version 3 is shorter.
    static let fewestCharacters = 88
    private static let fewestDigits = 132

    /// The message that a text in a line stands for; nil if it is spelled as none.
    static func message(of text: [UInt8]) -> [UInt8]? {
        let text = LineText(bytes: text, range: text.indices)
        var message: [UInt8] = []
        // Something else in base64 may begin like hexadecimal text.
        for spelling in [MessageSpelling(of: text), .base64] {
            if (try? spelling.decode(text, into: &message)) != nil { return message }
        }
        return nil
    }

    static func isHexadecimal(_ text: [UInt8]) -> Bool {
        switch MessageSpelling(of: LineText(bytes: text, range: text.indices)) {
        case .base64: false
        case .hexadecimal: true
        }
    }

    /// Puts the message that a text stands for in place of these bytes.
    func decode(_ text: LineText, into message: inout [UInt8]) throws {
        switch self {
        case .base64:
            try Cryptor.message(
                fromBase64: text.range, of: text.bytes, replacing: &message)
        case .hexadecimal(let prefix):
            message.removeAll(keepingCapacity: true)
            let digits = text.bytes[text.trimmed].dropFirst(prefix.count)
            try Self.decode(digits, offset: text.range.lowerBound, into: &message)
        }
    }

    /// - Parameter isString: whether the text is a string of JSON.
    func append(_ message: [UInt8], asString isString: Bool, to output: inout [UInt8]) {
        if isString { output.append(UInt8(ascii: "\"")) }
        switch self {
        case .base64:
            Base64Encoder.append(message, to: &output)
        case .hexadecimal(let prefix):
            for byte in prefix {
                // The backslashes of a prefix are the only characters that JSON escapes.
                let isEscaped = isString && byte == UInt8(ascii: "\\")
                if isEscaped { output.append(byte) }
                output.append(byte)
            }
            appendHexadecimal(message, to: &output)
        }
        if isString { output.append(UInt8(ascii: "\"")) }
    }

    /// - Parameter offset: where the text begins.
    private static func decode(
        _ digits: ArraySlice<UInt8>, offset: Int, into message: inout [UInt8]
    ) throws(CommandError) {
        message.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for (index, character) in zip(digits.indices, digits) {
            guard let digit = character.hexadecimalValue else {
                throw failure("Byte \(index - offset), counted from 0, is not a hexadecimal digit.")
            }
            if let before = high {
                message.append(before << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw failure("It has an odd number of hexadecimal digits.") }
    }

    private static func failure(_ what: String) -> CommandError {
        CommandError(
            .malformed,
            "\(what) The text is not a message, or part of it was lost or altered: fetch it again.")
    }
}
