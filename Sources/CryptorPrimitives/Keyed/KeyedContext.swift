import COpenSSL

/// Cipher and HMAC contexts under one pair of keys, set up once and used for one message after the other.
package struct KeyedContext: ~Copyable {
    private let encryption: OwnedContext
    private let decryption: OwnedContext
    private let authentication: OwnedContext
    private let hmacKey: SecretBytes
    private let needsKeyEachTime: Bool
    private let isOfFIPSMode: Bool
    private var ivs: IVSupply
    private var useCount = 0

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        // Before anything is fetched: what is made while the mode changes is found to be outdated.
        let isOfFIPSMode = Algorithm.isFIPSEnabled
        let encryption = try Self.cipher(encryptionKey, isEncryption: true)
        let decryption = try Self.cipher(encryptionKey, isEncryption: false)
        let authentication = try HMACAuthenticator.context(key: hmacKey)
        self.encryption = encryption
        self.decryption = decryption
        self.authentication = authentication
        self.hmacKey = hmacKey
        self.isOfFIPSMode = isOfFIPSMode
        ivs = IVSupply()
        needsKeyEachTime = !HMACReset.isSound
    }

    /// Called once for each use. Whether the program has turned FIPS mode on or off since this was made: then it is not to be
    /// used again. To ask takes a tenth of a short message's time, and is done every 32 uses.
    mutating func isOutdated() -> Bool {
        useCount += 1
        return useCount.isMultiple(of: 32) && Algorithm.isFIPSEnabled != isOfFIPSMode
    }

    private static func cipher(_ key: SecretBytes, isEncryption: Bool) throws(OpenSSLError) -> OwnedContext {
        let algorithm = try Algorithm.aes256CBC.pointer()
        let context = try OwnedContext(EVP_CIPHER_CTX_new(), calling: "EVP_CIPHER_CTX_new", free: EVP_CIPHER_CTX_free)
        let status = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context.pointer, algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                [UInt8](repeating: 0, count: AESCipher.blockByteCount), isEncryption ? 1 : 0, nil)
        }
        try check(status, calling: "EVP_CipherInit_ex2")
        try check(EVP_CIPHER_CTX_set_padding(context.pointer, 0), calling: "EVP_CIPHER_CTX_set_padding")
        return context
    }

    /// Appends a message: `start`, a fresh IV, the padded ciphertext, and the HMAC over all of these.
    ///
    /// There must be room for them: `2 + 16 + (plaintext.byteCount / 16 + 1) * 16 + 32` bytes. The plaintext
    /// has at most 2^30 bytes.
    @_lifetime(output: copy output)
    package mutating func appendMessage(
        start: (UInt8, UInt8), _ plaintext: RawSpan, to output: inout OutputRawSpan
    ) throws(KeyedContextError) {
        let block = AESCipher.blockByteCount
        let ciphertextByteCount = (plaintext.byteCount / block + 1) * block
        let byteCount = 2 + block + ciphertextByteCount + HMACAuthenticator.Hash.sha256.byteCount
        precondition(output.freeCapacity >= byteCount && plaintext.byteCount <= AESCipher.maximumCallByteCount)
        try plaintext.withUnsafeBytes { (source) throws(KeyedContextError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                guard let message = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self) else {
                    return
                }
                (message[0], message[1]) = start
                let iv = message + 2
                let ciphertext = iv + block
                do throws(OpenSSLError) { try ivs.next(into: iv) } catch { throw .noRandomness(error) }
                try Self.calling { () throws(OpenSSLError) in
                    try encrypt(source, into: ciphertext, iv: iv)
                    try authenticate(
                        message, count: 2 + block + ciphertextByteCount, into: ciphertext + ciphertextByteCount)
                }
                count += byteCount
            }
        }
    }

    /// Encrypts the random block at `iv` into an IV, and what follows it under that.
    ///
    /// Not `EVP_CipherInit_ex2` for the IV, which takes four times as long as to encrypt a block: an IV may be what the cipher
    /// makes of a nonce under the same key (SP 800-38A, appendix C), and in this mode the block after it is chained to it. What
    /// the block of the last message adds to the nonce, which is random, leaves it random.
    private func encrypt(
        _ source: UnsafeRawBufferPointer, into ciphertext: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>
    ) throws(OpenSSLError) {
        let block = AESCipher.blockByteCount
        let rest = source.count % block
        let wholeByteCount = source.count - rest
        try update(encryption, iv, count: block, into: iv)
        let bytes = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        if let bytes, wholeByteCount > 0 {
            try update(encryption, bytes, count: wholeByteCount, into: ciphertext)
        }
        // The last block is padded where its ciphertext goes.
        let last = ciphertext + wholeByteCount
        last.update(repeating: UInt8(block - rest), count: block)
        if let bytes { last.update(from: bytes + wholeByteCount, count: rest) }
        do throws(OpenSSLError) {
            try update(encryption, last, count: block, into: last)
        } catch {
            OPENSSL_cleanse(last, block)
            throw error
        }
    }

    /// Whole blocks, of which the context holds none back: it does not pad.
    @inline(__always)
    private func update(
        _ context: borrowing OwnedContext, _ bytes: UnsafePointer<UInt8>, count: Int,
        into output: UnsafeMutablePointer<UInt8>
    ) throws(OpenSSLError) {
        var written: CInt = 0
        try check(
            EVP_CipherUpdate(context.pointer, output, &written, bytes, CInt(count)), calling: "EVP_CipherUpdate")
        precondition(Int(written) == count)
    }

    package enum Verdict { case authentic, forged, corruptPadding }

    /// Compares the HMAC of a message, then decrypts, then looks at the padding, and appends the plaintext before it.
    /// Appends nothing unless all is well.
    ///
    /// There must be room for the ciphertext: whole blocks, at least one and at most 2^30 bytes.
    /// - Parameters:
    ///   - message: IV, ciphertext and the HMAC over all that is before it.
    ///   - ivOffset: the length of what is before the IV.
    @_lifetime(output: copy output)
    package func appendPlaintext(
        of message: RawSpan, ivOffset: Int, to output: inout OutputRawSpan
    ) throws(KeyedContextError) -> Verdict {
        let block = AESCipher.blockByteCount
        let authenticatedByteCount = message.byteCount - HMACAuthenticator.Hash.sha256.byteCount
        let ciphertextByteCount = authenticatedByteCount - ivOffset - block
        precondition(ciphertextByteCount >= block && ciphertextByteCount.isMultiple(of: block))
        precondition(
            ciphertextByteCount <= output.freeCapacity && ciphertextByteCount <= AESCipher.maximumCallByteCount)
        return try message.withUnsafeBytes { (message) throws(KeyedContextError) in
            guard let bytes = message.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .forged }
            let iv = bytes + ivOffset
            return try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                let plaintext = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + ciphertextByteCount])
                let isGenuine = try Self.calling { () throws(OpenSSLError) in
                    guard try isAuthentic(bytes, count: authenticatedByteCount) else { return false }
                    try decrypt(iv + block, into: plaintext, iv: iv)
                    return true
                }
                guard isGenuine else { return .forged }
                let lastBlock = UnsafeRawBufferPointer(rebasing: plaintext.suffix(block))
                guard let last = PKCS7Padding.plaintextByteCount(ofLastBlock: lastBlock.bytes) else {
                    OPENSSL_cleanse(plaintext.baseAddress, plaintext.count)
                    return .corruptPadding
                }
                count += ciphertextByteCount - block + last
                return .authentic
            }
        }
    }

    private func decrypt(
        _ ciphertext: UnsafePointer<UInt8>, into plaintext: UnsafeMutableRawBufferPointer, iv: UnsafePointer<UInt8>
    ) throws(OpenSSLError) {
        // Not `EVP_CipherInit_ex2` for the IV, which takes four times as long: in this mode a block comes out by itself and the
        // block of ciphertext before it. The IV is passed in as that block, and what comes out for it is thrown away.
        var ignored: (UInt64, UInt64) = (0, 0)
        try withUnsafeMutableBytes(of: &ignored) { (ignored) throws(OpenSSLError) in
            guard let ignored = ignored.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            defer { OPENSSL_cleanse(ignored, AESCipher.blockByteCount) }
            try update(decryption, iv, count: AESCipher.blockByteCount, into: ignored)
        }
        guard let output = plaintext.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        do throws(OpenSSLError) {
            try update(decryption, ciphertext, count: plaintext.count, into: output)
        } catch {
            OPENSSL_cleanse(output, plaintext.count)
            throw error
        }
    }

    /// Whether the HMAC of the first `count` bytes follows them, compared in constant time.
    private func isAuthentic(_ bytes: UnsafePointer<UInt8>, count: Int) throws(OpenSSLError) -> Bool {
        // The right code of a forged message is what its forger is after: it is cleansed.
        var code: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &code) { (code) throws(OpenSSLError) in
            defer { OPENSSL_cleanse(code.baseAddress, code.count) }
            try authenticate(bytes, count: count, into: code.baseAddress?.assumingMemoryBound(to: UInt8.self))
            return CRYPTO_memcmp(code.baseAddress, bytes + count, code.count) == 0
        }
    }

    private func authenticate(
        _ bytes: UnsafePointer<UInt8>?, count: Int, into code: UnsafeMutablePointer<UInt8>?
    ) throws(OpenSSLError) {
        let started =
            if needsKeyEachTime {
                hmacKey.withUnsafeBytes { key in
                    EVP_MAC_init(
                        authentication.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
                }
            } else {
                EVP_MAC_init(authentication.pointer, nil, 0, nil)
            }
        try check(started, calling: "EVP_MAC_init")
        try check(EVP_MAC_update(authentication.pointer, bytes, count), calling: "EVP_MAC_update")
        var written = 0
        let capacity = HMACAuthenticator.Hash.sha256.byteCount
        try check(EVP_MAC_final(authentication.pointer, code, &written, capacity), calling: "EVP_MAC_final")
    }

    @inline(__always)
    private static func calling<Result>(
        _ body: () throws(OpenSSLError) -> Result
    ) throws(KeyedContextError) -> Result {
        do throws(OpenSSLError) { return try callingOpenSSL(body) } catch { throw .failure(error) }
    }
}

package enum KeyedContextError: Error {
    case noRandomness(OpenSSLError)
    case failure(OpenSSLError)
}
