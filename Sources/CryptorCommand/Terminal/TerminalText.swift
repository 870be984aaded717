import CryptorDiagnosis

/// What a terminal may get of a plaintext: see `isHarmlessText`.
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
        guard plaintext.isHarmlessText else { throw isHarmful }
        try Report.write(plaintext)
    }
}
