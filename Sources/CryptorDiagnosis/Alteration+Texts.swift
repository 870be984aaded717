import CryptorFiles

// Text in place of the bytes of a message: how it was encoded, and what is around it.
extension Alteration {
    static let texts = [
        Alteration(
            .byteOrderMark,
            """
            There is a byte order mark (EF BB BF) before it: remove it, for example with 'tail -c \
            +4'.
            """,
            sites: { look in
                look.part(
                    min(3, look.bytes.count)..<look.bytes.count,
                    if: look.bytes.starts(with: [0xEF, 0xBB, 0xBF]))
            }),
        utf16("utf-16", hasHighByteFirst: false, hasMark: true),
        utf16("utf-16", hasHighByteFirst: false, hasMark: false),
        utf16("utf-16", hasHighByteFirst: true, hasMark: true),
        // Without a mark, 'iconv' takes it for text with the low byte first.
        utf16("utf-16be", hasHighByteFirst: true, hasMark: false),
        Alteration(
            .dataURI, "It is a data URI: remove everything up to the comma.",
            sites: { look in
                let start = look.text.prefix(256)
                guard start.starts(with: "data:".utf8),
                    let comma = start.firstIndex(of: UInt8(ascii: ","))
                else { return [] }
                return look.part(comma + 1..<look.bytes.count, if: true)
            }),
        Alteration(
            .percentEncoded,
            """
            It is percent-encoded, as in URLs and forms: decode it with 'python3 -c "import sys, \
            urllib.parse as u; sys.stdout.buffer.write(u.unquote_to_bytes(sys.stdin.read()))"'.
            """,
            sites: { look in look.all(if: look.isText && look.has("%")) },
            decoder: { Decoding.percents() }),
        Alteration(
            .mailQuoted,
            """
            It is quoted as in mail: remove the '>' from each line, for example with 'sed "s/^[> \
            ]*//"'.
            """,
            sites: { look in look.all(if: look.begins(withOneOf: ">")) },
            decoder: { Decoding.filter(mailQuotes) }),
        Alteration(
            .pem,
            "It has PEM lines: remove those that begin with '-----'.",
            sites: { look in
                look.all(if: look.isText && look.text.starts(with: "-----BEGIN ".utf8))
            },
            decoder: { withoutPEMLines() }),
        Alteration(
            .hex, "It is hexadecimal text: decode it with 'xxd -r -p'.",
            sites: { look in look.all(if: look.hasOnly(.digits)) },
            decoder: { Decoding.hexadecimal() }),
        Alteration(
            .hex,
            """
            It is hexadecimal text with other characters around or between the digits: remove \
            them, then decode it with 'xxd -r -p'.
            """,
            sites: { look in
                let isDecorated = !look.hasOnly(.digits) && look.hasOnly(.decoratedDigits)
                let mayBegin = look.begins(withOneOf: "\\\(ByteSet.hexadecimal)xX<{")
                return look.part(decoratedDigits(look), if: isDecorated && mayBegin)
            },
            decoder: { Decoding.hexadecimal() }),
        Alteration(
            .base64Spaces,
            """
            It is base64 text with spaces instead of plus signs, which 'rncryptor decrypt' reads. \
            For other programs, restore the plus signs.
            """,
            sites: { look in look.all(if: kindOfBase64(look) == .base64Spaces) },
            decoder: { Decoding.base64() }),
        Alteration(
            .base64URL,
            """
            It is base64url text, which 'rncryptor decrypt' reads. Other programs need it decoded \
            first.
            """,
            sites: { look in look.all(if: kindOfBase64(look) == .base64URL) },
            decoder: { Decoding.base64() }),
        Alteration(
            .base64,
            """
            It is base64 text, which 'rncryptor decrypt' reads. Other programs need 'base64 -d' \
            first.
            """,
            sites: { look in look.all(if: kindOfBase64(look) == .base64) },
            decoder: { Decoding.base64() }),
        Alteration(
            .jsonString,
            """
            It is text with the quotes or escapes of JSON: remove them, for example with 'jq -r \
            .'.
            """,
            sites: { look in
                let part = withoutDoubleQuotes(look.inner, of: look.bytes)
                let isObject = look.begins(withOneOf: "{[")
                return look.part(
                    part, if: look.isText && !isObject && (part != look.inner || look.has("\\")))
            },
            decoder: { Decoding.escapes() }),
        Alteration(
            .quoted,
            """
            It is a bytes literal of Python, with escapes such as \\x03: convert it with 'python3 \
            -c "import ast, sys; sys.stdout.buffer.write(ast.literal_eval(sys.stdin.read().strip()\
            ))"'.
            """,
            sites: { look in
                let isPython = ["b'", "b\""].contains { look.text.starts(with: $0.utf8) }
                return look.part(
                    withoutQuotes(look), if: look.isText && isPython && look.has("\\"))
            },
            decoder: { Decoding.escapes() }),
        Alteration(
            .quoted,
            """
            There are quotes around it, or a comma or semicolon after it, as in source code: \
            remove them.
            """,
            sites: { look in
                let part = withoutQuotes(look)
                return look.part(
                    withoutDoubleQuotes(part, of: look.bytes),
                    if: look.isText && part != look.inner)
            },
            decoder: { Decoding.escapes() }),
        Alteration(
            .jsonObject,
            "It is in a JSON string: extract that string alone, for example with 'jq -r .NAME'.",
            sites: { look in look.begins(withOneOf: "{[") ? longStrings(look.bytes) : [] },
            decoder: { Decoding.escapes() }),
        Alteration(
            .jsonBytes,
            """
            It is a list of bytes as numbers, which 'jq -j' cannot write as bytes: convert it with \
            'python3 -c "import sys, json; sys.stdout.buffer.write(bytes(json.load(sys.stdin)))"'.
            """,
            sites: { look in
                look.all(if: look.isWhole && look.begins(withOneOf: "{[") && look.has(","))
            },
            decoder: { { bytes, _ in numbers(bytes) } }),
        Alteration(
            .plist,
            "It is in a property list: extract the data alone, for example with 'plutil -extract'.",
            sites: { look in look.begins(withOneOf: "<") ? elements(look.bytes) : [] }),
        Alteration(
            .plist,
            """
            It is in a binary property list: extract the data alone, for example with 'plutil \
            -extract'.
            """,
            sites: { look in
                look.bytes.starts(with: "bplist00".utf8) ? binaryObjects(look.bytes) : []
            }),
        Alteration(
            .trailingBytes, "There are zero bytes after the text: remove them.",
            sites: { look in
                guard look.bytes.last == 0, let first = look.bytes.first, 32..<127 ~= first,
                    let last = look.bytes.lastIndex(where: { $0 != 0 }),
                    // Where the text ends is not known if that is not among the last bytes.
                    look.isWhole || last >= look.bytes.count / 2
                else { return [] }
                return look.part(0..<last + 1, if: true)
            }),
        Alteration(
            .severalMessages,
            """
            It has several lines, and the first is a message: 'rncryptor decrypt --lines' reads \
            one message from each line.
            """,
            sites: { look in look.text.first == quote ? [] : firstLine(look) }),
        Alteration(
            .severalMessages,
            """
            It has several lines, and the first is a JSON string with a message: 'rncryptor \
            decrypt --lines --json' reads one message from each line.
            """,
            sites: { look in look.text.first == quote ? firstLine(look) : [] }),
    ]

