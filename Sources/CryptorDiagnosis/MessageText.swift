import CryptorFiles

/// Text that begins like that of a message somewhere, or is encoded otherwise, and cannot be
/// decoded, as part of it is lost.
enum MessageText {
    /// How many bytes are looked at.
    private static let searchedByteCount = 1024
    private static let fewestCharacters = 24
    /// How long the lines are of which text is taken for one.
    private static let shortestLineByteCount = 40

    /// How a message may have been encoded that begins among the first bytes; nil if none does, and
    /// there is no other text that is encoded.
    static func cause(in input: [UInt8]) -> Cause? {
        let text = input.prefix(searchedByteCount)
        if let cause = causeAtStart(text) { return cause }
        let words = text.split { !ByteSet.wordsOfBase64.contains($0) }
        for word in words where word.count >= fewestCharacters {
            // What is before the digits in 0x03 and \\x03.
            let digits = word.starts(with: "0x".utf8) ? word.dropFirst(2) : word.dropFirst()
            if begins(word, Decoding.base64()) { return .base64 }
            if begins(word, Decoding.hexadecimal()) || begins(digits, Decoding.hexadecimal()) {
                return .hex
            }
        }
        let all = Array(text)
        let beginning = beginnings.first { beginning in
            all.indices.contains { all[$0...].starts(with: beginning.text.utf8) }
        }
        return beginning?.cause ?? causeOfLongWord(words, in: text)
    }

    /// As many characters as the shortest message has, in one line or in several, and so many
    /// different ones are in no prose.
    private static func causeOfLongWord(
        _ words: [ArraySlice<UInt8>], in text: ArraySlice<UInt8>
    ) -> Cause? {
        var long: [UInt8] = []
        var end = text.startIndex
        var wasLine = false
        for word in words {
            let isNextLine =
                wasLine && text[end..<word.startIndex].allSatisfy { "\r\n".utf8.contains($0) }
            if isNextLine { long += word } else { long = Array(word) }
            if long.count >= FormatVersion.shortestMessageByteCount * 4 / 3 {
                let isHexadecimal = long.allSatisfy(ByteSet.digits.contains)
                if Set(long).count > (isHexadecimal ? 12 : 30) {
                    return isHexadecimal ? .hex : .base64
                }
            }
            end = word.endIndex
            wasLine = word.count >= shortestLineByteCount
        }
        return nil
    }

    private static func begins(_ word: ArraySlice<UInt8>, _ decode: Decoder) -> Bool {
        guard let decoded = decode(Array(word.prefix(fewestCharacters)), true) else { return false }
        if isBeginning(decoded) { return true }
        // It may have been encoded twice.
        guard decoded.allSatisfy(ByteSet.wordsOfBase64.contains) else { return false }
        return [Decoding.base64(), Decoding.hexadecimal()].contains { decodeAgain in
            decodeAgain(decoded, true).map(isBeginning) == true
        }
    }

    /// Much begins with zeros that is no message of version 0.
    private static func isBeginning(_ bytes: [UInt8]) -> Bool {
        bytes.first != 0 && MessageShape(bytes).mayBegin
    }

    /// Of text that begins with it, less is asked for: it may have been altered there.
    private static func causeAtStart(_ text: ArraySlice<UInt8>) -> Cause? {
        let first = text.prefix(fewestCharacters)
        guard first.count == fewestCharacters else { return nil }
        let isHexadecimal = first.allSatisfy { ByteSet.digits.contains($0) }
        if isHexadecimal, first.first == UInt8(ascii: "0") { return .hex }
        guard first.first == UInt8(ascii: "A") else { return nil }
        if first.allSatisfy(ByteSet.wordsOfBase64.contains) { return .base64 }
        // Prose begins like this as well, but hardly with the first bytes of a message.
        let start = text.lazy.filter { !"\r\n".utf8.contains($0) }.prefix(fewestCharacters)
        guard start.allSatisfy({ ByteSet.wordsOfBase64.contains($0) || $0 == 32 }),
            begins(Array(start)[...], Decoding.base64())
        else { return nil }
        return start.contains(32) ? .base64Spaces : .base64
    }

    /// How other text of a message begins. Many a list of numbers begins with 1 or 2.
    private static let beginnings: [(text: String, cause: Cause)] =
        [
            (text: "[3,0,", cause: .jsonBytes), (text: "[3,1,", cause: .jsonBytes),
            (text: "[3, 0,", cause: .jsonBytes), (text: "[3, 1,", cause: .jsonBytes),
            (text: "{\"0\":3,\"1\":", cause: .jsonBytes),
        ]
        + ["00", "01"].flatMap { options in
            ["01", "02", "03"].flatMap { version in
                [
                    (text: "\\x\(version)\\x\(options)", cause: Cause.quoted),
                    (text: "\\u00\(version)\\u00\(options)", cause: .jsonString),
                    (text: "%\(version)%\(options)", cause: .percentEncoded),
                ]
            }
        }
}
