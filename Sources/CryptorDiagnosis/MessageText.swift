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
        if let cause = causeAtStart(text) ?? causeOfEntities(text) { return cause }
        // Spaces may stand for plus signs.
        for run in text.split(whereSeparator: { !ByteSet.wordsOfBase64.contains($0) && $0 != 32 }) {
            let start = run.drop { $0 == 32 }.prefix(fewestCharacters)
            if start.count >= fewestCharacters / 2, begins(start, Decoding.base64) {
                return start.contains(32) ? .base64Spaces : .base64
            }
        }
        let words = text.split {
            !ByteSet.wordsOfBase64.contains($0) || $0 == UInt8(ascii: "=")
        }
        for word in words where word.count >= fewestCharacters {
            // What is before the digits in 0x03 and \\x03.
            let digits = word.starts(with: "0x".utf8) ? word.dropFirst(2) : word.dropFirst()
            if begins(word, Decoding.base64) { return .base64 }
            if begins(word, Decoding.hexadecimal) || begins(digits, Decoding.hexadecimal) {
                return .hex
            }
        }
        let all = Array(text)
        let beginning = beginnings.first { beginning in
            all.indices.contains { all[$0...].starts(with: beginning.text.utf8) }
        }
        if let beginning { return beginning.cause }
        if isListOfNumbers(text) { return .jsonBytes }
        return causeOfLongRun(text) ?? causeOfEscapes(all)
    }

    /// The first character that is not base64, and where it is; nil if there is none.
    static func firstForeign(in text: [UInt8]) -> String? {
        guard let index = text.firstIndex(where: { !ByteSet.base64.contains($0) }) else {
            return nil
        }
        let byte = text[index]
        let character =
            33..<127 ~= byte ? "'\(Unicode.Scalar(byte))'" : "0x\(byte.hexadecimal)"
        return "byte \(index), counted from 0 (\(character))"
    }

    /// Base64 text in which HTML entities stand for signs.
    private static func causeOfEntities(_ text: ArraySlice<UInt8>) -> Cause? {
        let words = text.split {
            !ByteSet.wordsOfBase64.contains($0) && !"&#;".utf8.contains($0)
        }
        let hasEntities = words.contains { word in
            word.count >= FormatVersion.shortestMessageByteCount && word.contains(UInt8(ascii: "&"))
        }
        return hasEntities ? .base64 : nil
    }

    /// Text with many escapes, or with the escapes of something that begins like a message.
    private static func causeOfEscapes(_ text: [UInt8]) -> Cause? {
        let escapes: [(signs: String, cause: Cause, makeDecoder: () -> Decoder)] = [
            ("%", .percentEncoded, { Decoding.percents() }),
            ("\\x", .quoted, { Decoding.escapesOfBytes() }),
            ("\\0", .quoted, { Decoding.escapesOfBytes() }),
            ("\\u", .jsonString, { Decoding.escapes() }),
            ("\\", .jsonString, { Decoding.escapes() }),
        ]
        for (signs, cause, makeDecoder) in escapes {
            let count = text.indices.count { text[$0...].starts(with: signs.utf8) }
            if count >= fewestCharacters, count > text.count / 8, signs != "\\" { return cause }
            if signs == "\\0", count >= fewestCharacters / 4 { return cause }
            // A newline may be within a later one.
            let start = Array(text.prefix(shortestLineByteCount + fewestCharacters))
            for part in [start, text] where count > 0 {
                guard let decoded = makeDecoder()(part, false), decoded.count < part.count else {
                    continue
                }
                if self.cause(in: decoded) != nil { return cause }
            }
        }
        return nil
    }

    /// Whether it has a list of as many numbers.
    private static func isListOfNumbers(_ text: ArraySlice<UInt8>) -> Bool {
        text.split { !ByteSet.numbers.contains($0) && !"\":".utf8.contains($0) }.contains {
            numbers in
            numbers.count { $0 == UInt8(ascii: ",") } >= fewestCharacters
                && numbers.count { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } >= fewestCharacters
        }
    }

    /// As many characters as the shortest message has, in one line or in several, and so many
    /// different ones are in no prose.
    private static func causeOfLongRun(_ text: ArraySlice<UInt8>) -> Cause? {
        var long: [UInt8] = []
        var end = text.startIndex
        var wasLine = false
        for run in text.split(whereSeparator: { !ByteSet.runsOfText.contains($0) }) {
            let between = text[end..<run.startIndex]
            let isNextLine =
                wasLine && between.allSatisfy { ByteLook.isSpace($0) || $0 == UInt8(ascii: ">") }
            if !isNextLine { long = [] }
            long += run.filter(ByteSet.wordsOfBase64.contains)
            if long.count >= FormatVersion.shortestMessageByteCount * 4 / 3 {
                let isHexadecimal = long.drop { "0xX".utf8.contains($0) }
                    .allSatisfy(ByteSet.digits.contains)
                if Set(long).count > (isHexadecimal ? 12 : 30) {
                    return isHexadecimal ? .hex : .base64
                }
                let whole = Array(long.prefix(long.count / 4 * 4))
                if let decoded = Decoding.base64()(whole, true), cause(in: decoded) != nil {
                    return .base64
                }
            }
            end = run.endIndex
            wasLine = run.count >= shortestLineByteCount
        }
        return nil
    }

    /// - Parameter makeDecoder: not a decoder itself, several of which in one function crash the
    ///   compiler of Swift 6.2.
    private static func begins(_ word: ArraySlice<UInt8>, _ makeDecoder: () -> Decoder) -> Bool {
        let start = word.prefix(min(fewestCharacters, word.count / 4 * 4))
        guard let decoded = makeDecoder()(Array(start), true) else { return false }
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
            begins(Array(start)[...], Decoding.base64)
        else { return nil }
        return start.contains(32) ? .base64Spaces : .base64
    }

    /// How other text of a message begins. Much else begins with 1 or 2.
    private static let beginnings: [(text: String, cause: Cause)] = {
        var all: [(text: String, cause: Cause)] = [(text: "{\"0\":3,\"1\":", cause: .jsonBytes)]
        for options in ["0", "1"] {
            all += ["[3,\(options),", "[3, \(options),"].map { ($0, .jsonBytes) }
            for separator in [", 0x", ",0x", ":", "-", " "] {
                all.append(("03\(separator)0\(options)\(separator)", .hex))
            }
            for version in 1...3 {
                all.append(("\\x0\(version)\\x0\(options)", .quoted))
                all.append(("\\u000\(version)\\u000\(options)", .jsonString))
                all.append(("%0\(version)%0\(options)", .percentEncoded))
            }
        }
        return all
    }()
}
