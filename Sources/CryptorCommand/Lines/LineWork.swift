import CryptorDiagnosis
import CryptorFiles

/// What a subcommand does with each line: how it is read, worked on and written.
///
/// | | a line is | worked on by | written as | if it fails |
/// |---|---|---|---|---|
/// | encrypt | a plaintext | `LineSealer` | a message in base64 | an empty line |
/// | decrypt | a message | `LineOpener` | its plaintext | an empty line |
/// | rekey | a message | both | a message in the same spelling | the line as it was |
/// | verify | a message | `LineOpener` | nothing | nothing |
///
/// With `--json` a plaintext is a string, and so is a message whose line was one; an empty line is
/// `null`, and `verify` writes `true`, `false` or `null`.
struct LineWork {
    enum Kind {
        case encrypt(LineSealer)
        case decrypt(LineOpener)
        case rekey(LineOpener, LineSealer)
        case verify(LineOpener)
    }

    /// What a line is, before the work.
    enum Line {
        case text(LineText)
        /// An empty cell of a dump, which is no message.
        case empty
        case failed(any Error)

        var isText: Bool { if case .text = self { true } else { false } }
    }

    /// What became of a line.
    enum Outcome {
        case message([UInt8])
        case plaintext([UInt8])
        case authentic
        /// The message stays as it is.
        case alreadyNew
        case empty
        case failed(any Error)

        var isPlaintext: Bool { if case .plaintext = self { true } else { false } }
    }

    private let kind: Kind
    private let isEncrypting: Bool
    private let form: PlaintextForm
    private let isJSON: Bool
    /// Whether only harmless text may be written.
    private let isForTerminal: Bool
    /// The most bytes of a line.
    let byteLimit: Int
    /// Whether a line that fails stays as it was, so that no message is lost.
    let keepsFailed: Bool

    /// How many lines are worked on together: a signal ends the run between them.
    static let batchCount = 256
    /// For how many of them keys are derived together: a signal ends the run between these, too.
    static let derivedCount = 16

    /// The most bytes of a plaintext.
    private static let plaintextByteLimit = 16 * 1024 * 1024
    /// Those of its message in the longest spelling: digits, with a prefix and quotes.
    private static let messageByteLimit = 2 * (plaintextByteLimit + 82) + 8

    init(_ kind: Kind, form: PlaintextForm = .text, isJSON: Bool, isForTerminal: Bool) {
        self.kind = kind
        self.form = form
        self.isJSON = isJSON
        self.isForTerminal = isForTerminal
        switch kind {
        case .encrypt:
            let longest = form.longestLine(of: Self.plaintextByteLimit)
            byteLimit = isJSON ? 6 * longest + 2 : longest
            keepsFailed = false
            isEncrypting = true
        case .decrypt, .verify:
            byteLimit = Self.messageByteLimit
            keepsFailed = false
            isEncrypting = false
        case .rekey:
            byteLimit = Self.messageByteLimit
            keepsFailed = true
            isEncrypting = false
        }
    }

    /// Whether a line that failed here gets `false` of `verify --lines --json`, which would tell
    /// more of the lines than this run.
    func isMarkedByVerify(_ line: Range<Int>, of block: [UInt8]) -> Bool {
        switch kind {
        case .encrypt: false
        case .verify where isJSON: false
        // What failed as no message may be one with --json.
        case .decrypt, .rekey, .verify:
            isJSON || !LineText(bytes: block, range: line).looksLikeJSON
        }
    }

    /// Whether the run ends with counts of what was rewritten.
    var isRekeying: Bool {
        switch kind {
        case .rekey: true
        case .encrypt, .decrypt, .verify: false
        }
    }

    // MARK: Reading

    /// Tells what lines are; nil is one that is too long.
    func read(_ lines: ArraySlice<Range<Int>?>, of block: [UInt8]) -> [Line] {
        lines.map { line in
            guard let line else { return .failed(Self.tooLong(byteLimit)) }
            do throws(CommandError) {
                let text = try text(of: LineText(bytes: block, range: line))
                return if let text { .text(text) } else { .empty }
            } catch {
                return .failed(error)
            }
        }
    }