    /// The first line, if it may be a message and others follow it.
    private static func firstLine(_ look: ByteLook) -> [Site] {
        guard look.isText, let end = look.text.firstIndex(of: lineFeed) else { return [] }
        return look.part(0..<end, if: end - look.inner.lowerBound >= 88)
    }

    /// - Parameter name: what `iconv` calls the encoding.
    private static func utf16(_ name: String, hasHighByteFirst: Bool, hasMark: Bool) -> Alteration {
        Alteration(
            .utf16,
            """
            It is UTF-16 text, as PowerShell's '>' writes it: convert it with 'iconv -f \(name) -t \
            utf-8'.
            """,
            sites: { look in
                let marks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF]]
                guard hasMark else {
                    let isMarked = marks.contains { look.bytes.starts(with: $0) }
                    let start = look.bytes.prefix(32)
                    return look.all(
                        if: !isMarked && start.count == 32
                            && isASCII(inUTF16: start, hasHighByteFirst: hasHighByteFirst))
                }
                return look.part(
                    min(2, look.bytes.count)..<look.bytes.count,
                    if: look.bytes.starts(with: marks[hasHighByteFirst ? 1 : 0]))
            },
            decoder: { Decoding.utf16(hasHighByteFirst: hasHighByteFirst) })
    }

    private static func isASCII(inUTF16 bytes: ArraySlice<UInt8>, hasHighByteFirst: Bool) -> Bool {
        bytes.indices.allSatisfy { index in
            let isHigh = index.isMultiple(of: 2) == hasHighByteFirst
            return isHigh
                ? bytes[index] == 0 : 32..<127 ~= bytes[index] || bytes[index] == lineFeed
        }
    }

    private static func kindOfBase64(_ look: ByteLook) -> Cause? {
        guard look.inner.count >= 16, look.hasOnly(.base64) else { return nil }
        if look.has(" "), !look.has("\r"), !look.has("\n") { return .base64Spaces }
        return look.has("-") || look.has("_") ? .base64URL : .base64
    }

    /// Where the digits are. NSData says its length first: {length = 66, bytes = 0x0301...}.
    private static func decoratedDigits(_ look: ByteLook) -> Range<Int> {
        guard look.text.first == UInt8(ascii: "{"),
            let equals = look.text.prefix(48).lastIndex(of: UInt8(ascii: "="))
        else { return look.inner }
        return equals + 1..<look.inner.upperBound
    }

    // MARK: Lines

    static let lineFeed = UInt8(ascii: "\n")

    /// Leaves out the signs and spaces at the start of each line.
    private static func mailQuotes() -> (UInt8) -> Bool {
        var isAtStart = true
        return { byte in
            if byte == lineFeed {
                isAtStart = true
            } else if byte != UInt8(ascii: ">"), byte != UInt8(ascii: " ") {
                isAtStart = false
            }
            return !isAtStart || byte == lineFeed
        }
    }

    /// Leaves out the lines that begin with five dashes. Base64url text may have one there.
    private static func withoutPEMLines() -> Decoder {
        var (state, isLeftOutSoFar): (Int?, Bool) = (0, false)
        return { text, isLast in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count + 5)
            // How many dashes the line begins with, as long as it has nothing else.
            var (dashCount, isLeftOut) = (state, isLeftOutSoFar)
            func keepDashes() {
                for _ in 0..<(dashCount ?? 0) { bytes.append(dash) }
                dashCount = nil
            }
            for byte in text {
                if byte == dash, let count = dashCount, count < 5 {
                    dashCount = count + 1
                    isLeftOut = count + 1 == 5
                    continue
                }
                if isLeftOut { dashCount = nil } else { keepDashes() }
                if !isLeftOut { bytes.append(byte) }
                if byte == lineFeed { (dashCount, isLeftOut) = (0, false) }
            }
            if isLast, !isLeftOut { keepDashes() }
            (state, isLeftOutSoFar) = (dashCount, isLeftOut)
            return bytes
        }
    }

    private static let dash = UInt8(ascii: "-")

    // MARK: Quotes

    private static let quote = UInt8(ascii: "\"")

    /// What may be around a text in the source of a program.
    private static let quotes = [
        ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}"), ("\u{2018}", "\u{2019}"),
        ("\u{AB}", "\u{BB}"), ("b'", "'"), ("b\"", "\""), ("@\"", "\""),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// Where the text is without quotes, and without what follows it in a list.
    private static func withoutQuotes(_ look: ByteLook) -> Range<Int> {
        var range = look.inner
        while let last = look.bytes[range].last, ",;".utf8.contains(last) { range.removeLast() }
        for (start, end) in quotes {
            let text = look.bytes[range]
            guard text.count > start.count + end.count, text.starts(with: start),
                text.suffix(end.count).elementsEqual(end)
            else { continue }
            return range.lowerBound + start.count..<range.upperBound - end.count
        }
        return range
    }

    private static func withoutDoubleQuotes(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
        let text = bytes[range]
        let isQuoted = text.count > 1 && text.first == quote && text.last == quote
        return isQuoted ? range.lowerBound + 1..<range.upperBound - 1 : range
    }

    // MARK: Where a message may be in something else

    /// How many are looked at.
    private static let maximumSiteCount = 16

    /// The contents of the strings of JSON that may hold a message.
    private static func longStrings(_ bytes: [UInt8]) -> [Site] {
        var sites: [Site] = []
        var start = 0
        var isWithin = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if !isEscaped, byte == quote {
                if isWithin, index - start >= 64 { sites.append(Site(part: start..<index)) }
                if sites.count == maximumSiteCount { break }
                isWithin.toggle()
                start = index + 1
            }
            isEscaped = isWithin && !isEscaped && byte == UInt8(ascii: "\\")
        }
        return sites
    }

    /// The contents of the elements of a property list that may hold a message.
    private static func elements(_ bytes: [UInt8]) -> [Site] {
        let names = ["<data>", "<string>"].map { Array($0.utf8) }
        var sites: [Site] = []
        var start: Int?
        for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
            if let start, start < index { sites.append(Site(part: start..<index)) }
            if sites.count == maximumSiteCount { break }
            let name = names.first { bytes[index...].starts(with: $0) }
            start = name.map { index + $0.count }
        }
        if let start, start < bytes.count, sites.count < maximumSiteCount {
            sites.append(Site(part: start..<bytes.count))
        }
        return sites
    }

    /// The data and strings of a binary property list that may hold a message.
    private static func binaryObjects(_ bytes: [UInt8]) -> [Site] {
        let objects = bytes.indices.lazy.compactMap { binaryObject(bytes, at: $0) }
        return objects.prefix(maximumSiteCount).map { Site(part: $0) }
    }

    /// The contents of the data or the string of ASCII that begins here. Their length follows the
    /// marker, in 1, 2, 4 or 8 bytes.
    private static func binaryObject(_ bytes: [UInt8], at offset: Int) -> Range<Int>? {
        guard [0x4F, 0x5F].contains(bytes[offset]), offset + 1 < bytes.count,
            0x10...0x13 ~= bytes[offset + 1]
        else { return nil }
        let start = offset + 2 + (1 << Int(bytes[offset + 1] & 3))
        guard start <= bytes.count else { return nil }
        let count = bytes[(offset + 2)..<start].suffix(4).reduce(0) { $0 << 8 | Int($1) }
        return count >= 66 && count <= bytes.count - start ? start..<start + count : nil
    }

    // MARK: Lists of numbers

    /// The bytes of the innermost list of numbers, or of an object from indices to numbers; nil if
    /// there are too few for a message. Java's are from -128 on.
    private static func numbers(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var number: Int?
        var isNegative = false
        var isPossible = true
        var isWithinString = false
        for byte in text {
            if byte == quote { isWithinString.toggle() }
            if isWithinString { continue }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = min(1000, (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")))
                continue
            case UInt8(ascii: "-"):
                isNegative = true
                continue
            case UInt8(ascii: "["):
                bytes = []
                number = nil
                isPossible = true
                continue
            default:
                break
            }
            // A number has ended.
            if isPossible {
                if let value = number.map({ isNegative ? -$0 : $0 }) {
                    isPossible = (-128...255).contains(value)
                    if isPossible { bytes.append(UInt8(truncatingIfNeeded: value)) }
                }
                number = nil
                isNegative = false
            }
            let isEnd = byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
            guard isEnd else { continue }
            if isPossible, bytes.count >= FormatVersion.shortestMessageByteCount { return bytes }
            bytes = []
            isPossible = true
        }
        return nil
    }
}
