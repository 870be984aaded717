import CryptorFiles

// Text in place of the bytes of a message: how it was encoded, and what is around it.
extension Way {
    static let texts = [
        Way(
            .byteOrderMark,
            """
            There is a byte order mark (EF BB BF) before it: remove it, for example with 'tail -c \
            +4'.
            """,
            places: { bytes, _ in once(bytes.starts(with: byteOrderMark)) },
            undo: { bytes, _ in
                bytes.removeFirst(byteOrderMark.count)
                return true
            }),
        Way(
            .utf16, isLikely: true,
            advice: { encoding in
                let name = encoding == UTF16Text.unmarkedBigEndian ? "utf-16be" : "utf-16"
                return """
                    It is UTF-16 text, as PowerShell's '>' writes it: convert it with 'iconv -f \
                    \(name) -t utf-8'.
                    """
            },
            places: { bytes, _ in UTF16Text(bytes).map { [$0.encoding] } ?? [] },
            undo: { (bytes, _) throws(CryptorError) in try UTF16Text.undo(&bytes) }),
        Way(
            .dataURI, "It is a data URI: remove everything up to the comma.",
            places: { bytes, look in
                let start: ArraySlice<UInt8> = bytes[look.inner].prefix(256)
                guard start.starts(with: "data:".utf8) else { return [] }
                return start.firstIndex(of: UInt8(ascii: ",")).map { [$0 + 1] } ?? []
            },
            undo: { bytes, start in
                bytes.removeFirst(start)
                return true
            }),
        Way(
            .percentEncoded,
            """
            It is percent-encoded, as in URLs and forms: decode it with 'python3 -c "import sys, \
            urllib.parse as u; sys.stdout.buffer.write(u.unquote_to_bytes(sys.stdin.read()))"'.
            """,
            places: { _, look in once(look.isText && look.has("%")) },
            undo: { (bytes, _) throws(CryptorError) in try decodePercents(&bytes) }),
        Way(
            .mailQuoted,
            """
            It is quoted as in mail: remove the '>' from each line, for example with 'sed "s/^[> \
            ]*//"'.
            """,
            places: { bytes, look in
                once(look.isText && bytes[look.inner].first == UInt8(ascii: ">"))
            },
            undo: { (bytes, _) throws(CryptorError) in try removeMailQuotes(&bytes) }),
        Way(
            .pem,
            "It has PEM lines: remove those that begin with '-----'.",
            places: { bytes, look in
                once(look.isText && bytes[look.inner].starts(with: "-----BEGIN ".utf8))
            },
            undo: { (bytes, _) throws(CryptorError) in try removePEMLines(&bytes) }),
        Way(
            .hex, "It is hexadecimal text: decode it with 'xxd -r -p'.",
            places: { bytes, look in once(look.hasOnly(.digits)) },
            undo: { (bytes, _) throws(CryptorError) in try decodeHexadecimal(&bytes) }),
        Way(
            .hex,
            """
            It is hexadecimal text with other characters around or between the digits: remove \
            them, then decode it with 'xxd -r -p'.
            """,
            places: { bytes, look in
                let first = bytes[look.inner].first
                let isDecorated = !look.hasOnly(.digits) && look.hasOnly(.decoratedDigits)
                return once(
                    isDecorated
                        && first.map { "\\0123456789abcdefABCDEFxXE<{".utf8.contains($0) } == true)
            },
            undo: { (bytes, _) throws(CryptorError) in try decodeDecoratedHexadecimal(&bytes) }),
        Way(
            .base64Spaces,
            """
            It is base64 text with spaces instead of plus signs, which 'rncryptor decrypt' reads. \
            For other programs, restore the plus signs.
            """,
            places: { _, look in once(kindOfBase64(look) == .base64Spaces) },
            undo: { (bytes, _) throws(CryptorError) in try decodeBase64(&bytes) }),
        Way(
            .base64URL,
            """
            It is base64url text, which 'rncryptor decrypt' reads. Other programs need it decoded \
            first.
            """,
            places: { _, look in once(kindOfBase64(look) == .base64URL) },
            undo: { (bytes, _) throws(CryptorError) in try decodeBase64(&bytes) }),
        Way(
            .base64,
            """
            It is base64 text, which 'rncryptor decrypt' reads. Other programs need 'base64 -d' \
            first.
            """,
            places: { _, look in once(kindOfBase64(look) == .base64) },
            undo: { (bytes, _) throws(CryptorError) in try decodeBase64(&bytes) }),
        Way(
            .jsonString,
            """
            It is text with the quotes or escapes of JSON: remove them, for example with 'jq -r \
            .'.
            """,
            places: { bytes, look in
                let text = bytes[look.inner]
                let isQuoted = text.count > 1 && text.first == quote && text.last == quote
                let isObject = text.first.map { "{[".utf8.contains($0) } ?? false
                return once(look.isText && !isObject && (isQuoted || look.has("\\")))
            },
            undo: { (bytes, _) throws(CryptorError) in
                try keep(ByteLook.withoutMargins(bytes), of: &bytes)
            }),
        Way(
            .quoted,
            """
            It is a bytes literal of Python, with escapes such as \\x03: convert it with 'python3 \
            -c "import ast, sys; sys.stdout.buffer.write(ast.literal_eval(sys.stdin.read().strip()\
            ))"'.
            """,
            places: { bytes, look in
                let text = bytes[look.inner]
                let isPython = text.starts(with: "b'".utf8) || text.starts(with: "b\"".utf8)
                return once(look.isText && isPython && look.has("\\"))
            },
            undo: { (bytes, _) throws(CryptorError) in try keep(withoutQuotes(bytes), of: &bytes) }
        ),
        Way(
            .quoted,
            """
            There are quotes around it, or a comma or semicolon after it, as in source code: \
            remove them.
            """,
            places: { bytes, look in once(look.isText && withoutQuotes(bytes) != look.inner) },
            undo: { (bytes, _) throws(CryptorError) in try keep(withoutQuotes(bytes), of: &bytes) }
        ),
        Way(
            .jsonObject,
            "It is in a JSON string: extract that string alone, for example with 'jq -r .NAME'.",
            places: { (bytes, look) throws(CryptorError) in
                let first = bytes[look.inner].first
                guard look.isText, first.map({ "{[".utf8.contains($0) }) == true else { return [] }
                return try longStrings(bytes)
            },
            undo: { (bytes, start) throws(CryptorError) in
                let end = try endOfString(bytes, from: start + 1)
                return try keep(start..<end + 1, of: &bytes)
            }),
        Way(
            .jsonBytes,
            """
            It is a list of bytes as numbers, which 'jq -j' cannot write as bytes: convert it with \
            'python3 -c "import sys, json; sys.stdout.buffer.write(bytes(json.load(sys.stdin)))"'.
            """,
            places: { bytes, look in
                let first = bytes[look.inner].first
                let isList = first.map { "{[".utf8.contains($0) } ?? false
                return once(look.isText && isList && look.has(","))
            },
            undo: { (bytes, _) throws(CryptorError) in try decodeNumbers(&bytes) }),
        Way(
            .plist,
            "It is in a property list: extract the data alone, for example with 'plutil -extract'.",
            places: { (bytes, look) throws(CryptorError) in
                guard look.isText, bytes[look.inner].first == UInt8(ascii: "<") else { return [] }
                return try elements(bytes)
            },
            undo: { (bytes, start) throws(CryptorError) in
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                bytes.removeLast(bytes.count - end)
                bytes.removeFirst(start)
                return true
            }),
        Way(
            .plist,
            """
            It is in a binary property list: extract the data alone, for example with 'plutil \
            -extract'.
            """,
            places: { (bytes, _) throws(CryptorError) in
                guard bytes.starts(with: "bplist00".utf8) else { return [] }
                return try binaryObjects(bytes)
            },
            undo: { (bytes, place) throws(CryptorError) in
                guard let object = binaryObject(bytes, at: place) else { return false }
                bytes.removeLast(bytes.count - object.upperBound)
                bytes.removeFirst(object.lowerBound)
                return true
            }),
        Way(
            .trailingBytes, "There are zero bytes after the text: remove them.",
            places: { bytes, _ in
                once(bytes.last == 0 && bytes.first.map { 32..<127 ~= $0 } == true)
            },
            undo: { bytes, _ in
                let end = bytes.lastIndex { $0 != 0 } ?? 0
                bytes.removeLast(bytes.count - end - 1)
                return true
            }),
        Way(
            .severalMessages,
            """
            It has several lines, and the first is a message: 'rncryptor decrypt --lines' reads \
            one message from each line.
            """,
            places: { bytes, look in
                bytes[look.inner].first == quote ? [] : endOfFirstLine(bytes, look)
            },
            undo: { bytes, end in
                bytes.removeLast(bytes.count - end)
                return true
            }),
        Way(
            .severalMessages,
            """
            It has several lines, and the first is a JSON string with a message: 'rncryptor \
            decrypt --lines --json' reads one message from each line.
            """,
            places: { bytes, look in
                bytes[look.inner].first == quote ? endOfFirstLine(bytes, look) : []
            },
            undo: { bytes, end in
                bytes.removeLast(bytes.count - end)
                return true
            }),
    ]

