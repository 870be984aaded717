import CryptorFiles

/// `--plaintext`: how the plaintexts in lines are spelled. Bytes that are no text have no line of
/// their own otherwise.
enum PlaintextForm: String, CaseIterable {
    case text
    case base64
    /// As PostgreSQL has bytes. It reads what other programs write, too.
    case hex

    static let option = Option(
        "plaintext",
        value: .word(allCases.map(\.rawValue), "FORM"),
        goesWithLines: true,
        """
        With --lines, plaintexts are text (the default), or any bytes in base64 or hex. hex is \
        written with \\\\x before it, as PostgreSQL's COPY reads bytes ("\\\\x..." with --json), \
        and read with \\\\x, \\x, 0x or nothing before it.
        """)

    init(_ arguments: Arguments) throws(CommandError) {
        guard let word = arguments[Self.option.name] else {
            self = .text
            return
        }
        guard let form = PlaintextForm(rawValue: word.text) else {
            throw .usage("--plaintext takes text, base64 or hex, not \(word.quoted)")
        }
        self = form
    }

    /// How many bytes a plaintext of this many bytes has in a line, at most.
    func longestLine(of byteCount: Int) -> Int {
        switch self {
        case .text: byteCount
        case .base64: (byteCount + 2) / 3 * 4
        case .hex: 2 * byteCount + 3
        }
    }

    /// Puts the bytes that a text stands for in place of these. Nothing shows afterwards whether
    /// they are right, so this is stricter than the decoder of messages, to which spaces may be
    /// plus signs.
    func decode(_ text: LineText, into plaintext: inout [UInt8]) throws(CommandError) {
        if self == .base64 {
            let characters = text.bytes[text.trimmed]
            guard characters.count.isMultiple(of: 4), characters.allSatisfy({ $0 > 32 }) else {
                throw CommandError(
                    .malformed,
                    """
                    It is not base64 as --plaintext needs it: whole groups of four characters, \
                    without spaces. Part of it may be missing.
                    """)
            }
        }
        let spelling: MessageSpelling =
            self == .hex ? .hexadecimal(prefix: MessageSpelling.prefix(of: text)) : .base64
        do { try spelling.decode(text, into: &plaintext) } catch {
            throw CommandError(
                .malformed,
                "It is not \(self == .hex ? "hexadecimal" : "base64"), as --plaintext says.")
        }
    }

    /// COPY halves the backslashes of a line, and JSON those of a string.
    private static let prefix = Array("\\\\x".utf8)
    private static let prefixInStrings = Array("\\x".utf8)

    /// - Parameter isString: whether it becomes a string of JSON.
    func append(_ plaintext: [UInt8], asString isString: Bool, to output: inout [UInt8]) {
        let prefix = isString ? Self.prefixInStrings : Self.prefix
        let spelling: MessageSpelling = self == .hex ? .hexadecimal(prefix: prefix) : .base64
        spelling.append(plaintext, asString: isString, to: &output)
    }
}
