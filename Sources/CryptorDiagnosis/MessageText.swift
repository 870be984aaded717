/// Text that begins like that of a message somewhere, and cannot be decoded, as part of it is lost.
enum MessageText {
    /// How many bytes are looked at.
    private static let searchedByteCount = 1024
    private static let fewestCharacters = 24

    /// How a message may have been encoded that begins among the first bytes; nil if none does.
    static func cause(in input: [UInt8]) -> Cause? {
        let text = input.prefix(searchedByteCount)
        if let cause = causeAtStart(text.prefix(fewestCharacters)) { return cause }
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
        return beginnings.first { beginning in
            all.indices.contains { all[$0...].starts(with: beginning.text.utf8) }
        }?.cause
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
    private static func causeAtStart(_ start: ArraySlice<UInt8>) -> Cause? {
        guard start.count == fewestCharacters else { return nil }
        let isHexadecimal = start.allSatisfy { ByteSet.digits.contains($0) }
        if isHexadecimal, start.first == UInt8(ascii: "0") { return .hex }
        guard start.first == UInt8(ascii: "A") else { return nil }
        if start.allSatisfy(ByteSet.wordsOfBase64.contains) { return .base64 }
        // Prose begins like this as well, but hardly with the first bytes of a message.
        let isSpaced = start.allSatisfy { ByteSet.wordsOfBase64.contains($0) || $0 == 32 }
        return isSpaced && begins(start, Decoding.base64()) ? .base64Spaces : nil
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