    /// Where a line ends that may be a message, with others behind it.
    private static func endOfFirstLine(_ bytes: [UInt8], _ look: ByteLook) -> [Int] {
        guard look.isText, let end = bytes[look.inner].firstIndex(of: lineFeed) else { return [] }
        return end - look.inner.lowerBound >= 88 ? [end] : []
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// The value of each byte as a hexadecimal digit; nil for others.
    private static let digits: [UInt8?] = (UInt8.min...UInt8.max).map { byte in
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// The value of so many digits; nil if there are others among them.
    private static func value(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32? {
        guard range.upperBound <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in range {
            guard let digit = digits[Int(bytes[index])] else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    // MARK: Base64

    private static func kindOfBase64(_ look: ByteLook) -> Cause? {
        guard look.inner.count >= 16, look.hasOnly(.base64) else { return nil }
        if look.has(" "), !look.has("\r"), !look.has("\n") { return .base64Spaces }
        return look.has("-") || look.has("_") ? .base64URL : .base64
    }

    private static func decodeBase64(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var decoder = Base64Decoder()
        var decoded: [UInt8] = []
        var count = 0
        var isBroken = false
        try Interruption.pieces(of: bytes.indices) { piece in
            if isBroken { return }
            decoded.removeAll(keepingCapacity: true)
            do throws(Base64Decoder.Failure) {
                try decoder.decode(Array(bytes[piece]), into: &decoded)
                // A last character alone is less than a byte: what is before it is a start.
                if piece.upperBound == bytes.count { try? decoder.finish(into: &decoded) }
            } catch {
                isBroken = true
            }
            // Never more than was read.
            bytes.replaceSubrange(count..<count + decoded.count, with: decoded)
            count += decoded.count
        }
        bytes.removeLast(bytes.count - count)
        return !isBroken && count > 0
    }

    // MARK: Hexadecimal digits

    /// The last digit of an odd number is left out.
    private static func decodeHexadecimal(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var high: UInt8?
        try compact(&bytes) { byte in
            guard let digit = digits[Int(byte)] else { return nil }
            guard let before = high else {
                high = digit
                return nil
            }
            high = nil
            return before << 4 | digit
        }
        return !bytes.isEmpty
    }

    /// What programs write before the digits, or before those of each byte. Longer ones come first.
    private static let prefixes = ["E'", "X'", "x'", "\\\\x", "\\x", "0x", "0X", "<", "{"]
        .map { Array($0.utf8) }

    private static func decodeDecoratedHexadecimal(
        _ bytes: inout [UInt8]
    ) throws(CryptorError) -> Bool {
        var inner = ByteLook.withoutMargins(bytes)
        // NSData says its length first: {length = 66, bytes = 0x0301...}.
        if bytes[inner].first == UInt8(ascii: "{"),
            let equals = bytes[inner].prefix(48).lastIndex(of: UInt8(ascii: "="))
        {
            inner = equals + 1..<inner.upperBound
        }
        bytes.removeLast(bytes.count - inner.upperBound)
        bytes.removeFirst(inner.lowerBound)
        var isPossible = true
        var next = 0
        // The letter and the digit before the x of a prefix are no digits of a byte.
        let separators = ByteSet("\(ByteSet.spaces):-,;'>}")
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where isPossible && index >= next {
                let byte = bytes[index]
                if let prefix = prefixes.first(where: { bytes[index...].starts(with: $0) }) {
                    for place in index..<index + prefix.count { bytes[place] = UInt8(ascii: " ") }
                    next = index + prefix.count
                } else if separators.contains(byte) {
                    bytes[index] = UInt8(ascii: " ")
                } else {
                    isPossible = digits[Int(byte)] != nil
                }
            }
        }
        guard isPossible else { return false }
        return try decodeHexadecimal(&bytes)
    }

    // MARK: Percent signs

    private static func decodePercents(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var isPossible = true
        var count = 0
        var next = 0
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where isPossible && index >= next {
                var byte = bytes[index]
                next = index + 1
                if byte == UInt8(ascii: "%") {
                    let value = value(bytes, index + 1..<index + 3)
                    isPossible = value != nil
                    byte = UInt8(value ?? 0)
                    next = index + 3
                }
                bytes[count] = byte
                count += 1
            }
        }
        bytes.removeLast(bytes.count - count)
        return isPossible
    }

    // MARK: Lines

    private static func removeMailQuotes(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var isAtStart = true
        try compact(&bytes) { byte in
            if byte == lineFeed {
                isAtStart = true
            } else if byte != UInt8(ascii: ">"), byte != UInt8(ascii: " ") {
                isAtStart = false
            }
            return isAtStart && byte != lineFeed ? nil : byte
        }
        return true
    }

    private static func removePEMLines(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        let dash = UInt8(ascii: "-")
        var isAtStart = true
        var isLeftOut = false
        try compact(&bytes) { byte in
            if isAtStart { isLeftOut = byte == dash }
            isAtStart = byte == lineFeed
            return isLeftOut ? nil : byte
        }
        return true
    }

    // MARK: Quotes

    /// What may be around a text in the source of a program.
    private static let quotes = [
        ("'", "'"), ("`", "`"), ("\u{201C}", "\u{201D}"), ("\u{2018}", "\u{2019}"),
        ("\u{AB}", "\u{BB}"), ("b'", "'"), ("b\"", "\""), ("@\"", "\""),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// Where the text is without quotes, and without what follows it in a list.
    private static func withoutQuotes(_ bytes: [UInt8]) -> Range<Int> {
        var range = ByteLook.withoutMargins(bytes)
        while let last = bytes[range].last, ",;".utf8.contains(last) { range.removeLast() }
        for (start, end) in quotes {
            let text = bytes[range]
            guard text.count > start.count + end.count, text.starts(with: start),
                text.hasEnding(end)
            else { continue }
            return range.lowerBound + start.count..<range.upperBound - end.count
        }
        return range
    }

    /// Keeps only this part, without quotes around it, and with its escapes undone.
    private static func keep(
        _ range: Range<Int>, of bytes: inout [UInt8]
    ) throws(CryptorError) -> Bool {
        bytes.removeLast(bytes.count - range.upperBound)
        bytes.removeFirst(range.lowerBound)
        if bytes.count > 1, bytes.first == quote, bytes.last == quote {
            bytes.removeLast()
            bytes.removeFirst()
        }
        return try unescape(&bytes)
    }

    // MARK: Escapes

    /// What the character after a backslash stands for.
    private static func unescaped(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "n"): lineFeed
        case UInt8(ascii: "r"): carriageReturn
        case UInt8(ascii: "t"): 9
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "0"): 0
        default: character
        }
    }

    /// Undoes the escapes of JSON, and those of bytes in Python (`\x03`).
    private static func unescape(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var count = 0
        /// Where the next character begins that has not been looked at.
        var next = 0
        var isPossible = true
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where isPossible && index >= next {
                guard bytes[index] == backslash, index + 1 < bytes.count else {
                    bytes[count] = bytes[index]
                    count += 1
                    next = index + 1
                    continue
                }
                let kind = bytes[index + 1]
                let length = kind == UInt8(ascii: "u") ? 4 : kind == UInt8(ascii: "x") ? 2 : 0
                next = index + 2 + length
                guard length > 0 else {
                    bytes[count] = unescaped(kind)
                    count += 1
                    continue
                }
                guard let value = value(bytes, index + 2..<next), let scalar = Unicode.Scalar(value)
                else {
                    isPossible = false
                    return
                }
                for byte in length == 2 ? [UInt8(value)] : Array(UTF8.encode(scalar) ?? .init()) {
                    bytes[count] = byte
                    count += 1
                }
            }
        }
        bytes.removeLast(bytes.count - count)
        return isPossible
    }

