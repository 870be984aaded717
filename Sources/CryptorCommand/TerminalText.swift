import CryptorFormat
import Synchronization

/// Decides what of a plaintext a terminal may get: UTF-8 text without controls, which a terminal would obey. Of these, tabs
/// and newlines pass, and a carriage return right before a newline.
///
/// The text comes in chunks. A character that is cut in two, and a carriage return at the end, wait for the next one.
struct TerminalText {
    private enum Start { case character(byteCount: Int), cut, harmful }

    private var heldBack: [UInt8] = []
    private(set) var sawHarm = false

    /// What is harmless of the text so far and was not returned before.
    /// - Returns: nil if there is anything else in it; then nothing of this chunk, nor of those that follow.
    mutating func pass(_ chunk: [UInt8]) -> [UInt8]? {
        guard !sawHarm else { return nil }
        let bytes = heldBack + chunk
        var end = 0
        reading: while end < bytes.count {
            switch Self.start(of: bytes[end...]) {
            case .character(let byteCount): end += byteCount
            case .cut: break reading
            case .harmful:
                sawHarm = true
                return nil
            }
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

    /// RFC 3629, section 4, without the controls, which are below 20, 7F, and C2 80 to C2 9F.
    private static func start(of bytes: ArraySlice<UInt8>) -> Start {
        let second: ClosedRange<UInt8>
        let byteCount: Int
        switch bytes[bytes.startIndex] {
        case 0x20...0x7E, UInt8(ascii: "\t"), UInt8(ascii: "\n"): return .character(byteCount: 1)
        case UInt8(ascii: "\r"): (second, byteCount) = (UInt8(ascii: "\n")...UInt8(ascii: "\n"), 2)
        case 0xC2: (second, byteCount) = (0xA0...0xBF, 2)
        case 0xC3...0xDF: (second, byteCount) = (0x80...0xBF, 2)
        case 0xE0: (second, byteCount) = (0xA0...0xBF, 3)
        case 0xED: (second, byteCount) = (0x80...0x9F, 3)
        case 0xE1...0xEF: (second, byteCount) = (0x80...0xBF, 3)
        case 0xF0: (second, byteCount) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, byteCount) = (0x80...0xBF, 4)
        case 0xF4: (second, byteCount) = (0x80...0x8F, 4)
        default: return .harmful
        }
        let rest = bytes.dropFirst().prefix(byteCount - 1)
        guard rest.prefix(1).allSatisfy(second.contains), rest.dropFirst().allSatisfy({ 0x80...0xBF ~= $0 }) else {
            return .harmful
        }
        return rest.count == byteCount - 1 ? .character(byteCount: byteCount) : .cut
    }
}

/// An output that is a terminal: it gets harmless text only.
final class TerminalOutput: Sendable {
    private struct State {
        var text = TerminalText()
        var writeError: Int32?
    }

    private static let hint = "Write it to a file with --output FILE, or insist with --output -."

    private let name: FileEndpoint
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Nil if the output is no terminal. It is opened here, so that this is what is written to.
    init?(_ output: FileEndpoint) {
        guard let descriptor = output.terminalDescriptor() else { return nil }
        self.descriptor = descriptor
        name = output
    }

    deinit {
        if name.descriptor != nil { return }
        _ = close(descriptor)
    }

    /// - Throws: if one of the outputs, which are binary, is a terminal.
    static func refuseBinary(to outputs: [FileEndpoint]) throws(CommandError) {
        guard let terminal = outputs.first(where: \.isTerminal) else { return }
        throw .usage("what comes out is binary, and \(terminal) is a terminal", hint: hint)
    }

    /// Shows a plaintext that comes in chunks.
    /// - Returns: nil, or why no more of it can be shown: an error number, which ``check(atEnd:)`` puts into words.
    func show(_ chunk: [UInt8]) -> Int32? {
        guard let harmless = state.withLock({ $0.text.pass(chunk) }) else { return EILSEQ }
        let number = Report.write(harmless, to: descriptor)
        state.withLock { $0.writeError = number }
        return number
    }

    /// Says why not all of a plaintext could be shown, if that is because of the terminal.
    /// - Parameter atEnd: whether all of the plaintext has come.
    func check(atEnd: Bool) throws(CommandError) {
        let state = state.withLock { $0 }
        if state.text.sawHarm || atEnd && !state.text.isComplete {
            throw .usage(
                "what comes out is not plain text, or would control the terminal that \(name) is", hint: Self.hint)
        }
        if let number = state.writeError, Interruption.signal == nil { throw .unwritable(name, number) }
    }
}

extension FileEndpoint {
    var isTerminal: Bool { TerminalOutput(self) != nil }

    /// For writing; nil if it is no terminal, or cannot be opened. That of a path is for the caller to close, and does not
    /// block: nothing else is opened by such a name (/dev/tty, /dev/stdout).
    fileprivate func terminalDescriptor() -> Int32? {
        if let number = descriptor { return isatty(number) == 1 ? number : nil }
        guard isCharacterDevice else { return nil }
        // What it may not be opened for, a link of others in a folder for everybody, is said when it is written.
        do throws(CryptorError) { return try openTerminal() } catch { return nil }
    }
}
