import CryptorFiles

/// What the first and last bytes of what may be a message, and its length, tell about it.
struct MessageShape {
    /// Enough for a header, or all.
    let start: ArraySlice<UInt8>
    /// Enough for the end of version 0, or all.
    let end: ArraySlice<UInt8>
    let byteCount: Int

    init(start: ArraySlice<UInt8>, end: ArraySlice<UInt8>, byteCount: Int) {
        self.start = start.prefix(FormatVersion.longestHeaderByteCount)
        self.end = end.suffix(MessageHeader.decidingEndByteCount)
        self.byteCount = byteCount
    }

    init(_ bytes: some Collection<UInt8>) {
        let (start, end) = (bytes.prefix(64), bytes.suffix(64))
        self.init(start: Array(start)[...], end: Array(end)[...], byteCount: bytes.count)
    }

    init(_ contents: Contents) {
        self.init(
            start: contents.excerpt[...], end: contents.excerpt[...],
            byteCount: contents.byteCount)
    }

    /// Whether a message may begin with this byte.
    static func isVersion(_ byte: UInt8) -> Bool {
        byte == 0 || FormatVersion(rawValue: byte) != nil
    }

    /// Whether it begins as a message.
    var mayBegin: Bool {
        guard let version = start.first, let options = start.dropFirst().first else { return false }
        return Self.isVersion(version) && options <= (version == 0 ? 0 : 1)
    }

    /// Whether it begins as a message, and in version 0 also ends as one.
    var mayBeMessage: Bool { mayBegin && (start.first != 0 || isSoundVersion0) }

    /// Whether there are messages with this start, this length, and in version 0 this end.
    var isSound: Bool {
        if start.first == 0 { return isSoundVersion0 }
        return (try? header?.checkMessageByteCount(byteCount)) != nil
    }

    /// Nil in version 0.
    var header: MessageHeader? { try? MessageHeader(parsing: start) }

    /// Those of a password; nil under keys, and if it begins as no message.
    var salts: MessageHeader.Salts? {
        guard start.first == 0 else { return header?.salts }
        // The header of version 0 is that of version 1 under a password with another beginning.
        let version1 = [FormatVersion.v1UnauthenticatedHeader.rawValue, 1] + start.dropFirst(2)
        return mayBegin ? (try? MessageHeader(parsing: version1))?.salts : nil
    }

    /// The two salts are random, so they differ. Otherwise each zero in a long run of zeros might
    /// begin a message.
    private var isSoundVersion0: Bool {
        // The header of version 0 is that of version 1 with another first byte.
        let layout = FormatVersion.v1UnauthenticatedHeader
        let headerByteCount = layout.headerByteCount(usingPassword: false)
        let salts = start.dropFirst(2).prefix(2 * layout.saltByteCount)
        return mayBegin
            && byteCount >= headerByteCount + MessageHeader.decidingEndByteCount
            && salts.prefix(layout.saltByteCount) != salts.suffix(layout.saltByteCount)
            && end.suffix(12).allSatisfy { $0 == 0 }
    }
}