    // MARK: JSON

    /// Where the quotes of the strings are that may hold a message, up to 16.
    private static func longStrings(_ bytes: [UInt8]) throws(CryptorError) -> [Int] {
        var strings: [Int] = []
        var next = 0
        while strings.count < 16, let start = try index(of: quote, in: bytes, from: next) {
            let end = try endOfString(bytes, from: start + 1)
            if end - start > 64, end < bytes.count { strings.append(start) }
            next = end + 1
        }
        return strings
    }

    /// Where the quote is that ends a string; the end if there is none.
    private static func endOfString(_ bytes: [UInt8], from start: Int) throws(CryptorError) -> Int {
        var isEscaped = false
        let end = try Interruption.firstIndex(in: start..<max(start, bytes.count)) { index in
            if !isEscaped, bytes[index] == quote { return true }
            isEscaped = !isEscaped && bytes[index] == backslash
            return false
        }
        return end ?? bytes.count
    }

    private static func index(
        of wanted: UInt8, in bytes: [UInt8], from start: Int
    ) throws(CryptorError) -> Int? {
        try Interruption.firstIndex(in: min(start, bytes.count)..<bytes.count) {
            bytes[$0] == wanted
        }
    }

    /// The bytes of the innermost list of numbers, or of an object from indices to numbers. Java's
    /// are from -128 on.
    private static func decodeNumbers(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var count = 0
        var number: Int?
        var isNegative = false
        var isPossible = true
        var isWithinString = false
        var isComplete = false
        func end() {
            if let value = number {
                isPossible = (-128...255).contains(isNegative ? -value : value)
                if isPossible {
                    bytes[count] = UInt8(truncatingIfNeeded: isNegative ? -value : value)
                    count += 1
                }
            }
            number = nil
            isNegative = false
        }
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where !isComplete {
                let byte = bytes[index]
                if byte == quote { isWithinString.toggle() }
                if isWithinString { continue }
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    number = min(1000, (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")))
                case UInt8(ascii: "-"):
                    isNegative = true
                case UInt8(ascii: "["):
                    number = nil
                    count = 0
                    isPossible = true
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    if isPossible { end() }
                    isComplete = count > 0
                default:
                    if isPossible { end() }
                }
            }
        }
        bytes.removeLast(bytes.count - count)
        return isPossible && count >= 66
    }

