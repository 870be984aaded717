import CryptorFiles
import CryptorPrimitives
#if !canImport(Darwin)
// For the normal forms of Unicode, which the standard library has for its own use.
@_spi(_Unicode) import Swift
#endif

/// One thing that people and programs do to a password on its way, when the message was written or
/// now, and how to come from the password that was given to that of the message.
struct PasswordMistake: Sendable {
    let cause: Cause
    let advice: String
    /// What the password of the message may be, which the caller cleanses; empty if this cannot
    /// have happened. Nothing grows on the way, which would leave copies behind.
    let candidates: @Sendable ([UInt8]) -> [[UInt8]]

    private init(
        _ cause: Cause, _ advice: String, candidates: @escaping @Sendable ([UInt8]) -> [[UInt8]]
    ) {
        self.cause = cause
        self.advice = advice
        self.candidates = candidates
    }

    private init(
        _ cause: Cause, _ advice: String, undo: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.init(cause, advice) { given in undo(given).map { [$0] } ?? [] }
    }

    /// The order decides which of two names for the same thing is found.
    static let all = additions + changes + encodings + containers

    /// The writer did it.
    private static func written(
        _ cause: Cause, _ what: String, undo: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) -> PasswordMistake {
        let advice = """
            The writer used the password \(what). Put it like that into a file for \
            --password-file, which ignores one newline at its end, and run 'rncryptor rekey' on \
            the message.
            """
        return PasswordMistake(cause, advice, undo: undo)
    }

    /// Whoever typed the password did it. The message is fine.
    private static func typed(
        _ cause: Cause, _ what: String, undo: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) -> PasswordMistake {
        PasswordMistake(cause, typedAdvice(what), undo: undo)
    }

    private static func typedAdvice(_ what: String) -> String {
        "The message's password is the one that you gave, but \(what): type it like that."
    }

    /// The same of the case of some letters.
    /// - Parameter change: what becomes of a character, and of the first one if it is that.
    private static func typedCase(
        _ what: String, change: @escaping @Sendable (Character, _ isFirst: Bool) -> String
    ) -> PasswordMistake {
        PasswordMistake(
            .passwordCase, typedAdvice(what),
            candidates: { given in
                var isFirst = true
                let inASCII = mapped(given) { byte in
                    defer { isFirst = false }
                    let character = Character(UnicodeScalar(byte))
                    return byte < 0x80 ? Array(change(character, isFirst).utf8) : [byte]
                }
                // Others than ASCII letters have changed, too, or not.
                let inUnicode = text(given) { text in
                    text.enumerated().map { change($1, $0 == 0) }.joined()
                }
                return [inASCII, inUnicode].compactMap(\.self)
            })
    }

    /// Whoever gave the password did it.
    private static func given(
        _ cause: Cause, _ advice: String, undo: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) -> PasswordMistake {
        PasswordMistake(cause, advice, undo: undo)
    }

    // MARK: What is around it

    private static let additions = [
        around(.passwordNewline, "a newline (LF) after it", before: "", after: "\n"),
        around(
            .passwordNewline, "a carriage return and a newline (CR LF) after it", before: "",
            after: "\r\n"),
        around(
            .passwordNewline, "a carriage return (CR) without a newline after it", before: "",
            after: "\r"),
        around(.passwordNewline, "two newlines (LF) after it", before: "", after: "\n\n"),
        around(.passwordSpace, "a space after it", before: "", after: " "),
        around(.passwordSpace, "a space before it", before: " ", after: ""),
        around(.passwordSpace, "a tab after it", before: "", after: "\t"),
        around(.passwordSpace, "a tab before it", before: "\t", after: ""),
        around(.passwordSpace, "a no-break space after it", before: "", after: "\u{A0}"),
        around(.passwordSpace, "a no-break space before it", before: "\u{A0}", after: ""),
        around(
            .passwordByteOrderMark, "a byte order mark before it", before: "\u{FEFF}", after: ""),
        around(.passwordQuoted, "double quotes around it", before: "\"", after: "\""),
        around(.passwordQuoted, "single quotes around it", before: "'", after: "'"),
        around(
            .passwordTypographic, "curly quotes around it", before: "\u{201C}", after: "\u{201D}"),
        around(
            .passwordTypographic, "curly single quotes around it", before: "\u{2018}",
            after: "\u{2019}"),
    ].flatMap(\.self)

