import CryptorFiles

// What a copy does to the bytes of a message.
extension Way {
    static let damages = [
        Way(
            .trailingNewline,
            "There is a newline after the message: remove it, for example with 'head -c -1'.",
            places: { bytes, _ in once(mayBegin(bytes) && bytes.hasEnding([lineFeed])) },
            undo: { bytes, _ in
                bytes.removeLast()
                return true
            }),
        Way(
            .trailingNewline,
            """
            There is a newline (CR LF) after the message: remove it, for example with 'head -c \
            -2'.
            """,
            places: { bytes, _ in
                once(mayBegin(bytes) && bytes.hasEnding([carriageReturn, lineFeed]))
            },
            undo: { bytes, _ in
                bytes.removeLast(2)
                return true
            }),
        Way(
            .latin1AsUTF8,
            """
            Its bytes were read as Latin-1 and written as UTF-8: undo that with 'iconv -f utf-8 -t \
            latin1'.
            """,
            places: { (bytes, _) throws(CryptorError) in
                once(try isLatin1AsUTF8(bytes))
            },
            undo: { (bytes, _) throws(CryptorError) in try toLatin1(&bytes) }),
        Way(
            .textMode, textModeAdvice,
            places: { (bytes, _) throws(CryptorError) in
                once(try hasCarriageReturns(bytes))
            },
            undo: { (bytes, _) throws(CryptorError) in try removeCarriageReturns(&bytes) }),
        Way(
            .textMode, textModeAdvice, isLikely: false,
            places: { (bytes, _) throws(CryptorError) in
                try linesWithoutCarriageReturn(bytes)
            },
            undo: { bytes, line in
                bytes.insert(carriageReturn, at: line)
                return true
            }),
        Way(
            .leadingBytes, isLikely: false,
            advice: { count in
                """
                Other bytes precede the message (\(count)): remove them, for example with 'tail -c \
                +\(count + 1)'.
                """
            },
            places: { bytes, look in
                guard !look.isText, ForeignStart.of(bytes) == nil else { return [] }
                return (1...16).filter { mayBeMessage(bytes.dropFirst($0)) }
            },
            undo: { bytes, count in
                bytes.removeFirst(count)
                return true
            }),
    ]

    /// Whether these bytes begin as a message.
    private static func mayBegin(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1, FormatVersion.isKnown(bytes[0]) else { return false }
        return bytes[1] <= (bytes[0] == 0 ? 0 : 1)
    }

    /// Whether these bytes begin as a message, and in version 0 also end as one.
    static func mayBeMessage(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let version = bytes.first, let options = bytes.dropFirst().first else { return false }
        if version == 0 { return isSound(bytes) }
        return FormatVersion(rawValue: version) != nil && options <= 1
    }

    /// Whether there are messages with this start, this length, and in version 0 this end.
    static func isSound(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.first == 0 {
            return isSoundVersion0(bytes)
        }
        let header = try? MessageHeader(parsing: bytes.prefix(FormatVersion.longestHeaderByteCount))
        return (try? header?.checkMessageByteCount(bytes.count)) != nil
    }

    /// The header of version 0 is that of version 1 with another first byte.
    private static let shortestVersion0ByteCount =
        FormatVersion.v1UnauthenticatedHeader.headerByteCount(usingPassword: false)
        + MessageHeader.decidingEndByteCount

    /// The two salts are random, so they differ. Otherwise each zero in a long run of zeros might
    /// begin a message.
    private static func isSoundVersion0(_ bytes: ArraySlice<UInt8>) -> Bool {
        let salts = bytes.dropFirst(2).prefix(16)
        return bytes.dropFirst().first == 0
            && bytes.count >= shortestVersion0ByteCount
            && salts.prefix(8) != salts.suffix(8)
            && bytes.suffix(12).allSatisfy { $0 == 0 }
    }

    // MARK: Latin-1

