import CryptorFiles
import CryptorSystem

/// Decides what part of a plaintext a terminal may get: UTF-8 text without control characters, which a terminal would
/// obey. Only tabs, newlines and a carriage return right before a newline are allowed.
///
/// The text comes in chunks. A character that is cut in two, and a carriage return at the end, wait for the next chunk.
struct TerminalText {
    private var heldBack: [UInt8] = []
    private(set) var sawHarm = false

    /// Takes the next chunk of the text.
    /// - Returns: the harmless text that was not returned before; nil for a chunk with anything else in it, and for all
    ///   chunks after it.
    mutating func pass(_ chunk: [UInt8]) -> [UInt8]? {
        guard !sawHarm else { return nil }
        let bytes = heldBack + chunk
        var end = 0
        while end < bytes.count {
            let count = Self.harmlessByteCount(bytes[end...])
            guard count > 0 else {
                sawHarm = true
                return nil
            }
            guard count <= bytes.count - end else { break }
            end += count
        }
        heldBack = Array(bytes[end...])
        return Array(bytes[..<end])
    }

    /// Whether all of the text was returned. False if it ended within a character, or with a carriage return.
    var isComplete: Bool { !sawHarm && heldBack.isEmpty }

    /// Whether all of a text may go to a terminal.
    static func isHarmless(_ text: [UInt8]) -> Bool {
        var reader = TerminalText()
        return reader.pass(text) != nil && reader.isComplete
    }

    /// The length of the character at the start of `bytes` (RFC 3629, section 4), even if not all of it is there; 0 if
    /// it is harmful. The control characters, below 20, 7F, and C2 80 to C2 9F, are.
    private static func harmlessByteCount(_ bytes: ArraySlice<UInt8>) -> Int {
        let second: ClosedRange<UInt8>
        let count: Int
        switch bytes[bytes.startIndex] {
        case 0x20...0x7E, UInt8(ascii: "\t"), UInt8(ascii: "\n"): return 1
        case UInt8(ascii: "\r"): (second, count) = (UInt8(ascii: "\n")...UInt8(ascii: "\n"), 2)
        case 0xC2: (second, count) = (0xA0...0xBF, 2)
        case 0xC3...0xDF: (second, count) = (0x80...0xBF, 2)
        case 0xE0: (second, count) = (0xA0...0xBF, 3)
        case 0xED: (second, count) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, count) = (0x80...0xBF, 3)
        case 0xF0: (second, count) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, count) = (0x80...0xBF, 4)
        case 0xF4: (second, count) = (0x80...0x8F, 4)
        default: return 0
        }
        let rest = bytes.dropFirst().prefix(count - 1)
        return rest.prefix(1).allSatisfy(second.contains) && rest.dropFirst().allSatisfy { 0x80...0xBF ~= $0 }
            ? count : 0
    }
}

/// An output that is a terminal: it gets harmless text only.
final class TerminalOutput {
    private static let advice = "Write it to a file with --output, or use --output - to print it anyway."

    private let name: FileEndpoint
    private let descriptor: Int32
    private var text = TerminalText()
    private var writeError: Int32?

    /// Nil if the output is no terminal. It is opened here, so that what was checked is what is written to.
    init?(_ output: FileEndpoint) {
        guard let descriptor = output.terminalDescriptor() else { return nil }
        self.descriptor = descriptor
        name = output
    }

    deinit {
        if name.descriptor != nil { return }
        _ = close(descriptor)
    }

    /// A terminal should get nothing binary.
    static let isBinary = CommandError.usage("The output is binary.", hint: advice)

    /// Shows a plaintext that comes in chunks.
    /// - Returns: whether more of it can be shown; if not, ``check(atEnd:)`` says why.
    func show(_ chunk: [UInt8]) -> Bool {
        guard let harmless = text.pass(chunk) else { return false }
        Report.clearPassing()
        writeError = writeAll(harmless, to: descriptor)
        return writeError == nil
    }

    /// Throws why not all of a plaintext could be shown, if the reason is that the output is a terminal.
    /// - Parameter atEnd: whether all of the plaintext has come.
    func check(atEnd: Bool) throws(CommandError) {
        if text.sawHarm || atEnd && !text.isComplete {
            throw .usage("The plaintext is not plain text, and could control the terminal.", hint: Self.advice)
        }
        if let number = writeError, Interruption.signal == nil { throw .unwritable(name, number) }
    }
}

extension FileEndpoint {
    var isTerminal: Bool { TerminalOutput(self) != nil }

    /// A descriptor for writing; nil if this is no terminal, or cannot be opened. A path (/dev/tty, /dev/stdout) is
    /// opened without blocking, if it leads to a character device, and the caller closes the descriptor.
    fileprivate func terminalDescriptor() -> Int32? {
        if let number = descriptor { return isatty(number) == 1 ? number : nil }
        guard currentStatus?.kind == .other else { return nil }
        // Why it cannot be opened, such as another user's link in a folder for everybody, is reported by the write.
        do throws(CryptorError) { return try PrivateFile.terminal(self) } catch { return nil }
    }
}