    /// What is around the password of the message, or around the one that was given.
    private static func around(
        _ cause: Cause, _ what: String, before: String, after: String
    ) -> [PasswordMistake] {
        let (before, after) = (Array(before.utf8), Array(after.utf8))
        let add: @Sendable ([UInt8]) -> [UInt8]? = { given in
            var longer: [UInt8] = []
            longer.reserveCapacity(before.count + given.count + after.count)
            for part in [before, given, after] { longer += part }
            return longer
        }
        let with =
            cause == .passwordSpace
            ? typed(cause, "with \(what)", undo: add)
            : written(cause, "with \(what)", undo: add)
        let without = given(
            cause,
            """
            The password that you gave has \(what), but the message's password does not: leave \
            that out.
            """
        ) { given in
            let inner = given.dropFirst(before.count).dropLast(after.count)
            let isAround = given.starts(with: before) && given.suffix(after.count) == after[...]
            return isAround && !inner.isEmpty ? Array(inner) : nil
        }
        return [with, without]
    }

    // MARK: What was typed

    private static let changes = [
        typed(.passwordSpace, "without the spaces in it") { given in
            mapped(given) { ByteLook.isSpace($0) ? [] : [$0] }
        },
        typed(.passwordSpace, "without white space before and after it") { given in
            Array(given[ByteLook.withoutMargins(given)])
        },
        typed(.passwordSpace, "with no-break spaces instead of spaces") { given in
            mapped(given) { $0 == UInt8(ascii: " ") ? [0xC2, 0xA0] : [$0] }
        },
        typed(.passwordSpace, "with spaces instead of tabs and no-break spaces") { given in
            var previous: UInt8 = 0
            return mapped(given) { byte in
                defer { previous = byte }
                if previous == 0xC2, byte == 0xA0 { return [UInt8(ascii: " ")] }
                if byte == 0xC2 { return [] }
                let isKept = byte != UInt8(ascii: "\t")
                let spaces = isKept ? [byte] : [UInt8(ascii: " ")]
                return previous == 0xC2 ? [0xC2] + spaces : spaces
            }
        },
        typedCase("with upper and lower case swapped, as by Caps Lock") { character, _ in
            swappedCase(character)
        },
        // The keyboard of a telephone begins with a capital.
        typedCase("with the first letter in the other case") { character, isFirst in
            isFirst ? swappedCase(character) : String(character)
        },
        typedCase("in lower case only") { character, _ in character.lowercased() },
        typedCase("in upper case only") { character, _ in character.uppercased() },
        typed(.passwordTypographic, "with straight quotes and dashes, not curly ones") { given in
            text(given) { text in text.map { straight[$0] ?? String($0) }.joined() }
        },
        typed(.passwordTypographic, "with curly quotes, not straight ones") { given in
            var isOpen = false
            return mapped(given) { byte in
                switch byte {
                case UInt8(ascii: "'"):
                    return [0xE2, 0x80, 0x99]
                case UInt8(ascii: "\""):
                    isOpen.toggle()
                    return [0xE2, 0x80, isOpen ? 0x9C : 0x9D]
                default:
                    return [byte]
                }
            }
        },
        typed(.passwordTypographic, "with en dashes, not hyphens") { given in
            mapped(given) { $0 == UInt8(ascii: "-") ? [0xE2, 0x80, 0x93] : [$0] }
        },
    ]

    private static let straight: [Character: String] = [
        "\u{2018}": "'", "\u{2019}": "'", "\u{201A}": "'", "\u{201C}": "\"", "\u{201D}": "\"",
        "\u{201E}": "\"", "\u{AB}": "\"", "\u{BB}": "\"", "\u{2013}": "-", "\u{2014}": "--",
        "\u{2026}": "...",
    ]