    // MARK: Property lists

    /// Where the contents of the elements begin that may hold a message, up to 16.
    private static func elements(_ bytes: [UInt8]) throws(CryptorError) -> [Int] {
        let names = ["<data>", "<string>"].map { Array($0.utf8) }
        var starts: [Int] = []
        var next = 0
        while starts.count < 16,
            let start = try index(of: UInt8(ascii: "<"), in: bytes, from: next)
        {
            next = start + 1
            guard let name = names.first(where: { bytes[start...].starts(with: $0) }) else {
                continue
            }
            starts.append(start + name.count)
        }
        return starts
    }

    /// Where the data and strings of a binary property list are that may hold a message, up to 16.
    private static func binaryObjects(_ bytes: [UInt8]) throws(CryptorError) -> [Int] {
        var places: [Int] = []
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where places.count < 16 {
                if binaryObject(bytes, at: index) != nil { places.append(index) }
            }
        }
        return places
    }

    /// The contents of the data or the string of ASCII at this place. Their length follows the
    /// marker, in 1, 2, 4 or 8 bytes.
    private static func binaryObject(_ bytes: [UInt8], at place: Int) -> Range<Int>? {
        guard [0x4F, 0x5F].contains(bytes[place]), place + 1 < bytes.count,
            0x10...0x13 ~= bytes[place + 1]
        else { return nil }
        let start = place + 2 + (1 << Int(bytes[place + 1] & 3))
        guard start <= bytes.count else { return nil }
        let count = bytes[(place + 2)..<start].suffix(4).reduce(0) { $0 << 8 | Int($1) }
        return count >= 66 && count <= bytes.count - start ? start..<start + count : nil
    }
}