    /// How many lines to encrypt look like messages.
    func lookalikeCount(in lines: [Line]) -> Int {
        count(in: lines) { MessageSpelling.isLikely(of: $0) }
    }

    /// How many lines to encrypt as text are `\N`, which JSON does not have for NULL.
    func nullCount(in lines: [Line]) -> Int { isJSON ? 0 : count(in: lines) { $0.isNull } }

    /// What the first line to encrypt as text shows of the encoding, if that is a mistake.
    func flawOfEncoding(_ line: Range<Int>, of block: [UInt8]) -> String? {
        guard isEncrypting, form == .text, !isJSON else { return nil }
        return ForeignLine.sentence(
            of: LineText(bytes: block, range: line), isJSON: false, holdsMessages: false)
    }

    private func count(in lines: [Line], _ isCounted: (LineText) -> Bool) -> Int {
        guard isEncrypting else { return 0 }
        return lines.count { line in
            if case .text(let text) = line { isCounted(text) } else { false }
        }
    }

    /// Whether a plaintext is written as text, and is `\N`.
    func isNull(_ outcome: Outcome) -> Bool {
        guard form == .text, !isJSON, case .plaintext(let plaintext) = outcome else { return false }
        return plaintext.count == 2 && plaintext.elementsEqual("\\N".utf8)
    }

    /// Nil for an empty cell.
    private func text(of line: LineText) throws(CommandError) -> LineText? {
        switch kind {
        case .encrypt:
            // An empty plaintext has digits before which nothing stands, but a prefix.
            if form == .hex, line.isBlank { return nil }
            if form != .text, line.isNull { return nil }
            guard isJSON else { return line }
            guard let text = try line.json(allowsBare: false) else { return nil }
            guard form != .text || text.range.count <= Self.plaintextByteLimit else {
                throw Self.tooLong(Self.plaintextByteLimit)
            }
            return text
        case .decrypt, .rekey, .verify:
            if line.isBlank || line.isNull { return nil }
            guard isJSON else { return line }
            guard let text = try line.json(allowsBare: true), !text.isBlank else { return nil }
            return text
        }
    }

    private static func tooLong(_ limit: Int) -> CommandError {
        CommandError(
            .malformed, "It has more than \(limit) bytes. Encrypt and decrypt it as a file.")
    }

    /// The error of a line that failed, in better words if the first bytes tell what the line is.
    func explained(
        _ error: CommandError, _ line: Range<Int>, of block: [UInt8]
    ) -> CommandError {
        guard error.status == .malformed, !isEncrypting || isJSON else { return error }
        let line = LineText(bytes: block, range: line)
        let sentence =
            ForeignLine.sentence(of: line, isJSON: isJSON, holdsMessages: !isEncrypting)
            ?? (isJSON ? nil : ForeignLine.sentence(ofShortText: line))
        return sentence.map { CommandError(error.status, $0) } ?? error
    }

    // MARK: Work

    /// What becomes of each line; nil if a signal came before that was known of all.
    func outcomes(of lines: [Line]) -> [Outcome]? {
        switch kind {
        case .encrypt(let sealer):
            var sealer = sealer.expecting(lines.count(where: \.isText))
            return lines.map { line in
                switch line {
                case .empty: return .empty
                case .failed(let error): return .failed(error)
                case .text(let text):
                    do { return .message(try seal(text, by: &sealer)) } catch {
                        return .failed(error)
                    }
                }
            }
        case .decrypt(let opener):
            return opener.open(lines) { plaintext, _ in .plaintext(plaintext) }
        case .rekey(let opener, let sealer):
            let opened = opener.open(lines) { plaintext, needsRotation in
                needsRotation ? .plaintext(plaintext) : .alreadyNew
            }
            guard var outcomes = opened else { return nil }
            var sealer = sealer.expecting(outcomes.count(where: \.isPlaintext))
            for index in outcomes.indices {
                guard case .plaintext(let plaintext) = outcomes[index] else { continue }
                do { outcomes[index] = .message(try sealer.seal(plaintext)) } catch {
                    outcomes[index] = .failed(error)
                }
            }
            return outcomes
        case .verify(let opener):
            return opener.open(lines) { _, _ in .authentic }
        }
    }