    private static func swappedCase(_ character: Character) -> String {
        character.isUppercase ? character.lowercased() : character.uppercased()
    }

    // MARK: How it was encoded

    private static let encodings =
        normalForms + [
            written(.passwordLatin1, "in UTF-8, after it was read as Latin-1") { given in
                mapped(given) { utf8(Unicode.Scalar($0)) }
            },
            written(.passwordWindows1252, "in Windows-1252, not UTF-8") { given in
                composed(given).map { text in
                    text.map { windows1252(of: $0) ?? UInt8(ascii: "?") }
                }
            },
            written(.passwordWindows1252, "in UTF-8, after it was read as Windows-1252") {
                given in mapped(given) { utf8(scalar(ofWindows1252: $0)) }
            },
            written(.passwordQuestionMarks, Self.questionMarks) { given in
                composed(given).map { text in
                    text.map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
                }
            },
            written(.passwordQuestionMarks, Self.questionMarks) { given in
                composed(given).map { text in
                    text.flatMap { UTF16.width($0) == 2 ? [$0, $0] : [$0] }
                        .map { $0.isASCII ? UInt8($0.value) : UInt8(ascii: "?") }
                }
            },
            written(.passwordUTF16, "in UTF-16 (low byte first), not UTF-8") { given in
                inUTF16(given, hasHighByteFirst: false, mark: [])
            },
            written(
                .passwordUTF16, "in UTF-16 (low byte first) with a byte order mark, not UTF-8"
            ) { given in inUTF16(given, hasHighByteFirst: false, mark: [0xFF, 0xFE]) },
            written(.passwordUTF16, "in UTF-16 (high byte first), not UTF-8") { given in
                inUTF16(given, hasHighByteFirst: true, mark: [])
            },
            written(
                .passwordUTF16, "in UTF-16 (high byte first) with a byte order mark, not UTF-8"
            ) { given in inUTF16(given, hasHighByteFirst: true, mark: [0xFE, 0xFF]) },
            PasswordMistake(
                .passwordUTF16, "The password that you gave is in UTF-16: save it as UTF-8.",
                candidates: { given in
                    [false, true].compactMap { text(ofUTF16: given, hasHighByteFirst: $0) }
                }),
            written(.passwordShortened, "up to its first zero byte") { given in
                Array(given.prefix { $0 != 0 })
            },
        ]

    private static let questionMarks = "with question marks instead of non-ASCII characters"

    #if canImport(Darwin)
    private static let normalForms: [PasswordMistake] = []

    private static func composed(_ given: [UInt8]) -> [Unicode.Scalar]? {
        accentedText(given).map { Array($0.unicodeScalars) }
    }
    #else
    private static let normalForms = [
        written(.passwordLatin1, "in Latin-1, not UTF-8") { given in
            composed(given).map { text in
                text.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
            }
        },
        written(.passwordNFC, "with composed accents (NFC)") { given in
            composed(given).map { $0.flatMap(utf8) }
        },
        written(.passwordNFD, "with decomposed accents (NFD)") { given in
            accentedText(given).map { $0._nfd.flatMap(utf8) }
        },
    ]

    private static func composed(_ given: [UInt8]) -> [Unicode.Scalar]? {
        accentedText(given).map { Array($0._nfc) }
    }
    #endif

    private static func utf8(_ scalar: Unicode.Scalar) -> [UInt8] {
        UTF8.encode(scalar).map { Array($0) } ?? []
    }

    /// What the bytes from 0x80 on stand for; 0 if for nothing.
    private static let windows1252: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    private static func windows1252(of scalar: Unicode.Scalar) -> UInt8? {
        if let index = windows1252.firstIndex(where: { $0 != 0 && UInt32($0) == scalar.value }) {
            return 0x80 + UInt8(index)
        }
        return UInt8(exactly: scalar.value)
    }

