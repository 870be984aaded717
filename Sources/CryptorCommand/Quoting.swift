/// Bytes from elsewhere, such as a name, for a person to read: they cannot pass for other words of the same line, and no
/// terminal takes them for commands. What is more than plain characters is written as a shell reads it: `$'a\nb'`.
func shown(_ bytes: [UInt8]) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
        return "$'\(bytes.map { $0 < 0x80 ? escapedInQuotes(Unicode.Scalar($0)) : escaped([$0]) }.joined())'"
    }
    let space = UInt8(ascii: " ")
    // ": " ends the name in a message.
    let isPlain =
        !bytes.isEmpty && bytes.first != space && bytes.last != space
        && !zip(bytes, bytes.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == space }
        && text.unicodeScalars.allSatisfy { $0.isPrintable && $0 != "'" && $0 != "\"" && $0 != "\\" }
    return isPlain ? text : "$'\(text.unicodeScalars.map(escapedInQuotes).joined())'"
}

/// The same text without anything that a terminal would obey.
func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
    let isHarmless = { (scalar: Unicode.Scalar) in
        scalar.properties.generalCategory != .control || keepingNewlines && scalar == "\n"
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    return text.unicodeScalars.map { isHarmless($0) ? String($0) : escaped(Array(String($0).utf8)) }.joined()
}

private func escapedInQuotes(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    case "'", "\\": "\\\(scalar)"
    default: scalar.isPrintable ? String(scalar) : escaped(Array(String(scalar).utf8))
    }
}

private func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { "\\x" + hexadecimal([$0]) }.joined()
}

extension Unicode.Scalar {
    /// A character that is seen, or a plain space: no control, none that turns the direction of the text, no end of a line,
    /// nothing that is not assigned.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case .spaceSeparator: self == " "
        default: true
        }
    }
}
