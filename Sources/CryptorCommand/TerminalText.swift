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
    static let isHarmful = CommandError.usage(
        "The plaintext is not text, and may control the terminal.", hint: advice)

    static func isHarmless(_ text: [UInt8]) -> Bool {
        guard let scalars = String(validating: text, as: UTF8.self)?.unicodeScalars else {
            return false
        }
        return scalars.allSatisfy {
            $0.properties.generalCategory != .control || "\t\n\r".unicodeScalars.contains($0)
        }
            && zip(text, text.dropFirst() + [0]).allSatisfy {
                $0 != UInt8(ascii: "\r") || $1 == UInt8(ascii: "\n")
            }
    }
}
