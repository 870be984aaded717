import COpenSSL

/// Ciphers and HMAC under one pair of keys, set up once and used for one message after the other. It offers the steps;
/// the caller knows their order and the format of a message.
@usableFromInline
package struct KeyedContext: ~Copyable {
    private var encryption: AESCipher
    private var decryption: AESCipher
    package var authenticator: HMACAuthenticator
    /// The key of the HMAC if OpenSSL needs it again for each message, otherwise nil.
    private let repeatedKey: SecretBytes?
    private var ivs: IVSupply

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        let iv = [UInt8](repeating: 0, count: AESCipher.blockByteCount)
        let encryption = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        let decryption = try AESCipher(.decrypt, key: encryptionKey, iv: iv)
        let authenticator = try HMACAuthenticator(key: hmacKey)
        self.encryption = encryption
        self.decryption = decryption
        self.authenticator = authenticator
        ivs = IVSupply()
        repeatedKey = HMACAuthenticator.canBeginAgain ? nil : hmacKey
    }

    /// Appends a fresh IV and the padded ciphertext. There must be room for both.
    @_lifetime(output: copy output)
    package mutating func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try encryption.begin(ivs.next().bytes, appendingIVTo: &output)
        try encryption.finishEncryption(plaintext, into: &output)
    }

    /// Appends the plaintext of `ciphertext`, which is whole blocks. There must be room for as many bytes. Must be
    /// called only after the HMAC matched.
    /// - Returns: whether the padding is right. If it is wrong, and after an error, nothing is appended and nothing of
    ///   the plaintext is left in `output`.
    @_lifetime(output: copy output)
    package mutating func decrypt(
        _ ciphertext: RawSpan, iv: RawSpan, into output: inout OutputRawSpan
    ) throws(OpenSSLError) -> Bool {
        try decryption.begin(iv: iv)
        let start = output.byteCount
        var isRight = false
        defer { if !isRight { output.cleanse(ciphertext.byteCount, from: start) } }
        try decryption.update(ciphertext, into: &output)
        let block = AESCipher.blockByteCount
        let count = PKCS7Padding.plaintextByteCount(ofLastBlock: output.bytes.extracting(last: block))
        guard let count else { return false }
        output.removeLast(block - count)
        isRight = true
        return true
    }

    /// Begins an HMAC and adds all the bytes that it covers.
    package mutating func authenticate(_ bytes: RawSpan) throws(OpenSSLError) {
        try authenticator.begin(key: repeatedKey)
        try authenticator.update(bytes)
    }
}
