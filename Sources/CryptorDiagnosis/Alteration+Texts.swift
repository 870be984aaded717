import CryptorFiles

// Text in place of the bytes of a message: how it was encoded, and what is around it.
extension Alteration {
    static let texts = [
        Alteration(
            .byteOrderMark, evidence: .bytes,
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
            .dataURI, evidence: .bytes,
            advice: { site, _ in
                """
                It is a data URI: remove everything up to the comma, for example with \
                '\(extraction(of: site.part, from: true))'.
                """
            },
            sites: { look in
                let start = look.text.prefix(256)
                guard start.starts(with: "data:".utf8),
                    let comma = start.firstIndex(of: UInt8(ascii: ","))
                else { return [] }
                return look.part(comma + 1..<look.bytes.count, if: true)
            }),
        Alteration(
            .percentEncoded, evidence: .bytes,
            """
            It is percent-encoded, as in URLs and forms: decode it with 'python3 -c "import sys, \
            urllib.parse as u; sys.stdout.buffer.write(u.unquote_to_bytes(\
            sys.stdin.buffer.read().strip()))"'.
            """,
            sites: { look in look.part(look.inner, if: look.isText && look.has("%")) },
            decoder: { Decoding.percents() }),
        Alteration(
            .mailQuoted, evidence: .bytes,
            """
            It is quoted as in mail: remove the '>' from each line, for example with 'sed "s/^[> \
            ]*//"'.
            """,
            sites: { look in look.all(if: look.begins(withOneOf: ">")) },
            decoder: { Decoding.filter(mailQuotes) }),
        Alteration(
            .pem, evidence: .bytes,
            "It has PEM lines: remove them, for example with 'sed /^-----/d'.",
            sites: { look in
                look.all(if: look.isText && look.text.starts(with: "-----BEGIN ".utf8))
            },
            decoder: { withoutPEMLines() }),
        Alteration(
            .hex, evidence: .bytes, "It is hexadecimal text: decode it with 'xxd -r -p'.",
            sites: { look in look.all(if: look.hasOnly(.digits)) },
            decoder: { Decoding.hexadecimal() }),
        Alteration(
            .hex, evidence: .bytes,
            """
            It is hexadecimal text with other characters around or between the digits: remove \
            them and decode it, for example with 'sed -E "s/^ *E//; s/^.*=//; s/0[xX]//g; \
            s/[^0-9a-fA-F]//g" | xxd -r -p'.
            """,
            sites: { look in
                // A tab is between columns.
                let isDecorated =
                    !look.hasOnly(.digits) && look.hasOnly(.decoratedDigits)
                    && !look.text.contains(UInt8(ascii: "\t"))
                let mayBegin = look.begins(withOneOf: "\\\(ByteSet.hexadecimal)xX<{")
                return look.part(decoratedDigits(look), if: isDecorated && mayBegin)
            },
            decoder: { Decoding.hexadecimal() }),
        // Some numbers before a tab are base64 as well.
        row(.tab), row(.comma), row(.semicolon), row(.bar),
        base64(
            .base64Spaces, "base64 text with spaces instead of plus signs",
            ifRead: """
                It is base64 text with spaces instead of plus signs, which 'rncryptor decrypt' \
                reads. For other programs, restore the plus signs.
                """),
        base64(
            .base64URL, "base64url text",
            ifRead: """
                It is base64url text, which 'rncryptor decrypt' reads. Other programs need it \
                decoded first.
                """),
        base64(.base64, "base64 text", ifRead: ""),
        Alteration(
            .base64Spaces, evidence: .length,
            """
            It is base64 text with spaces instead of plus signs, and its lines have several \
            lengths: restore the plus signs with 'tr " " +'.
            """,
            sites: { look in
                let hasSpaces = look.hasOnly(.base64) && look.text.contains(space)
                return look.all(if: hasSpaces && kindOfBase64(look) != .base64Spaces)
            },
            decoder: { { bytes, _ in bytes.map { $0 == space ? plus : $0 } } }),
        Alteration(
            .base64Spaces, evidence: .hmac,
            """
            It is base64 text with spaces between its characters, as the shell makes them of \
            newlines: remove them with 'tr -d " "'.
            """,
            sites: { look in look.all(if: look.hasOnly(.base64) && look.has(" ")) },
            decoder: { Decoding.filter { { $0 != space } } }),
        Alteration(
            .mailQuoted, evidence: .length,
            """
            It is quoted-printable, as in mail: decode it with 'python3 -c "import sys, quopri; \
            sys.stdout.buffer.write(quopri.decodestring(sys.stdin.buffer.read()))"'.
            """,
            sites: { look in
                guard look.hasOnly(.base64), look.has("=") else { return [] }
                let signs = ["=3D", "=2B", "=2F"]
                let isQuoted = look.text.indices.contains { index in
                    signs.contains { look.text[index...].starts(with: $0.utf8) }
                }
                return look.all(if: isQuoted || hasSoftLineBreak(look))
            },
            decoder: { Decoding.quotedPrintable() }),
        Alteration(
            .base64Pieces, evidence: .length,
            """
            It is base64 text of pieces that were encoded one by one: decode each of them, for \
            example with 'python3 -c "import sys, base64; t = str().join(sys.stdin.read().split())\
            ; sys.stdout.buffer.write(bytes().join(base64.urlsafe_b64decode(p + 2 * chr(61)) for p \
            in t.replace(chr(61), chr(32)).split()))"'.
            """,
            sites: { look in
                look.all(if: look.hasOnly(.base64) && !look.has(" ") && hasPaddingWithin(look))
            },
            decoder: { Decoding.base64Pieces() }),
        Alteration(
            .truncated, evidence: .bytes,
            """
            It is base64 text, which never has this number of characters: some are missing or \
            were added. Fetch it again.
            """,
            sites: { look in look.all(if: kindOfBase64(look) != nil && !look.has(" ")) },
            decoder: { Decoding.base64WithoutLastCharacter() }),
        Alteration(
            .escapedNewlines, evidence: .bytes, TableText.adviceOnEscapedNewlines,
            sites: { look in
                look.all(if: look.hasOnly(.base64WithEscapes) && look.has("\\"))
            },
            decoder: { Decoding.withoutEscapedNewlines() }),
        Alteration(
            .jsonString, evidence: .bytes,
            advice: { _, look in
                """
                It has the quotes of JSON: remove them and its escapes, for example with \
                '\(commandForString(look.text))'.
                """
            },
            sites: { look in look.part(quotedString(look), if: !hasEscapedBytes(look)) },
            decoder: { _ in Decoding.escapes() }),
        Alteration(
            .jsonString, evidence: .bytes,
            """
            It has the escapes of JSON: undo them, for example with 'python3 -c "import sys, json; \
            print(json.loads(chr(34) + sys.stdin.read().strip() + chr(34), strict=False), \
            end=str())"'.
            """,
            sites: { look in look.part(escapedText(look), if: !hasEscapedBytes(look)) },
            decoder: { Decoding.escapes() }),
        Alteration(
            .quoted, evidence: .bytes,
            """
            It is a bytes literal of Python, with escapes such as \\x03: convert it with 'python3 \
            -c "import ast, sys; sys.stdout.buffer.write(ast.literal_eval(sys.stdin.read().strip()\
            ))"'.
            """,
            sites: { look in
                let isPython = ["b'", "b\""].contains { look.text.starts(with: $0.utf8) }
                let part = withoutQuotes(look)
                let isLiteral =
                    isPython && part.upperBound == look.inner.upperBound - 1
                    && !hasUnescaped(look.bytes[part.upperBound], in: look.bytes[part])
                return look.part(part, if: look.isText && isLiteral && look.has("\\"))
            },
            decoder: { Decoding.escapesOfBytes() }),
        Alteration(
            .quoted, evidence: .bytes,
            """
            It has quotes, and escapes such as \\x03, as in source code: undo them, for example \
            with 'python3 -c "import ast, sys; sys.stdout.buffer.write(ast.literal_eval(chr(98) + \
            2 * chr(34) + sys.stdin.read().strip() + 2 * chr(34)))"'.
            """,
            sites: { look in look.part(quotedString(look), if: hasEscapedBytes(look)) },
            decoder: { Decoding.escapesOfBytes() }),
        Alteration(
            .quoted, evidence: .bytes,
            """
            It has escapes such as \\x03 or \\003, as in source code, or as PostgreSQL writes them \
            without 'SET bytea_output = hex': undo them, for example with 'python3 -c "import \
            codecs, sys; sys.stdout.buffer.write(codecs.escape_decode(\
            sys.stdin.buffer.read().strip())[0])"'.
            """,
            sites: { look in look.part(look.inner, if: look.isText && hasEscapedBytes(look)) },
            decoder: { Decoding.escapesOfBytes() }),
        Alteration(
            .quoted, evidence: .bytes,
            advice: { site, _ in
                """
                There are quotes around it, or a comma or semicolon after it, as in source code: \
                remove them, for example with '\(extraction(of: site.part))'.
                """
            },
            sites: { look in
                let part = withoutDoubleQuotes(withoutQuotes(look), of: look.bytes)
                return look.part(part, if: look.isText && part != look.inner)
            }),
        Alteration(
            .jsonObject, evidence: .bytes,
            advice: { site, look in
                let string = site.part.lowerBound - 1..<site.part.upperBound + 1
                // In long contents, the string has other offsets there.
                let text = look.isWhole ? look.bytes[string] : look.text
                return """
                    It is in a JSON string: extract that string alone, for example with \
                    '\(extraction(of: string)) | \(commandForString(text))'.
                    """
            },
            sites: { look in look.begins(withOneOf: "{[") ? longStrings(look.bytes) : [] },
            decoder: { _ in Decoding.escapes() }),
        Alteration(
            .jsonBytes, evidence: .bytes,
            advice: { site, _ in
                """
                It is a list of bytes as numbers: convert it, for example with \
                '\(extraction(of: site.part)) | python3 -c "import sys; \
                sys.stdout.buffer.write(bytes(int(n.split(chr(58))[-1]) % 256 for n in \
                sys.stdin.read().split(chr(44))))"'.
                """
            },
            sites: { look in
                guard look.isWhole, look.isText, look.has(",") else { return [] }
                if look.begins(withOneOf: "{[") {
                    return numbers(look.bytes).map { [Site(part: $0.range)] } ?? []
                }
                return look.part(look.inner, if: look.hasOnly(.numbers))
            },
            decoder: { _ in { bytes, _ in numbers(Array("[".utf8) + bytes + "]".utf8)?.bytes } }),
        Alteration(
            .plist, evidence: .bytes,
            advice: { site, _ in
                """
                It is in a property list: extract the data alone, for example with \
                '\(extraction(of: site.part))'.
                """
            },
            sites: { look in look.begins(withOneOf: "<") ? elements(look.bytes) : [] }),
        Alteration(
            .plist, evidence: .bytes,
            advice: { site, _ in
                """
                It is in a binary property list: extract the data alone, for example with \
                '\(extraction(of: site.part))'.
                """
            },
            sites: { look in
                look.bytes.starts(with: "bplist00".utf8) ? binaryObjects(look.bytes) : []
            }),
        Alteration(
            .trailingBytes, evidence: .bytes,
            advice: { site, _ in
                """
                There are zero bytes after the text: remove them, for example with 'head -c \
                \(site.part.upperBound)'.
                """
            },
            sites: { look in
                guard look.bytes.last == 0, let first = look.bytes.first, 32..<127 ~= first,
                    let last = look.bytes.lastIndex(where: { $0 != 0 }),
                    // Where the text ends is not known if that is not among the last bytes.
                    look.isWhole || last >= look.bytes.count / 2,
                    // UTF-16 has zeros within.
                    !look.bytes[...last].contains(0)
                else { return [] }
                return look.part(0..<last + 1, if: true)
            }),
        lines(
            "message", option: "",
            followers: [.base64, .base64URL, .base64Spaces, .tableRow, .escapedNewlines]
        ) { look in
            look.text.first == quote ? [] : firstLine(look)
        },
        lines(
            "message in hexadecimal", option: "", followers: [],
            decoder: { Decoding.hexadecimal() }
        ) { look in
            firstLine(look).filter { line in
                let digits = look.bytes[line.part].drop { "\\xX0".utf8.contains($0) }
                return digits.allSatisfy { ByteSet.digits.contains($0) }
            }
        },
        lines(
            "JSON string with a message", option: " --json",
            followers: [.base64, .base64URL, .base64Spaces], decoder: { Decoding.escapes() }
        ) { look in
            guard look.text.first == quote, let line = firstLine(look).first else { return [] }
            let range = look.inner.lowerBound..<line.part.upperBound
            let string = withoutDoubleQuotes(range, of: look.bytes)
            return look.part(string, if: string != range)
        },
        Alteration(
            .severalMessages, evidence: .length,
            advice: { site, _ in
                """
                It has several lines, and the first is a message: extract it with 'head -c \
                \(site.part.upperBound)'.
                """
            },
            sites: firstLine),
        affix(.leadingBytes), affix(.trailingBytes),
    ]

