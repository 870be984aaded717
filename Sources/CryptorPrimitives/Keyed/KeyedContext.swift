import COpenSSL

/// Cipher and HMAC contexts under one pair of keys, set up once and used for one message after the other.
package final class KeyedContext {
    private let encryption: OwnedContext
    private let decryption: OwnedContext
    private let authentication: OwnedContext
    private let hmacKey: SecretBytes
    private let needsKeyEachTime: Bool
    private var ivs = IVSupply()

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        encryption = try Self.cipher(encryptionKey, isEncryption: true)
        decryption = try Self.cipher(encryptionKey, isEncryption: false)
        authentication = try HMACAuthenticator.context(key: hmacKey)
        self.hmacKey = hmacKey
        needsKeyEachTime = !HMACReset.isSound
    }

    private static func cipher(_ key: SecretBytes, isEncryption: Bool) throws(OpenSSLError) -> OwnedContext {
        let algorithm = try Algorithm.aes256CBC.pointer()
        let context = try OwnedContext(EVP_CIPHER_CTX_new(), calling: "EVP_CIPHER_CTX_new", free: EVP_CIPHER_CTX_free)
        let status = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context.pointer, algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                isEncryption ? 1 : 0, nil)
        }
        try check(status, calling: "EVP_CipherInit_ex2")
        if !isEncryption {
            try check(EVP_CIPHER_CTX_set_padding(context.pointer, 0), calling: "EVP_CIPHER_CTX_set_padding")
        }
        return context
    }

    /// Appends a message: `start`, a fresh IV, the padded ciphertext, and the HMAC over all of these.
    ///
    /// There must be room for them: `2 + 16 + (plaintext.byteCount / 16 + 1) * 16 + 32` bytes. The plaintext
    /// has at most 2^30 bytes.
    package func appendMessage(
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
                var first: CInt = 0
                var last: CInt = 0
                try Self.call("EVP_CipherInit_ex2", EVP_CipherInit_ex2(encryption.pointer, nil, nil, iv, -1, nil))
                try Self.call(
                    "EVP_CipherUpdate",
                    EVP_CipherUpdate(
                        encryption.pointer, ciphertext, &first,
                        source.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(source.count)))
                try Self.call(
                    "EVP_CipherFinal_ex", EVP_CipherFinal_ex(encryption.pointer, ciphertext + Int(first), &last))
                precondition(Int(first) + Int(last) == ciphertextByteCount)
                try authenticate(
                    message, count: 2 + block + ciphertextByteCount, into: ciphertext + ciphertextByteCount)
                count += byteCount
            }
        }
    }

    package enum Verdict { case authentic, forged, corruptPadding }

    /// Compares the HMAC of a message, then decrypts, then looks at the padding, and appends the plaintext before it.
    /// Appends nothing unless all is well.
    ///
    /// There must be room for the ciphertext: whole blocks, at least one and at most 2^30 bytes.
    /// - Parameters:
    ///   - message: IV, ciphertext and the HMAC over all that is before it.
    ///   - ivOffset: the length of what is before the IV.
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
            guard try isAuthentic(bytes, count: authenticatedByteCount) else { return .forged }
            let iv = bytes + ivOffset
            try Self.call("EVP_CipherInit_ex2", EVP_CipherInit_ex2(decryption.pointer, nil, nil, iv, -1, nil))
            return try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                let plaintext = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + ciphertextByteCount])
                var written: CInt = 0
                let status = EVP_CipherUpdate(
                    decryption.pointer, plaintext.baseAddress?.assumingMemoryBound(to: UInt8.self), &written,
                    iv + block, CInt(ciphertextByteCount))
                try Self.call("EVP_CipherUpdate", status)
                precondition(Int(written) == ciphertextByteCount)
                let lastBlock = UnsafeRawBufferPointer(rebasing: plaintext.suffix(block))
                guard let last = PKCS7Padding.plaintextByteCount(ofLastBlock: lastBlock.bytes) else {
                    return .corruptPadding
                }
                count += ciphertextByteCount - block + last
                return .authentic
            }
        }
    }

    /// Whether the HMAC of the first `count` bytes follows them, compared in constant time.
    private func isAuthentic(_ bytes: UnsafePointer<UInt8>, count: Int) throws(KeyedContextError) -> Bool {
        // The right code of a forged message is what its forger is after: it is cleansed.
        var code: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &code) { (code) throws(KeyedContextError) in
            defer { OPENSSL_cleanse(code.baseAddress, code.count) }
            try authenticate(bytes, count: count, into: code.baseAddress?.assumingMemoryBound(to: UInt8.self))
            return CRYPTO_memcmp(code.baseAddress, bytes + count, code.count) == 0
        }
    }

    private func authenticate(
        _ bytes: UnsafePointer<UInt8>?, count: Int, into code: UnsafeMutablePointer<UInt8>?
    ) throws(KeyedContextError) {
        let started =
            if needsKeyEachTime {
                hmacKey.withUnsafeBytes { key in
                    EVP_MAC_init(
                        authentication.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
                }
            } else {
                EVP_MAC_init(authentication.pointer, nil, 0, nil)
            }
        try Self.call("EVP_MAC_init", started)
        try Self.call("EVP_MAC_update", EVP_MAC_update(authentication.pointer, bytes, count))
        var written = 0
        let capacity = HMACAuthenticator.Hash.sha256.byteCount
        try Self.call("EVP_MAC_final", EVP_MAC_final(authentication.pointer, code, &written, capacity))
    }

    private static func call(_ function: String, _ status: CInt) throws(KeyedContextError) {
        guard status == 1 else { throw .failure(OpenSSLError(calling: function)) }
    }
}

package enum KeyedContextError: Error {
    case noRandomness(OpenSSLError)
    case failure(OpenSSLError)
}