    private static func isLatin1AsUTF8(_ bytes: [UInt8]) throws(CryptorError) -> Bool {
        guard mayBegin(bytes) else { return false }
        var hasPairs = false
        var isWithinPair = false
        var isPossible = true
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where isPossible {
                let byte = bytes[index]
                if isWithinPair {
                    isPossible = byte & 0xC0 == 0x80
                    isWithinPair = false
                } else if byte >= 0x80 {
                    // These begin the characters from U+0080 to U+00FF.
                    isPossible = byte == 0xC2 || byte == 0xC3
                    isWithinPair = true
                    hasPairs = true
                }
            }
        }
        return isPossible && !isWithinPair && hasPairs
    }

    private static func toLatin1(_ bytes: inout [UInt8]) throws(CryptorError) -> Bool {
        var lead: UInt8 = 0
        try compact(&bytes) { byte in
            switch byte {
            case 0..<0x80:
                return byte
            case 0x80..<0xC0:
                // The second byte of a pair. The first one has its two highest bits.
                return lead << 6 | byte & 0x3F
            default:
                lead = byte
                return nil
            }
        }
        return true
    }

    // MARK: Ends of lines

    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")

    private static let textModeAdvice = """
        It was copied as text, which changed its line endings (CR LF or LF): fetch it again in \
        binary.
        """

    /// How many bytes are copied in all to find out where a CR is missing.
    private static let searchByteCount = 32 * 1024 * 1024

    /// Whether there is a CR before each LF.
    private static func hasCarriageReturns(_ bytes: [UInt8]) throws(CryptorError) -> Bool {
        guard mayBegin(bytes) else { return false }
        var hasPairs = false
        var isPossible = true
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where isPossible && bytes[index] == lineFeed {
                hasPairs = true
                isPossible = index > 0 && bytes[index - 1] == carriageReturn
            }
        }
        return hasPairs && isPossible
    }

    private static func removeCarriageReturns(
        _ bytes: inout [UInt8]
    ) throws(CryptorError) -> Bool {
        var count = 0
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece {
                let byte = bytes[index]
                if byte == lineFeed, count > 0, bytes[count - 1] == carriageReturn { count -= 1 }
                bytes[count] = byte
                count += 1
            }
        }
        bytes.removeLast(bytes.count - count)
        return true
    }

    /// Each LF, if one CR may be missing. It was before one of them. More are too many to try, and
    /// in a short message not likely.
    private static func linesWithoutCarriageReturn(
        _ bytes: [UInt8]
    ) throws(CryptorError) -> [Int] {
        guard mayBegin(bytes), lacksOneByte(bytes) else { return [] }
        let limit = searchByteCount / max(1, bytes.count)
        var lines: [Int] = []
        var hasPairs = false
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where bytes[index] == lineFeed && lines.count <= limit {
                lines.append(index)
                if index > 0, bytes[index - 1] == carriageReturn { hasPairs = true }
            }
        }
        return hasPairs || lines.count > limit ? [] : lines
    }

    /// Whether one byte more would make a message of sound length.
    private static func lacksOneByte(_ bytes: [UInt8]) -> Bool {
        if bytes.first == 0 { return isSound(bytes[...]) }
        let header = try? MessageHeader(
            parsing: bytes.prefix(FormatVersion.longestHeaderByteCount + 1))
        return (try? header?.checkMessageByteCount(bytes.count + 1)) != nil
    }

    /// Whether so many bytes have so many LF and no CR LF that some CR may be missing. Which, is
    /// not tried.
    static func mayLackCarriageReturns(_ bytes: [UInt8]) throws(CryptorError) -> Bool {
        guard bytes.count >= 16 * 1024 else { return false }
        var hasLines = false
        var hasPairs = false
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece where bytes[index] == lineFeed {
                hasLines = true
                if index > 0, bytes[index - 1] == carriageReturn { hasPairs = true }
            }
        }
        return hasLines && !hasPairs
    }

    /// Replaces each byte by what `change` makes of it, or takes it away.
    static func compact(
        _ bytes: inout [UInt8], _ change: (UInt8) -> UInt8?
    ) throws(CryptorError) {
        var count = 0
        try Interruption.pieces(of: bytes.indices) { piece in
            for index in piece {
                guard let changed = change(bytes[index]) else { continue }
                bytes[count] = changed
                count += 1
            }
        }
        bytes.removeLast(bytes.count - count)
    }
}
