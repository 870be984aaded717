import CryptorFiles

// What a copy does to the bytes of a message.
extension Alteration {
    static let damages = [
        Alteration(
            .trailingNewline, evidence: .length,
            "There is a newline after the message: remove it, for example with 'head -c -1'.",
            sites: { look in
                let isThere = look.bytes.last == lineFeed && MessageShape(look.bytes).mayBegin
                return look.part(0..<max(1, look.bytes.count) - 1, if: isThere)
            }),
        Alteration(
            .trailingNewline, evidence: .length,
            """
            There is a newline (CR LF) after the message: remove it, for example with 'head -c \
            -2'.
            """,
            sites: { look in
                let isThere = look.bytes.suffix(2) == [carriageReturn, lineFeed]
                return look.part(
                    0..<max(2, look.bytes.count) - 2,
                    if: isThere && MessageShape(look.bytes).mayBegin)
            }),
        Alteration(
            .latin1AsUTF8, evidence: .length,
            """
            Its bytes were read as Latin-1 and written as UTF-8: undo that with 'iconv -f utf-8 -t \
            latin1'.
            """,
            sites: { look in
                let hasPairs = look.bytes.contains { $0 >= 0x80 }
                let beginning = Array(look.bytes.prefix(4096))
                return look.all(
                    if: MessageShape(look.bytes).mayBegin && hasPairs
                        && Decoding.latin1AsUTF8()(beginning, false) != nil)
            },
            decoder: { Decoding.latin1AsUTF8() }),
        Alteration(
            .textMode, evidence: .length,
            """
            It was copied as text, which put a CR before each LF: remove them with 'perl -pe \
            "s/\\r\\n/\\n/"', or fetch it again in binary.
            """,
            sites: { look in
                let beginning = Array(look.bytes.prefix(64 * 1024))
                return look.all(
                    if: MessageShape(look.bytes).mayBegin && look.has("\r") && look.has("\n")
                        && Decoding.carriageReturns()(beginning, false) != nil)
            },
            decoder: { Decoding.carriageReturns() }),
        Alteration(
            .textMode, evidence: .hmac,
            advice: { _, _ in
                """
                It was copied as text, which removed a CR before an LF: fetch it again in binary.
                """
            },
            sites: linesWithoutCarriageReturn,
            decoder: { site in
                { bytes, _ in bytes[..<site.offset] + [carriageReturn] + bytes[site.offset...] }
            }),
        Alteration(
            .leadingBytes, evidence: .hmac,
            advice: { site, _ in
                let count = site.part.lowerBound
                return """
                    Other bytes precede the message (\(count)): remove them, for example with \
                    'tail -c +\(count + 1)'.
                    """
            },
            sites: { look in
                let bytes = look.bytes
                guard !look.isText, ForeignStart.of(bytes) == nil else { return [] }
                return (1...16).filter { count in
                    MessageShape(
                        start: bytes.dropFirst(count), end: bytes.dropFirst(count),
                        byteCount: look.byteCount - count
                    ).mayBeMessage
                }.map { Site(part: $0..<bytes.count) }
            }),
    ]

    private static let carriageReturn = UInt8(ascii: "\r")

    /// How many bytes are copied in all to find out where a CR is missing.
    private static let searchByteCount = 32 * 1024 * 1024

    /// Each LF, if one CR may be missing. It was before one of them. More are too many to try, and
    /// in a short message not likely.
    private static func linesWithoutCarriageReturn(_ look: ByteLook) -> [Site] {
        let bytes = look.bytes
        guard look.isWhole, MessageShape(bytes).mayBegin, lacksOneByte(bytes) else { return [] }
        let limit = searchByteCount / max(1, bytes.count)
        var sites: [Site] = []
        for index in bytes.indices where bytes[index] == lineFeed {
            guard sites.count < limit, index == 0 || bytes[index - 1] != carriageReturn else {
                return []
            }
            sites.append(Site(part: bytes.indices, offset: index))
        }
        return sites
    }

    /// Whether one byte more would make a message of sound length.
    private static func lacksOneByte(_ bytes: [UInt8]) -> Bool {
        if bytes.first == 0 { return MessageShape(bytes).isSound }
        let longer = MessageShape(start: bytes[...], end: bytes[...], byteCount: bytes.count + 1)
        return longer.isSound
    }
}
