import CryptorFormat

/// A word from elsewhere for a person to read, as the library shows names: it cannot pass for other words of the same line,
/// and no terminal takes it for a command. What is more than plain characters is written as a shell reads it: `$'a\nb'`.
func shown(_ bytes: [UInt8]) -> String { FileEndpoint.pathBytes(bytes).description }

/// The same text without anything that a terminal would obey.
func withoutControls(_ text: String, keepingNewlines: Bool) -> String {
    let isHarmless = { (scalar: Unicode.Scalar) in
        scalar.properties.generalCategory != .control || keepingNewlines && scalar == "\n"
    }
    guard !text.unicodeScalars.allSatisfy(isHarmless) else { return text }
    return text.unicodeScalars.map { isHarmless($0) ? String($0) : escaped(Array(String($0).utf8)) }.joined()
}

private func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { "\\x" + hexadecimal([$0]) }.joined()
}
