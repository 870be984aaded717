import CryptorPrimitives

/// The unencrypted start of a message: 34 bytes for a password message, 18 for a key message.
///
/// | bytes | password message | key message |
/// |---|---|---|
/// | 1 | version | version |
/// | 1 | options: 1 | options: 0 |
/// | 8 | encryption salt | |
/// | 8 | HMAC salt | |
/// | 16 | IV | IV |
///
/// Then come the ciphertext, in whole blocks of 16 bytes, and the tag of 32 bytes, the HMAC-SHA256
/// of all before it (in version 1, of the ciphertext alone).
///
/// None of it is secret, and none of it can be trusted before the HMAC of the complete message has
/// matched.
public struct MessageHeader: Hashable, Sendable {
    /// The version of the format.
    public let version: FormatVersion

    /// The two salts of a password message; nil in a key message.
    public let salts: Salts?

    private let ivNumbers: SIMD2<UInt64>

    /// This is not public, because reusing salts and an IV breaks the encryption. It is for tests,
    /// and for callers that need only the salts.
    package init(version: FormatVersion = .written, salts: Salts?, iv: [UInt8]) {
        precondition(iv.count == FormatSize.iv)
        self.version = version
        self.salts = salts
        ivNumbers = Self.numbers(at: 0, of: iv.rawSpan(0..<FormatSize.iv))
    }

    /// Copies the fields of a header.
    /// - Parameter start: a complete header, which has been checked, or more.
    @inline(__always)
    init(version: FormatVersion, usesPassword: Bool, startOf start: RawSpan) {
        self.version = version
        salts = usesPassword ? Salts(ofHeader: start) : nil
        let byteCount = version.headerByteCount(usingPassword: usesPassword)
        ivNumbers = Self.numbers(at: byteCount - FormatSize.iv, of: start)
    }

    static let passwordOption: UInt8 = 1

    /// The length of the header: 34 bytes with a password, 18 with keys.
    public var byteCount: Int { version.headerByteCount(usingPassword: usesPassword) }

    /// The bytes of the header as they were received or will be written. From version 2 on, the
    /// HMAC covers them.
    package var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes[0] = version.rawValue
        if let salts {
            bytes[1] = Self.passwordOption
            Self.write(salts.numbers, to: &bytes, at: 2)
        }
        Self.write(ivNumbers, to: &bytes, at: byteCount - FormatSize.iv)
        return bytes
    }

    /// The initialisation vector: 16 bytes.
    public var iv: [UInt8] { Self.bytes(of: ivNumbers) }

    // Numbers, not arrays: a header is made and compared for each short message.

    @inline(__always)
    fileprivate static func numbers(at offset: Int, of bytes: RawSpan) -> SIMD2<UInt64> {
        func number(at offset: Int) -> UInt64 {
            (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64(bytes.byte(at: $1)) }
        }
        return SIMD2(number(at: offset), number(at: offset + 8))
    }

    fileprivate static func bytes(of numbers: SIMD2<UInt64>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        write(numbers, to: &bytes, at: 0)
        return bytes
    }

    private static func write(
        _ numbers: SIMD2<UInt64>, to bytes: inout [UInt8], at offset: Int
    ) {
        for index in 0..<8 {
            let shift = UInt64(56 - 8 * index)
            bytes[offset + index] = UInt8(truncatingIfNeeded: numbers[0] >> shift)
            bytes[offset + 8 + index] = UInt8(truncatingIfNeeded: numbers[1] >> shift)
        }
    }

    /// The salts of the two key derivations: 8 bytes each.
    public struct Salts: Hashable, Sendable {
        fileprivate let numbers: SIMD2<UInt64>

        /// Of each salt. The numbers have room for two of this length.
        private static let byteCount = FormatVersion.written.saltByteCount

        /// - Parameter header: the header of a password message, or more.
        @inline(__always)
        init(ofHeader header: RawSpan) { numbers = MessageHeader.numbers(at: 2, of: header) }

        package init(encryption: [UInt8], hmac: [UInt8]) {
            precondition(encryption.count == Self.byteCount && hmac.count == Self.byteCount)
            let bytes = encryption + hmac
            numbers = MessageHeader.numbers(at: 0, of: bytes.rawSpan(bytes.indices))
        }

        /// The salt of the encryption key: 8 bytes.
        public var encryption: [UInt8] {
            Array(MessageHeader.bytes(of: numbers).prefix(Self.byteCount))
        }
        /// The salt of the HMAC key: 8 bytes.
        public var hmac: [UInt8] { Array(MessageHeader.bytes(of: numbers).suffix(Self.byteCount)) }
    }

    /// Reads the header of a message of version 1, 2 or 3.
    /// - Parameter bytes: the message, or its start: at least the header.
    /// - Throws: `invalidMessageLength`, `unsupportedVersion`, `looksBase64Encoded`, or
    ///   `versionNotAccepted` for version 0, which ``Cryptor/decryptVersion0(_:with:)`` reads.
    public init(parsing bytes: some Collection<UInt8>) throws(CryptorError) {
        self = try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            try MessageHeader.read(from: bytes, messageByteCount: nil, end: RawSpan())
        }
    }

    /// The length of the ciphertext of a message of this many bytes.
    package func ciphertextByteCount(ofMessage messageByteCount: Int) -> Int {
        messageByteCount - byteCount - version.hmacByteCount
    }

    /// Whether the message was encrypted with a password, not with keys.
    public var usesPassword: Bool { salts != nil }

    private var minimumByteCount: Int { byteCount + version.heldBackByteCount }

    /// Whether a complete message may have this length.
    @inline(__always)
    func allows(messageByteCount count: Int) -> Bool {
        count >= minimumByteCount && (count - minimumByteCount).isMultiple(of: FormatSize.block)
    }

    /// Checks the length of a complete message. This costs nothing; deriving the keys afterwards
    /// costs milliseconds.
    package func checkMessageByteCount(_ count: Int) throws(CryptorError) {
        if allows(messageByteCount: count) { return }
        guard count >= minimumByteCount else {
            throw .messageTooShort(byteCount: count, minimum: minimumByteCount)
        }
        throw CryptorError(
            .invalidMessageLength,
            """
            The message has \(count) bytes, so its ciphertext is not a multiple of 16. Bytes were \
            lost or added: fetch it again in binary.
            """)
    }
}
