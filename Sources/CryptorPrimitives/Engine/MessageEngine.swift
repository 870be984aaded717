import CryptorSystem

/// AES-256-CBC and HMAC-SHA256 under one pair of keys. It seals and opens many messages, each at
/// once: ``MessageEnd`` is all of them.
struct MessageEngine: ~Copyable {
    private var encryption: AESCipher
    private var decryption: AESCipher
    private var hmac: HMACAuthenticator
    /// Whether the HMAC was begun and has seen nothing, as after its key was set.
    private var isFresh = true
    /// The key of the HMAC if OpenSSL needs it again for each message, otherwise nil.
    private let repeatedKey: SecretBytes?
    private var ivs = IVSupply()

    init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        let iv = [UInt8](repeating: 0, count: AESCipher.blockByteCount)
        let encryption = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        let decryption = try AESCipher(.decrypt, key: encryptionKey, iv: iv)
        let hmac = try HMACAuthenticator(key: hmacKey)
        self.init(
            encryption: consume encryption, decryption: consume decryption, hmac: consume hmac,
            hmacKey: hmacKey)
    }

    // As in `SplitEngine`.
    private init(
        encryption: consuming AESCipher, decryption: consuming AESCipher,
        hmac: consuming HMACAuthenticator, hmacKey: SecretBytes
    ) {
        self.encryption = encryption
        self.decryption = decryption
        self.hmac = hmac
        repeatedKey = HMACAuthenticator.canBeginAgain ? nil : hmacKey
    }

    @inline(__always)
    private mutating func beginHMAC() throws(OpenSSLError) {
        if !isFresh { try hmac.begin(key: repeatedKey) }
        isFresh = false
    }

    /// Appends a whole message: `start`, a fresh IV, the ciphertext, the tag over all of these.
    /// There must be room for it.
    /// - Parameter start: the bytes before the IV.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func seal(
        _ plaintext: RawSpan, after start: [UInt8], into output: inout OutputRawSpan
    ) throws(OpenSSLError) {
        let offset = output.byteCount
        start.rawSpan(start.indices).append(to: &output)
        try beginHMAC()
        try encryption.begin(ivs.next().bytes, appendingIVTo: &output)
        try MessageEnd.seal(
            plaintext, cipher: &encryption, hmac: &hmac, unhashedFrom: offset, into: &output)
    }

    /// Opens a whole message whose tag covers its header.
    /// - Parameters:
    ///   - message: header, ciphertext in whole blocks, at least one, and tag.
    ///   - headerByteCount: the length of the header, which ends with the IV.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func open(
        _ message: RawSpan, headerByteCount: Int, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> MessageEnd.Verdict {
        let body = message.extracting(droppingLast: HMACAuthenticator.byteCount)
        let iv = body.extracting(headerByteCount - AESCipher.blockByteCount..<headerByteCount)
        try beginHMAC()
        return try MessageEnd.open(
            body.extracting(droppingFirst: headerByteCount), cipher: &decryption, hmac: &hmac,
            unhashed: body,
            after: iv, tag: message.extracting(last: HMACAuthenticator.byteCount), into: &output)
    }
}
