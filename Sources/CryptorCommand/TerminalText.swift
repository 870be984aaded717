import CryptorFiles

/// What a terminal may get of a plaintext: UTF-8 text without control characters, which it would obey. Only tabs, newlines
/// and a carriage return right before a newline are allowed.
enum TerminalText {
    /// The most bytes that are shown. Nobody reads as much at a terminal.
    static let byteLimit = 16 * 1024 * 1024

    private static let advice = "Write it to a file with --output, or use --output - to print it anyway."
    static let isBinary = CommandError.usage("The output is binary.", hint: advice)
    static let isTooLong = CommandError.usage("The plaintext is too long for a terminal.", hint: advice)

    /// Shows a text on standard output; nothing of it, if any of it is harmful.
    static func show(_ text: [UInt8]) throws(CommandError) {
        guard isHarmless(text) else {
            throw .usage("The plaintext is not plain text, and could control the terminal.", hint: advice)
        }
        try Report.write(text)
    }

    static func isHarmless(_ text: [UInt8]) -> Bool {
        String(validating: text, as: UTF8.self) != nil
            && text.indices.allSatisfy { index in
                let next = index + 1 < text.count ? text[index + 1] : 0
                return switch text[index] {
                case UInt8(ascii: "\t"), UInt8(ascii: "\n"): true
                case UInt8(ascii: "\r"): next == UInt8(ascii: "\n")
                case 0..<0x20, 0x7F: false
                // The control characters from U+0080 to U+009F.
                case 0xC2: next >= 0xA0
                default: true
                }
            }
    }
}