    private static func scalar(ofWindows1252 byte: UInt8) -> Unicode.Scalar {
        guard 0x80..<0xA0 ~= byte else { return Unicode.Scalar(byte) }
        let value = windows1252[Int(byte) - 0x80]
        return Unicode.Scalar(value).flatMap { value == 0 ? nil : $0 } ?? Unicode.Scalar(byte)
    }

    private static func inUTF16(
        _ given: [UInt8], hasHighByteFirst: Bool, mark: [UInt8]
    ) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(2 * given.count + mark.count)
        encoded += mark
        func append(_ unit: UInt16) {
            let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
            encoded.append(hasHighByteFirst ? high : low)
            encoded.append(hasHighByteFirst ? low : high)
        }
        if let text = accentedText(given) {
            for unit in text.utf16 { append(unit) }
        } else {
            for byte in given { append(UInt16(byte)) }
        }
        return encoded
    }

    /// The text of a password that was given in UTF-16, if it looks like one.
    private static func text(ofUTF16 given: [UInt8], hasHighByteFirst: Bool) -> [UInt8]? {
        let mark: [UInt8] = hasHighByteFirst ? [0xFE, 0xFF] : [0xFF, 0xFE]
        let bytes = given.starts(with: mark) ? given[2...] : given[...]
        // Half of the newline at the end of a file may be gone.
        let pairs = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
        let units = pairs.lazy.map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return hasHighByteFirst ? first << 8 | second : first | second << 8
        }
        guard units.contains(where: { $0 < 0x80 }),
            let text = String(validating: units, as: UTF16.self)
        else { return nil }
        return text.utf8.filter { !"\r\n".utf8.contains($0) }
    }

    // MARK: What it was put into

    private static let containers =
        [
            given(
                .passwordFirstLine,
                """
                The message's password is only the first line of what you gave: use that line \
                alone.
                """
            ) { given in
                let line = given.prefix { !"\r\n".utf8.contains($0) }
                return line.count < given.count ? Array(line) : nil
            },
            given(
                .passwordAssignment,
                "You gave a line like NAME=\"x\": use only what follows the '=', without quotes."
            ) { given in value(given, after: UInt8(ascii: "=")) },
            given(
                .passwordAssignment,
                "You gave a line like NAME: \"x\": use only what follows the ':', without quotes."
            ) { given in value(given, after: UInt8(ascii: ":")) },
            given(
                .passwordURLEncoded,
                "The password that you gave is percent-encoded, as in URLs: decode it first."
            ) { given in percentDecoded(given, plus: UInt8(ascii: "+")) },
            given(
                .passwordURLEncoded,
                "The password that you gave is percent-encoded, as in forms: decode it first."
            ) { given in percentDecoded(given, plus: UInt8(ascii: " ")) },
            written(.passwordURLEncoded, "percent-encoded, as in URLs") { given in
                percentEncoded(given, space: Array("%20".utf8))
            },
            written(.passwordURLEncoded, "percent-encoded, as in forms") { given in
                percentEncoded(given, space: [UInt8(ascii: "+")])
            },
            given(
                .passwordBase64,
                "The password that you gave is in base64, as Kubernetes shows it: decode it first."
            ) { given in base64Decoded(given) },
            given(
                .passwordBase64,
                """
                The password that you gave is in base64, as Kubernetes shows it: decode it first, \
                and remove the newline after it.
                """
            ) { given in
                guard var decoded = base64Decoded(given) else { return nil }
                defer { decoded.cleanse() }
                return Array(decoded.prefix(while: { !"\r\n".utf8.contains($0) }))
            },
            written(.passwordBase64, "in base64") { given in
                var text: [UInt8] = []
                text.reserveCapacity(given.count / 3 * 4 + 8)
                Base64Encoder.append(given, to: &text)
                return text
            },
            given(
                .passwordHex,
                "The password that you gave is in hexadecimal digits: decode it first."
            ) { given in hexadecimalDecoded(given) },
            written(.passwordHex, "in hexadecimal digits") { given in
                mapped(given) { $0.hexadecimal.utf8.map(\.self) }
            },
            written(.passwordHex, "in upper-case hexadecimal digits") { given in
                mapped(given) { $0.hexadecimal.uppercased().utf8.map(\.self) }
            },
        ]
        + ["MD5", "SHA1", "SHA256", "SHA512"].flatMap { name in
            [
                written(.passwordHashed, "hashed with \(name), in hexadecimal digits") { given in
                    digest(of: given, named: name).map { hash in
                        mapped(hash) { $0.hexadecimal.utf8.map(\.self) }
                    }
                },
                written(.passwordHashed, "hashed with \(name), in upper-case hexadecimal digits") {
                    given in
                    digest(of: given, named: name).map { hash in
                        mapped(hash) { $0.hexadecimal.uppercased().utf8.map(\.self) }
                    }
                },
            ]
        }

    /// What is behind the sign in the first line, if a name is before it.
    private static func value(_ given: [UInt8], after sign: UInt8) -> [UInt8]? {
        let line = given.prefix { !"\r\n".utf8.contains($0) }
        guard let index = line.firstIndex(of: sign), index > 0 else { return nil }
        let isName = line[..<index].allSatisfy { byte in
            " _-.\"'".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
                || Character(UnicodeScalar(byte)).isNumber
        }
        guard isName else { return nil }
        var value = line[(index + 1)...]
        while let first = value.first, ByteLook.isSpace(first) { value.removeFirst() }
        while let last = value.last, ByteLook.isSpace(last) || ",;".utf8.contains(last) {
            value.removeLast()
        }
        if value.count > 1, value.first == value.last, let quote = value.first,
            "\"'".utf8.contains(quote)
        {
            value = value.dropFirst().dropLast()
        }
        return Array(value)
    }

    private static func percentDecoded(_ given: [UInt8], plus: UInt8) -> [UInt8]? {
        let isEncoded = given.contains { "%+".utf8.contains($0) }
        return isEncoded ? Decoding.percents(plus: plus)(given, true) : nil
    }

    private static func percentEncoded(_ given: [UInt8], space: [UInt8]) -> [UInt8] {
        mapped(given) { byte in
            if byte == UInt8(ascii: " ") { return space }
            let character = Character(UnicodeScalar(byte))
            let isKept =
                byte < 0x80
                && (character.isLetter || character.isNumber || "-_.~".utf8.contains(byte))
            return isKept ? [byte] : Array("%\(byte.hexadecimal.uppercased())".utf8)
        }
    }

    private static func base64Decoded(_ given: [UInt8]) -> [UInt8]? {
        guard given.count > 3, given.allSatisfy({ ByteSet.base64.contains($0) }) else { return nil }
        return Decoding.base64()(given, true)
    }

    private static func hexadecimalDecoded(_ given: [UInt8]) -> [UInt8]? {
        let isDigits = given.allSatisfy { $0.hexadecimalValue != nil }
        guard isDigits, given.count.isMultiple(of: 2) else { return nil }
        return Decoding.hexadecimal()(given, true)
    }

    // MARK: Changes

    /// The password, if it is text that is not ASCII. A string cannot be cleansed: others become
    /// one only if they look like UTF-16.
    private static func accentedText(_ given: [UInt8]) -> String? {
        given.contains { $0 >= 0x80 } ? String(validating: given, as: UTF8.self) : nil
    }

    /// What becomes of text that is not ASCII.
    private static func text(_ given: [UInt8], _ change: (String) -> String) -> [UInt8]? {
        accentedText(given).map { Array(change($0).utf8) }
    }

    /// What becomes of the password if each byte becomes up to three.
    private static func mapped(_ given: [UInt8], _ change: (UInt8) -> [UInt8]) -> [UInt8] {
        var changed: [UInt8] = []
        changed.reserveCapacity(3 * given.count)
        for byte in given { changed += change(byte) }
        return changed
    }
}
