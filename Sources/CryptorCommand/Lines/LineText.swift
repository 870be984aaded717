/// What a line holds: a plaintext, or the text of a message.
struct LineText {
    /// The block that the line is in, or what a string with escapes stands for.
    let bytes: [UInt8]
    let range: Range<Int>
    /// Whether it stood in quotes, as a string of JSON.
    var isString = false

    /// The range without the blanks at its ends: spaces, tabs and carriage returns.
    var trimmed: Range<Int> {
        guard let first = range.first(where: { !Self.isBlank(bytes[$0]) }),
            let last = range.last(where: { !Self.isBlank(bytes[$0]) })
        else { return range.lowerBound..<range.lowerBound }
        return first..<last + 1
    }

    /// The first that is no blank.
    var firstCharacter: UInt8? {
        for index in range where !Self.isBlank(bytes[index]) { return bytes[index] }
        return nil
    }

    /// Whether it is an empty cell of a dump: it has only blanks, or nothing.
    var isBlank: Bool { firstCharacter == nil }

    /// Whether it is `\N`, which PostgreSQL's COPY writes for NULL. No message is.
    var isNull: Bool {
        firstCharacter == UInt8(ascii: "\\") && bytes[trimmed].elementsEqual("\\N".utf8)
    }

    /// Whether it is a value of JSON that stands for a message, or for none.
    var looksLikeJSON: Bool {
        firstCharacter == UInt8(ascii: "\"") || bytes[trimmed].elementsEqual("null".utf8)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    // MARK: JSON

    /// The text of a line of JSON; nil for `null`.
    /// - Parameter allowsBare: whether text without quotes is taken as it is.
    func json(allowsBare: Bool) throws(CommandError) -> LineText? {
        let value = trimmed
        if bytes[value].elementsEqual("null".utf8) { return nil }
        guard bytes[value].first == UInt8(ascii: "\"") else {
            guard allowsBare else { throw Self.isNoString(bytes[value]) }
            return self
        }
        do throws(JSONString.Failure) {
            let (bytes, range) = try JSONString.text(in: bytes, value)
            return LineText(bytes: bytes, range: range, isString: true)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Why a value is no plaintext, and how to make one of it.
    private static func isNoString(_ value: ArraySlice<UInt8>) -> CommandError {
        // Of null, tostring would make a string.
        let makingStrings = "jq -c 'if . == null then . else tostring end' makes a string of it"
        let sentence =
            switch JSONKind(of: value) {
            case .nothing:
                "It is empty, which is not JSON. For an empty cell, write null."
            case .container:
                """
                It begins like a JSON object or array, such as a whole row: take the column out of \
                it, as 'jq -c .NAME' does. If it is a cell, \(makingStrings).
                """
            case .scalar:
                "It is neither a JSON string nor null. \(makingStrings) and keeps null."
            case .text:
                "It is not JSON. Leave out --json, or convert text with 'jq -R .'."
            }
        return CommandError(.malformed, sentence)
    }

    /// What a line is that is no string of JSON and not null.
    private enum JSONKind {
        case nothing
        case container
        /// A number, `true` or `false`.
        case scalar
        case text

        private static let longestNumber = 400

        init(of value: ArraySlice<UInt8>) {
            switch value.first {
            case nil: self = .nothing
            case UInt8(ascii: "{"), UInt8(ascii: "["): self = .container
            default: self = Self.isScalar(value) ? .scalar : .text
            }
        }

        private static func isScalar(_ value: ArraySlice<UInt8>) -> Bool {
            guard value.count <= longestNumber else { return false }
            if value.elementsEqual("true".utf8) || value.elementsEqual("false".utf8) { return true }
            // Double also reads "inf" and the like.
            guard value.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return false }
            return Double(String(decoding: value, as: UTF8.self)) != nil
        }
    }

    private static func failure(_ failure: JSONString.Failure) -> CommandError {
        let sentence =
            switch failure {
            case .malformed:
                "It begins like a JSON string, but is not one. With --json, each line is one value."
            case .halfPair:
                "Its string has half of a surrogate pair, which is not a character."
            case .notUTF8:
                "It is not UTF-8, as JSON requires."
            }
        return CommandError(.malformed, sentence)
    }
}