/// Text in UTF-16, with or without a byte order mark.
private struct UTF16Text {
    private let start: Int
    private let hasHighByteFirst: Bool

    /// What `iconv` has to be told, as it takes text without a mark for little endian.
    static let unmarkedBigEndian = 1

    var encoding: Int { start == 0 && hasHighByteFirst ? Self.unmarkedBigEndian : 0 }

    /// Nil if the bytes do not begin like it: with a mark, or with characters of ASCII.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xFE]) {
            (start, hasHighByteFirst) = (2, false)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            (start, hasHighByteFirst) = (2, true)
        } else {
            let first = bytes.prefix(32)
            guard first.count == 32 else { return nil }
            let even = stride(from: 0, to: 32, by: 2).map { bytes[$0] }
            let odd = stride(from: 1, to: 32, by: 2).map { bytes[$0] }
            let isText: ([UInt8]) -> Bool = { $0.allSatisfy { 32..<127 ~= $0 || $0 == 10 } }
            let isZero: ([UInt8]) -> Bool = { $0.allSatisfy { $0 == 0 } }
            guard isText(even) && isZero(odd) || isZero(even) && isText(odd) else { return nil }
            (start, hasHighByteFirst) = (0, isZero(even))
        }
    }

    /// False if there are characters that are not ASCII: no text of a message has them.
    static func undo(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        guard let text = UTF16Text(bytes) else { return false }
        bytes.removeFirst(text.start)
        var isHigh = !text.hasHighByteFirst
        var isPossible = true
        try Way.compact(&bytes) { byte in
            isHigh.toggle()
            guard isHigh else { return byte }
            if byte != 0 { isPossible = false }
            return nil
        }
        return isPossible
    }
}
