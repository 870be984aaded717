import COpenSSL

/// Ciphers and HMAC under one pair of keys, set up once and used for one message after the other. It has the steps; who uses it
/// knows their order, and what a message is.
package struct KeyedContext: ~Copyable {
    private var encryption: AESCipher
    private var decryption: AESCipher
    package var authenticator: HMACAuthenticator
    /// The key of the HMAC, where OpenSSL wants it again for each message.
    private let repeatedKey: SecretBytes?
    private let isOfFIPSMode: Bool
    private var ivs: IVSupply
    /// Since somebody asked for the mode.
    private var useCount: Int

    /// - Parameter useCount: how many messages its first use is for.
    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes, useCount: Int = 1) throws(OpenSSLError) {
        // Before anything is fetched: what is made while the mode changes is found to be outdated.
        let isOfFIPSMode = Algorithm.isFIPSEnabled
        let iv = [UInt8](repeating: 0, count: AESCipher.blockByteCount)
        let encryption = try AESCipher(.encrypt, key: encryptionKey, iv: iv)
        let decryption = try AESCipher(.decrypt, key: encryptionKey, iv: iv)
        let authenticator = try HMACAuthenticator(key: hmacKey)
        self.encryption = encryption
        self.decryption = decryption
        self.authenticator = authenticator
        self.isOfFIPSMode = isOfFIPSMode
        self.useCount = useCount
        ivs = IVSupply()
        repeatedKey = HMACReset.isSound ? nil : hmacKey
    }

    /// After so many uses it is asked whether FIPS mode was turned on or off.
    package static let useCountToAsk = 32

    /// Called before each use. Whether the program has turned FIPS mode on or off since this was made: then it is not to be
    /// used again. To ask takes a tenth of a short message's time.
    mutating func isOutdated(after newUseCount: Int) -> Bool {
        useCount += newUseCount
        guard useCount >= Self.useCountToAsk else { return false }
        useCount = newUseCount
        return Algorithm.isFIPSEnabled != isOfFIPSMode
    }

    /// Appends a fresh IV and the padded ciphertext, for which there is room.
    @_lifetime(output: copy output)
    package mutating func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try encryption.begin(ivs.next().bytes, appendingIVTo: &output)
        try encryption.finishEncryption(plaintext, into: &output)
    }

    /// Appends the plaintext of `ciphertext`, whole blocks for which there is room. Called only after the HMAC matched.
    /// - Returns: whether the padding is right. Otherwise nothing is appended, and nothing of the plaintext left in memory; so
    ///   it is after an error.
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

    /// Begins an HMAC and adds all that it is of.
    package mutating func authenticate(_ bytes: RawSpan) throws(OpenSSLError) {
        try authenticator.begin(key: repeatedKey)
        try authenticator.update(bytes)
    }
}
