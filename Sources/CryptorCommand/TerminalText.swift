/// Decides what part of a plaintext a terminal may get: UTF-8 text without control characters, which a terminal would
/// obey. Only tabs, newlines and a carriage return right before a newline are allowed.
///
/// The text comes in chunks. A character that is cut in two, and a carriage return at the end, wait for the next chunk.
struct TerminalText {
    private static let advice = "Write it to a file with --output, or use --output - to print it anyway."
    static let isBinary = CommandError.usage("The output is binary.", hint: advice)
    static let isHarmful = CommandError.usage(
        "The plaintext is not plain text, and could control the terminal.", hint: advice)

    private var heldBack: [UInt8] = []
    private var sawHarm = false
    /// Why not all of the text could be shown.
    private(set) var failure: CommandError?

    /// Shows the next chunk of the text on standard output.
    mutating func show(_ chunk: [UInt8]) throws {
        do throws(CommandError) {
            guard let harmless = pass(chunk) else { throw Self.isHarmful }
            try Report.write(harmless)
        } catch {
            failure = error
            throw error
        }
    }

    /// Takes the next chunk of the text.
    /// - Returns: the harmless text that was not returned before; nil for a chunk with anything else in it, and for all
    ///   chunks after it.
    mutating func pass(_ chunk: [UInt8]) -> [UInt8]? {
        var bytes = heldBack + chunk
        let end = bytes.count - Self.unfinishedByteCount(bytes)
        heldBack = Array(bytes[end...])
        bytes.removeSubrange(end...)
        if !Self.isHarmless(bytes) { sawHarm = true }
        return sawHarm ? nil : bytes
    }

    /// Whether all of the text was returned. False if it ended within a character, or with a carriage return.
    var isComplete: Bool { !sawHarm && heldBack.isEmpty }

    /// Whether all of a text may go to a terminal.
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

    /// How many bytes at the end may be the start of something that is not all there.
    private static func unfinishedByteCount(_ bytes: [UInt8]) -> Int {
        if bytes.last == UInt8(ascii: "\r") { return 1 }
        let count = 1 + bytes.reversed().prefix(3).prefix { 0x80...0xBF ~= $0 }.count
        // A first byte begins with as many ones as its character has bytes (RFC 3629, section 3).
        return bytes.dropLast(count - 1).last.map { $0 >= 0xC0 && (~$0).leadingZeroBitCount > count } == true
            ? count : 0
    }
}