    /// Lines of which each may be a message.
    private static func lines(
        _ name: String, option: String, followers: Set<Cause>,
        decoder: @escaping @Sendable () -> Decoder? = { nil },
        _ sites: @escaping @Sendable (ByteLook) -> [Site]
    ) -> Alteration {
        Alteration(
            .severalMessages, evidence: .length,
            """
            It has several lines, and the first is a \(name): 'rncryptor decrypt --lines\(option)' \
            reads one message from each line.
            """,
            followers: followers, sites: sites, decoder: decoder)
    }

    /// The first line, if it may be a message and others follow it.
    private static func firstLine(_ look: ByteLook) -> [Site] {
        guard look.isText, let end = look.text.firstIndex(of: lineFeed) else { return [] }
        return look.part(0..<end, if: end - look.inner.lowerBound >= 88)
    }

    /// - Parameter name: what `iconv` calls the encoding.
    private static func utf16(_ name: String, hasHighByteFirst: Bool, hasMark: Bool) -> Alteration {
        Alteration(
            .utf16, evidence: .bytes,
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

    // MARK: Base64

    private static let space = UInt8(ascii: " ")
    private static let plus = UInt8(ascii: "+")
    private static let padding = UInt8(ascii: "=")

    /// - Parameters:
    ///   - name: what the text is.
    ///   - advice: if the result is the message, for 'decrypt' reads the text.
    private static func base64(_ cause: Cause, _ name: String, ifRead advice: String) -> Alteration
    {
        Alteration(
            // Spaces may be anything.
            cause, evidence: cause == .base64Spaces ? .length : .bytes,
            advice: { _, look in "It is \(name): decode it with '\(command(for: cause, look))'." },
            ifRead: advice,
            sites: { look in look.all(if: kindOfBase64(look) == cause) },
            decoder: { _ in Decoding.base64() })
    }

    /// What decodes base64 text. 'base64 -d' reads one alphabet only, with padding and newlines.
    private static func command(for cause: Cause, _ look: ByteLook) -> String {
        let isStandard =
            cause == .base64 && !look.has("\r") && !look.has("\t") && !look.has(" ")
            && look.text.count { $0 != lineFeed }.isMultiple(of: 4)
        if isStandard { return "base64 -d" }
        let text =
            cause == .base64Spaces
            ? "sys.stdin.read().replace(chr(32), chr(43))" : "sys.stdin.read()"
        return """
            python3 -c "import sys, base64; sys.stdout.buffer.write(base64.urlsafe_b64decode(\
            \(text) + 2 * chr(61)))"
            """
    }

    /// How the text is spelled that the decoder reads; nil if it does not read it.
    private static func kindOfBase64(_ look: ByteLook) -> Cause? {
        guard look.inner.count >= 16, look.hasOnly(.base64) else { return nil }
        if look.has(" ") {
            // Spaces are looked at together: what is missing between the first bytes and the last
            // ones has other lines.
            let start = Array(look.bytes.prefix(64 * 1024))
            guard let spaces = Decoding.hasSpacesForPlusSigns(start, isWhole: start == look.bytes)
            else { return nil }
            if spaces { return .base64Spaces }
        }
        return look.has("-") || look.has("_") ? .base64URL : .base64
    }

    /// Whether the first line has the 76 characters of quoted-printable, and ends as one there.
    private static func hasSoftLineBreak(_ look: ByteLook) -> Bool {
        look.text.dropFirst(75).starts(with: "=\n".utf8)
            || look.text.dropFirst(75).starts(with: "=\r\n".utf8)
    }

    /// Whether more follows some padding.
    private static func hasPaddingWithin(_ look: ByteLook) -> Bool {
        guard let first = look.text.firstIndex(of: padding) else { return false }
        return look.text[first...].contains { $0 != padding && !ByteLook.isSpace($0) }
    }

    // MARK: Other characters around

    /// In one line, a message in base64 and characters that are not.
    private static func affix(_ cause: Cause) -> Alteration {
        Alteration(
            cause, evidence: .length,
            advice: { site, _ in
                let place = cause == .leadingBytes ? "before it, or around it" : "after it"
                return """
                    It is text with other characters \(place): extract it, for example with \
                    '\(extraction(of: site.part))'.
                    """
            },
            sites: { look in
                // With escapes, only some messages could be extracted.
                guard look.isWhole, look.isText, look.isOneLine, !look.has("\\")
                else { return [] }
                let sites = messageWords(look.text).filter { part in
                    let isFirst = part.lowerBound == look.inner.lowerBound
                    return part != look.inner && isFirst == (cause == .trailingBytes)
                }
                return sites.prefix(maximumSiteCount).map { Site(part: $0) }
            })
    }

    /// Where words of base64 begin like a message and are as long as one, each with its padding. A
    /// text may have a million words, so they are not collected.
    private static func messageWords(_ text: ArraySlice<UInt8>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var rest = text
        while let index = rest.firstIndex(where: isInWord), parts.count < maximumSiteCount {
            let word = rest[index...].prefix(while: isInWord)
            rest = rest[word.endIndex...]
            // Those of 66 bytes.
            guard word.count >= 86, word.count < text.count,
                let start = Decoding.base64()(Array(word.prefix(24)), true),
                start[0] != 0, MessageShape(start).mayBegin
            else { continue }
            let end = word.endIndex + rest.prefix { $0 == padding }.count
            parts.append(index..<end)
        }
        return parts
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        ByteSet.wordsOfBase64.contains(byte) && byte != padding
    }

    // MARK: Columns

    /// One row, of which a column may be a message.
    private static func row(_ separator: TableText.Separator) -> Alteration {
        Alteration(
            .tableRow, evidence: .length,
            advice: { site, look in
                TableText.advice(onColumnAfter: look.bytes[..<site.offset], separator)
            },
            sites: { look in
                guard look.isText, look.isOneLine else { return [] }
                let columns = TableText.longColumns(of: look.text, dividedBy: separator)
                return columns.prefix(maximumSiteCount).map {
                    Site(part: $0.indices, offset: $0.startIndex)
                }
            })
    }

    /// What extracts these bytes.
    /// - Parameter isToEnd: whether they are the last ones.
    private static func extraction(of part: Range<Int>, from isToEnd: Bool = false) -> String {
        let start = "tail -c +\(part.lowerBound + 1)"
        return isToEnd ? start : "\(start) | head -c \(part.count)"
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

    /// Where the text is without its double quotes; empty if it has none.
    private static func quotedString(_ look: ByteLook) -> Range<Int> {
        let part = withoutDoubleQuotes(look.inner, of: look.bytes)
        let isString = part != look.inner && !hasUnescaped(quote, in: look.bytes[part])
        return look.isText && isString ? part : 0..<0
    }

    /// Whether the quotation mark would end a string within the text, or a backslash keeps it from
    /// ending behind.
    private static func hasUnescaped(_ mark: UInt8, in text: ArraySlice<UInt8>) -> Bool {
        var isEscaped = false
        for byte in text {
            if byte == mark, !isEscaped { return true }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        return isEscaped
    }

    /// Where a text is that has escapes and no quotes; empty if it is none.
    private static func escapedText(_ look: ByteLook) -> Range<Int> {
        look.isText && !look.has("\"") && look.has("\\") ? look.inner : 0..<0
    }

    /// What makes text of a string of JSON. `jq` reads no newline within one.
    private static func commandForString(_ string: ArraySlice<UInt8>) -> String {
        guard string.contains(lineFeed) else { return "jq -j ." }
        return """
            python3 -c "import sys, json; print(json.loads(sys.stdin.read(), strict=False), \
            end=str())"
            """
    }

    /// Whether a text has escapes of bytes, which JSON does not have: `\x03` or `\003`.
    private static func hasEscapedBytes(_ look: ByteLook) -> Bool {
        guard look.has("\\"), look.isASCII, "x01234567".contains(where: look.has)
        else { return false }
        let text = look.text
        return text.indices.contains { index in
            guard text[index] == UInt8(ascii: "\\") else { return false }
            let next = text[(index + 1)...].prefix(3)
            return next.first == UInt8(ascii: "x")
                || next.count == 3 && next.allSatisfy("01234567".utf8.contains)
        }
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

    /// The data and strings of a binary property list that may hold a message, or the beginning of
    /// one if none is as long.
    private static func binaryObjects(_ bytes: [UInt8]) -> [Site] {
        for shortest in [FormatVersion.shortestMessageByteCount, FormatSize.block] {
            let objects = bytes.indices.lazy.compactMap { binaryObject(bytes, at: $0) }
            let sites = objects.filter { $0.count >= shortest }.prefix(maximumSiteCount)
            if !sites.isEmpty { return sites.map { Site(part: $0) } }
        }
        return []
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
        // Its end may be missing.
        return start..<min(start + count, bytes.count)
    }

    // MARK: Lists of numbers

    private static let isBetweenNumbers = ByteSet("\(ByteSet.spaces),:]}\"")

    /// The bytes of the innermost list of numbers, or of an object from indices to numbers, and
    /// where it is between its brackets; nil if there are too few for a message. Java's are from
    /// -128 on.
    private static func numbers(_ text: [UInt8]) -> (bytes: [UInt8], range: Range<Int>)? {
        var bytes: [UInt8] = []
        var start = 0
        var number: Int?
        var isNegative = false
        var isPossible = true
        /// Whether a comma has to come before the next number.
        var needsComma = false
        var isWithinString = false
        for (index, byte) in text.enumerated() {
            if byte == quote { isWithinString.toggle() }
            if isWithinString { continue }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if needsComma { isPossible = false }
                number = min(1000, (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")))
                continue
            case UInt8(ascii: "-"):
                isNegative = true
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                bytes = []
                start = index
                number = nil
                isPossible = true
                needsComma = false
                continue
            default:
                needsComma = byte != UInt8(ascii: ",") && (number != nil || needsComma)
                if !isBetweenNumbers.contains(byte) { isPossible = false }
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
            if isPossible, bytes.count >= FormatVersion.shortestMessageByteCount {
                return (bytes, start + 1..<index)
            }
            bytes = []
            isPossible = true
        }
        return nil
    }
}
