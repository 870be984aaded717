/// What a terminal may get of a plaintext: UTF-8 text without control characters, which it would
/// obey. Only tabs, newlines and a carriage return right before a newline are allowed.
enum TerminalText {
    /// The most bytes that are shown. Nobody reads as much at a terminal.
    static let byteLimit = 16 * 1024 * 1024

    private static let advice =
        "Write it to a file with --output, or use --output - to print it anyway."
    static let isBinary = CommandError.usage("The output is binary.", hint: advice)
    static let isTooLong = CommandError.usage(
        "The plaintext is too long for a terminal.", hint: advice)
    private static let isHarmful = CommandError.usage(
        "The plaintext is not UTF-8 text, or has control characters.", hint: advice)

    /// Writes a plaintext of at most that many bytes to standard output, which is a terminal.
    static func show(_ plaintext: [UInt8]) throws(CommandError) {
        guard isHarmless(plaintext) else { throw isHarmful }
        try Report.write(plaintext)
    }

    static func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy(isHarmless) && !hasBareCarriageReturn(bytes)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": true
        default: scalar.properties.generalCategory != .control
        }
    }

    /// Whether there is a carriage return that no newline follows.
    private static func hasBareCarriageReturn(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            guard bytes[index] == UInt8(ascii: "\r") else { return false }
            let next = index + 1
            return next == bytes.count || bytes[next] != UInt8(ascii: "\n")
        }
    }
}