    private func seal(_ text: LineText, by sealer: inout LineSealer) throws -> [UInt8] {
        if form == .text { return try sealer.seal(text.bytes[text.range]) }
        var plaintext: [UInt8] = []
        defer { plaintext.cleanse() }
        try form.decode(text, into: &plaintext)
        guard plaintext.count <= Self.plaintextByteLimit else {
            throw Self.tooLong(Self.plaintextByteLimit)
        }
        return try sealer.seal(plaintext)
    }

    // MARK: Writing

    // What a line needs is passed as it is stored: a copy of the text, or a slice of the block,
    // would be counted up and down for each line.

    /// Appends the line for an outcome.
    /// - Parameters:
    ///   - line: what it was made from.
    ///   - range: where that is in the block.
    /// - Throws: why the line failed; a `PlaintextFlaw`, if only its plaintext cannot be written.
    func append(
        _ outcome: Outcome, of line: Line, _ range: Range<Int>, in block: [UInt8],
        to output: inout [UInt8]
    ) throws {
        switch outcome {
        case .message(let message): append(message, of: line, to: &output)
        case .plaintext(let plaintext) where form != .text:
            form.append(plaintext, asString: isJSON, to: &output)
            output.append(Lines.newline)
        case .plaintext(let plaintext) where isJSON: try append(json: plaintext, to: &output)
        case .plaintext(let plaintext): try append(plaintext, to: &output)
        case .authentic: appendWord("true", to: &output)
        case .alreadyNew: append(range, of: block, to: &output)
        case .empty: appendEmpty(range, of: block, to: &output)
        case .failed(let error): throw error
        }
    }

    /// Appends the line for an empty cell.
    private func appendEmpty(_ line: Range<Int>, of block: [UInt8], to output: inout [UInt8]) {
        switch kind {
        case .encrypt, .decrypt:
            if isJSON {
                appendWord("null", to: &output)
            } else {
                append(line, of: block, to: &output)
            }
        case .rekey: append(line, of: block, to: &output)
        case .verify: appendWord("null", to: &output)
        }
    }

    /// Appends what stands for a line that failed.
    func appendFailed(_ line: Range<Int>, of block: [UInt8], to output: inout [UInt8]) {
        switch kind {
        case .encrypt, .decrypt:
            if isJSON { appendWord("null", to: &output) } else { output.append(Lines.newline) }
        case .rekey: append(line, of: block, to: &output)
        case .verify: appendWord("false", to: &output)
        }
    }

    /// Appends a line as it is.
    private func append(_ line: Range<Int>, of block: [UInt8], to output: inout [UInt8]) {
        output += block[line]
        output.append(Lines.newline)
    }

    /// Appends a word of JSON; nothing without `--json`.
    private func appendWord(_ word: String, to output: inout [UInt8]) {
        guard isJSON else { return }
        output += word.utf8
        output.append(Lines.newline)
    }

    private func append(_ message: [UInt8], of line: Line, to output: inout [UInt8]) {
        guard case .text(let text) = line else { preconditionFailure("a message was a text") }
        let spelling: MessageSpelling
        switch kind {
        case .encrypt: spelling = .base64
        case .decrypt, .rekey, .verify: spelling = MessageSpelling(of: text)
        }
        spelling.append(message, asString: text.isString, to: &output)
        // Of a file of Windows.
        if !text.isString, keepsFailed, text.bytes[text.range].last == UInt8(ascii: "\r") {
            output.append(UInt8(ascii: "\r"))
        }
        output.append(Lines.newline)
    }

    private func append(
        json plaintext: [UInt8], to output: inout [UInt8]
    ) throws(PlaintextFlaw) {
        do throws(JSONString.Failure) { try JSONString.append(plaintext, to: &output) } catch {
            throw .notUTF8
        }
        output.append(Lines.newline)
    }

    private func append(
        _ plaintext: [UInt8], to output: inout [UInt8]
    ) throws(PlaintextFlaw) {
        let start = output.count
        output += plaintext
        let end = output.count
        // The newline is checked as well: before it, a carriage return at the end of the plaintext
        // is harmless.
        output.append(Lines.newline)
        if firstIndex(of: Lines.newline, in: output, start..<end) != nil {
            throw .newline
        }
        if isForTerminal, !Array(output[start...]).isHarmlessText { throw .harmful }
    }
}
