/// What an error calls a file.
struct FileName: Sendable {
    /// For programs. Bytes that are no UTF-8 have been replaced.
    let path: String
    /// For people.
    let shown: String

    init(path bytes: some Collection<UInt8>) {
        path = String(decoding: bytes, as: UTF8.self)
        shown = Self.shown(bytes)
    }

    private init(path: String, shown: String) {
        self.path = path
        self.shown = shown
    }

    /// The same file, with what it is for people who have not named it.
    func noting(_ note: String) -> FileName { FileName(path: path, shown: "\(shown) (\(note))") }

    /// Of what has no path, such as "standard input".
    init(description: String) {
        path = description
        shown = description
    }

    /// A name as it can stand in a line of text: it forges no other line, and no terminal takes any of it for a command.
    ///
    /// A name in which all can be seen is shown as it is. One with anything else in it, with quotes, or with what could be
    /// taken for its end, a space or a colon before a space, is quoted as `$'…'`, which bash and zsh read.
    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        let text = String(validating: bytes, as: UTF8.self)
        if let text, isPlain(text) { return text }
        return "$'\(escaped(bytes))'"
    }

    private static func isPlain(_ text: String) -> Bool {
        // Scalars, since a mark that combines with a space makes another character of it.
        let scalars = text.unicodeScalars
        return !text.isEmpty && !looksLikeADescriptor(text) && scalars.first != " " && scalars.last != " "
            && !zip(scalars, scalars.dropFirst()).contains { $0 == ":" && $1 == " " }
            && scalars.allSatisfy { isVisible($0) && $0 != "'" && $0 != "\"" && $0 != "\\" }
    }

    /// What descriptors are called.
    private static func looksLikeADescriptor(_ text: String) -> Bool {
        ["standard ", "file descriptor "].contains { text.hasPrefix($0) }
    }

    private static func escaped(_ bytes: some Collection<UInt8>) -> String {
        var escaped = ""
        var parser = UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var shownCount = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .emptyInput:
                return escaped
            case .error(let byteCount):
                for byte in bytes.dropFirst(shownCount).prefix(byteCount) { escaped += hexadecimal(byte) }
                shownCount += byteCount
            case .valid(let units):
                shownCount += units.count
                switch UTF8.decode(units) {
                case "\n": escaped += "\\n"
                case "\r": escaped += "\\r"
                case "\t": escaped += "\\t"
                case "\\": escaped += "\\\\"
                case "'": escaped += "\\'"
                case let scalar where isVisible(scalar): escaped.unicodeScalars.append(scalar)
                default: for byte in units { escaped += hexadecimal(byte) }
                }
            }
        }
    }

    /// Two digits, and no shell reads more.
    private static func hexadecimal(_ byte: UInt8) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Whether a reader sees it, and it changes the place of no other character.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: scalar == " "
        // What shows nothing, or a blank: variation selectors, fillers, the empty pattern of Braille.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
        }
    }
}
