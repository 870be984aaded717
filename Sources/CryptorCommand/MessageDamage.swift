import CryptorFiles

/// A message as text, where bytes were expected.
struct MessageText {
    let cause: Cause
    let advice: String
    /// What is in the text; empty if it is broken.
    let message: [UInt8]

    /// Nil for what does not look like the text of a message, which starts with a byte from 0 to 3.
    init?(_ input: [UInt8]) {
        let spaces = Set(" \t\r\n".utf8)
        let text = Array(input.drop { spaces.contains($0) }.reversed().drop { spaces.contains($0) }.reversed())
        guard let first = text.first, "0A\"'\\".utf8.contains(first) else { return nil }
        if first == UInt8(ascii: "0"), text.allSatisfy({ $0.hexadecimalValue != nil || spaces.contains($0) }) {
            let digits = text.compactMap(\.hexadecimalValue)
            let pairs = stride(from: 0, to: digits.count - 1, by: 2)
            message = digits.count % 2 == 0 ? pairs.map { digits[$0] << 4 | digits[$0 + 1] } : []
            (cause, advice) = (.hex, "It is hexadecimal text: 'xxd -r -p' makes the message of it.")
            return
        }
        func has(_ characters: String) -> Bool { text.contains { characters.utf8.contains($0) } }
        let isQuoted = has("\"'\\")
        let plain = isQuoted ? Self.unescaped(text) : text
        guard HeaderReader.isBase64Text(plain) else { return nil }
        message = (try? Cryptor.message(fromBase64: plain)) ?? []
        (cause, advice) =
            if isQuoted {
                (.jsonString, "It is base64 text with quotes or escapes: take them away, as 'jq -r .' does.")
            } else if has(" "), !has("\r\n") {
                (.base64Spaces, "It is base64 text with spaces for plus signs: put them back. This command reads it.")
            } else if has("-_") {
                (.base64URL, "It is base64url text: decode it as such. This command reads it.")
            } else {
                (.base64, "It is base64 text: decode it, such as with 'base64 -d'. This command reads it.")
            }
    }

    /// Without quotes, and without the escapes that JSON has for characters of base64 text.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var plain = String(decoding: text, as: UTF8.self)
        let escapes = [("u002b", "+"), ("u002B", "+"), ("u002f", "/"), ("u002F", "/"), ("n", "\n"), ("r", "")]
        for (escape, character) in escapes { plain = plain.replacing("\\\(escape)", with: character) }
        return plain.utf8.filter { !"\"'\\".utf8.contains($0) }
    }
}

/// What a message may have been before a copy damaged it.
struct Repairs {
    /// Each way to undo a damage. The HMAC tells whether it happened.
    private(set) var all: [(cause: Cause, advice: String, message: [UInt8])] = []
    /// What may have happened, as far as the length tells.
    private(set) var possible: [Cause] = []

    init(of message: [UInt8]) {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        for end in [[lineFeed], [carriageReturn, lineFeed]] where message.hasEnding(end) {
            let advice = "There is a newline behind the message: take it away, as 'head -c -\(end.count)' does."
            add(.trailingNewline, advice, undone: Array(message.dropLast(end.count)))
        }
        let recoding = "Its bytes were taken for Latin-1 and written as UTF-8: 'iconv -f utf-8 -t latin1' undoes that."
        let text = String(validating: message, as: UTF8.self)?.unicodeScalars
        if let text, text.count < message.count, text.allSatisfy({ $0.value < 256 }) {
            add(.latin1AsUTF8, recoding, undone: text.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        let lines = message.indices.filter { message[$0] == lineFeed }
        let pairs = lines.filter { $0 > 0 && message[$0 - 1] == carriageReturn }
        guard !lines.isEmpty, pairs.isEmpty || pairs == lines else { return }
        let advice = "It was copied as text, which changed the ends of lines (CR LF or LF): fetch it again as bytes."
        if !pairs.isEmpty {
            let ends = Set(pairs.map { $0 - 1 })
            let kept = message.indices.lazy.filter { !ends.contains($0) }
            add(.textMode, advice, undone: kept.map { message[$0] })
            return
        }
        // If one CR is gone, it was before one of the LF. More are too many to try, and in a short message not likely.
        if lines.count * message.count <= 32 * 1024 * 1024, Self.isSound(message + [0]) {
            all += lines.map { (.textMode, advice, Array(message[..<$0] + [carriageReturn] + message[$0...])) }
        }
        if message.count >= 16 * 1024, !Self.isSound(message) { possible.append(.textMode) }
    }

    private mutating func add(_ cause: Cause, _ advice: String, undone message: [UInt8]) {
        guard Self.isSound(message) else { return }
        all.append((cause, advice, message))
        if !possible.contains(cause) { possible.append(cause) }
    }

    /// Whether there are messages with this start and this length.
    static func isSound(_ message: [UInt8]) -> Bool {
        [true, false].contains {
            (try? Header(parsing: message, version0UsesPassword: $0).checkMessageByteCount(message.count)) != nil
        }
    }
}
