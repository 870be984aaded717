import CryptorPrimitives

/// The plain start of a message: 34 bytes for a password message, 18 for a key message.
///
/// | bytes | password message | key message |
/// |---|---|---|
/// | 1 | version | version |
/// | 1 | options: 1 | options: 0 |
/// | 8 | encryption salt | |
/// | 8 | HMAC salt | |
/// | 16 | IV | IV |
///
/// None of it is secret, and none of it can be trusted before the HMAC of the complete message has matched.
public struct Header: Hashable, Sendable {
    /// The version of the format.
    public let version: FormatVersion

    /// The bytes of the header as they were received or will be written. From version 2 on, the HMAC covers them.
    package let bytes: [UInt8]

    /// The two salts of a password message; nil in a key message.
    package var salts: Salts? {
        usesPassword ? withRawSpan(of: bytes) { bytes in Salts(ofHeader: bytes) } : nil
    }

    /// The initialisation vector: 16 bytes.
    package var iv: [UInt8] { Array(bytes.suffix(FormatSize.iv)) }

    /// The salts of the two key derivations. Numbers, because they are compared for each short message.
    package struct Salts: Hashable, Sendable {
        private let numbers: SIMD2<UInt64>

        /// - Parameter header: the header of a password message, or more.
        @inline(__always)
        init(ofHeader header: RawSpan) {
            func number(at offset: Int) -> UInt64 {
                (offset..<offset + FormatSize.salt).reduce(0) {
                    $0 << 8 | UInt64(header.byte(at: $1))
                }
            }
            numbers = SIMD2(number(at: 2), number(at: 2 + FormatSize.salt))
        }

        package init(encryption: [UInt8], hmac: [UInt8]) {
            precondition(encryption.count == FormatSize.salt && hmac.count == FormatSize.salt)
            self = withRawSpan(of: [0, 0] + encryption + hmac) { bytes in Salts(ofHeader: bytes) }
        }

        /// The salt of the encryption key: 8 bytes.
        package var encryption: [UInt8] { Self.bytes(of: numbers[0]) }
        /// The salt of the HMAC key: 8 bytes.
        package var hmac: [UInt8] { Self.bytes(of: numbers[1]) }

        private static func bytes(of number: UInt64) -> [UInt8] {
            (1...FormatSize.salt).map { UInt8(truncatingIfNeeded: number >> UInt64(64 - 8 * $0)) }
        }
    }

    /// This is not public, because salts and an IV that are used twice break the encryption. Tests choose
    /// them, and whoever reads a message from its middle or needs only the salts.
    package init(version: FormatVersion = .v3, salts: Salts?, iv: [UInt8]) {
        precondition(iv.count == FormatSize.iv)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(FormatSize.passwordHeader)
        bytes.append(version.rawValue)
        bytes.append(salts != nil ? Self.passwordOption : 0)
        if let salts { bytes += salts.encryption + salts.hmac }
        bytes += iv
        self.init(version: version, bytes: bytes)
    }

    /// - Parameter bytes: a complete header, which has been checked.
    init(version: FormatVersion, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    static let passwordOption: UInt8 = 1

    /// Reads the header of a message, of versions 3 to 1.
    /// - Parameter bytes: the message, or its start: at least the header.
    /// - Throws: `invalidMessageLength`, `unsupportedVersion`, `looksBase64Encoded`, or
    ///   `versionNotAccepted` for version 0, which ``Cryptor/decryptVersion0(_:with:)`` reads.
    public init(parsing bytes: some Collection<UInt8>) throws(CryptorError) {
        try self.init(parsing: bytes, accepting: .all)
    }

    /// Reads the header of a message of a version that is accepted; of any other,
    /// `versionNotAccepted` is thrown.
    package init(
        parsing bytes: some Collection<UInt8>, accepting: Acceptance
    ) throws(CryptorError) {
        self = try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            try HeaderReader.header(
                of: bytes, messageByteCount: nil, end: RawSpan(), accepting: accepting)
        }
    }

    /// Whether the message was encrypted with a password, not with keys.
    public var usesPassword: Bool { byteCount == FormatSize.passwordHeader }

    /// The length of the header: 34 bytes with a password, 18 with keys.
    package var byteCount: Int { bytes.count }

    /// Checks the length of a complete message. This costs nothing; deriving the keys, afterwards, costs milliseconds.
    package func checkMessageByteCount(_ count: Int) throws(CryptorError) {
        let minimum = byteCount + FormatSize.tail
        guard count >= minimum else { throw .messageTooShort(byteCount: count, minimum: minimum) }
        guard (count - byteCount - FormatSize.tag).isMultiple(of: FormatSize.block) else {
            throw CryptorError(
                .invalidMessageLength,
                "The message has \(count) bytes, so its ciphertext is not a multiple of 16. Bytes were lost or added: "
                    + "fetch it again, in binary.")
        }
    }
}
