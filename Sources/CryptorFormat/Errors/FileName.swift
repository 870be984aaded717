/// The name of a file in an error.
package struct FileName: Sendable {
    /// The name for programs. Bytes that are not UTF-8 have been replaced.
    let path: String
    /// The name for people. It is safe in a line of text: it cannot forge another line, or give
    /// commands to a terminal.
    ///
    /// A name of visible characters is shown as it is. A name with other characters, with quotes,
    /// or with something that could be taken for its end (a space at either end, or a colon before
    /// a space) is quoted as `$'…'`, which bash and zsh read.
    package let shown: String

    /// - Parameter note: for people who have not named the file themselves.
    package init(path bytes: some Collection<UInt8>, note: String? = nil) {
        path = String(decoding: bytes, as: UTF8.self)
        let text = String(validating: bytes, as: UTF8.self)
        let name = if let text, Self.isPlain(text) { text } else { "$'\(Self.escaped(bytes))'" }
        shown = note.map { "\(name) (\($0))" } ?? name
    }

    /// Names something that has no path, such as "standard input".
    package init(description: String) {
        path = description
        shown = description
    }

    private static func isPlain(_ text: String) -> Bool {
        let beginsLikeADescription = ["standard ", "file descriptor "].contains {
            text.hasPrefix($0)
        }
        // Scalars are compared, because a space with a combining mark is one character, and no
        // longer a space.
        let scalars = text.unicodeScalars
        return !text.isEmpty && !beginsLikeADescription && scalars.first != " "
            && scalars.last != " "
            && !zip(scalars, scalars.dropFirst()).contains { $0 == ":" && $1 == " " }
            && scalars.allSatisfy { isVisible($0) && $0 != "'" && $0 != "\"" && $0 != "\\" }
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
                // Two digits for a byte: no shell reads more than two.
                for byte in bytes.dropFirst(shownCount).prefix(byteCount) {
                    escaped += "\\x" + byte.hexadecimal
                }
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
                default: for byte in units { escaped += "\\x" + byte.hexadecimal }
                }
            }
        }
    }

    /// Whether the scalar is visible and does not move other characters.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        case .spaceSeparator: scalar == " "
        // Variation selectors, fillers and the empty pattern of Braille show nothing, or a blank.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
        }
    }
}

extension UInt8 {
    /// Two hexadecimal digits.
    package var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }

    /// The value of this character as a hexadecimal digit; nil if it is another character.
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
