package import CryptorPrimitives

/// The two keys of a message: one for AES-256, one for HMAC-SHA256, 32 bytes each.
///
/// A pair of keys is as strong as its randomness, and needs no key derivation, which is most of the
/// work for small messages. The bytes are cleansed when the last copy is released, and never
/// printed.
public struct MessageKeys: Sendable {
    /// The length of either key, in bytes.
    package static let keyByteCount = 32

    let pair: KeyPair

    /// Copies two keys. They should be independent and random; the caller must still cleanse its
    /// own copy.
    /// - Parameters:
    ///   - encryptionKey: 32 bytes.
    ///   - hmacKey: 32 bytes.
    /// - Throws: `invalidCredential`.
    public init(
        encryptionKey: some Collection<UInt8>, hmacKey: some Collection<UInt8>
    ) throws(CryptorError) {
        self.init(
            encryptionKey: try Self.key("encryption", encryptionKey),
            hmacKey: try Self.key("HMAC", hmacKey))
    }

    /// Reads both keys from text: 128 hexadecimal digits, encryption key then HMAC key, as
    /// `rncryptor keygen` writes them. White space is ignored. A `String` cannot be cleansed.
    /// - Throws: `invalidCredential`.
    public init(hexadecimal text: String) throws(CryptorError) {
        try self.init(hexadecimal: text.utf8)
    }

    /// Reads both keys from ASCII text.
    package init(hexadecimal text: some Collection<UInt8>) throws(CryptorError) {
        // Lazy, because nothing cleanses copies.
        let characters = text.lazy.filter { !" \t\r\n".utf8.contains($0) }
        guard characters.count == 4 * Self.keyByteCount,
            characters.allSatisfy({ $0.hexadecimalValue != nil })
        else {
            throw CryptorError(
                .invalidCredential, "These are not two keys: expected 128 hexadecimal digits.")
        }
        var digits = characters.compactMap(\.hexadecimalValue).makeIterator()
        func key() -> SecretBytes {
            SecretBytes(byteCapacity: Self.keyByteCount) { output in
                while output.freeCapacity > 0, let high = digits.next(), let low = digits.next() {
                    output.append(high << 4 | low)
                }
            }
        }
        self.init(encryptionKey: key(), hmacKey: key())
    }

    init(encryptionKey: SecretBytes, hmacKey: SecretBytes, forManyMessages: Bool = false) {
        pair = KeyPair(
            encryptionKey: encryptionKey, hmacKey: hmacKey, keepsEngines: forManyMessages)
    }

    package var encryptionKey: SecretBytes { pair.encryptionKey }
    package var hmacKey: SecretBytes { pair.hmacKey }

    /// The same keys, which keep engines: OpenSSL's contexts are set up once, not for each short
    /// message.
    var forManyMessages: MessageKeys {
        pair.keepsEngines
            ? self
            : MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey, forManyMessages: true)
    }

    /// A fresh pair from OpenSSL's generator for secrets (`RAND_priv_bytes(3)`).
    /// - Throws: `cryptoLibraryFailure`.
    public static func random() throws(CryptorError) -> MessageKeys {
        try openSSL { () throws(OpenSSLError) in
            MessageKeys(
                encryptionKey: try RandomBytes.secret(count: keyByteCount),
                hmacKey: try RandomBytes.secret(count: keyByteCount))
        }
    }

    /// Calls `body` with the bytes of both keys, 32 each, for example to store them. Nothing is
    /// copied.
    /// - Throws: the error of `body`.
    public func withBytes<Result, Failure: Error>(
        _ body: (_ encryptionKey: RawSpan, _ hmacKey: RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try encryptionKey.withRawSpan { (encryptionKey) throws(Failure) in
            try hmacKey.withRawSpan { (hmacKey) throws(Failure) in
                try body(encryptionKey, hmacKey)
            }
        }
    }

    /// Copies of both keys, 32 bytes each, to store them. The library does not cleanse these
    /// copies; ``withBytes(_:)`` makes none.
    public func copyKeys() -> (encryptionKey: [UInt8], hmacKey: [UInt8]) {
        (
            encryptionKey.withRawSpan { bytes in Array(copying: bytes) },
            hmacKey.withRawSpan { bytes in Array(copying: bytes) }
        )
    }

    private static func key(_ name: String, _ bytes: some Collection<UInt8>) throws(CryptorError)
        -> SecretBytes
    {
        guard bytes.count == keyByteCount else {
            throw CryptorError(
                .invalidCredential,
                """
                The \(name) key has \(bytes.count.counted("byte")), but each key must have \
                \(keyByteCount).
                """
            )
        }
        return SecretBytes.copy(of: bytes)
    }
}

extension [UInt8] {
    /// Overwrites the bytes of a secret (`OPENSSL_cleanse(3)`), which then are no longer there. A
    /// copy of the array keeps them.
    package mutating func cleanse() { CryptorPrimitives.cleanse(&self) }
}
