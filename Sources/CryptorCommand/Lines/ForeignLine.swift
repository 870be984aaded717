import CryptorDiagnosis

/// What is in a line that should hold a message, or a value of JSON, and holds neither.
enum ForeignLine {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let utf16Marks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]

    /// What a line is that could not be read, and what to do about it; nil if its first bytes do
    /// not tell.
    static func sentence(of line: LineText, isJSON: Bool, holdsMessages: Bool) -> String? {
        let bytes = line.bytes[line.range]
        let start = bytes.prefix(8)
        // Of two bytes for a character of ASCII, one is zero.
        let isUTF16 =
            start.prefix(2).contains(0)
            && zip(start, start.dropFirst()).allSatisfy { ($0 == 0) != ($1 == 0) }
        if isUTF16 || utf16Marks.contains(Array(start.prefix(2))) {
            let note = holdsMessages ? " Without a byte order mark it may be utf-16be." : ""
            return "This is UTF-16: convert it first, as 'iconv -f utf-16 -t utf-8' does.\(note)"
        }
        if bytes.starts(with: byteOrderMark) {
            return "It begins with a byte order mark: remove it, as 'tail -c +4' does."
        }
        return holdsMessages ? sentence(ofMessage: line, isJSON: isJSON) : nil
    }

    private static func sentence(ofMessage line: LineText, isJSON: Bool) -> String? {
        let text = line.bytes[line.trimmed]
        if let word = nullWords.first(where: { text.elementsEqual($0.utf8) }) {
            return "It is \(word), as programs show NULL: write an empty line for it."
        }
        if isJSON { return nil }
        if text.elementsEqual("null".utf8) {
            return "It is null, as JSON has it: write an empty line for it, or use --json."
        }
        if text.first == UInt8(ascii: "\"") {
            return adviceOnStrings
        }
        return TableText.advice(onLine: text, MessageSpelling.message)
    }

    /// How databases, Python and pandas show NULL.
    private static let nullWords = [
        "NULL", "None", "nan", "NaN", "NaT", "<NA>", "<null>", "(null)",
    ]

    /// Of a text that is no message and too short for one, if it does not begin like one.
    static func sentence(ofShortText line: LineText) -> String? {
        let isShort = line.trimmed.count < MessageSpelling.fewestCharacters
        guard isShort, let first = line.firstCharacter, !"A0\\".utf8.contains(first) else {
            return nil
        }
        return """
            It is no message: even an empty one has \(MessageSpelling.fewestCharacters) \
            characters. Is it the right column?
            """
    }

    static let adviceOnStrings = "It begins with a quotation mark. --json reads JSON strings."
}
