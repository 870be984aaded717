import COpenSSL

/// Cipher and HMAC contexts under one pair of keys, set up once and used for one message after the other.
package final class KeyedContext {
    private let encryption: OwnedContext
    private let decryption: OwnedContext
    private let authentication: OwnedContext
    private let hmacKey: SecretBytes

    package init(encryptionKey: SecretBytes, hmacKey: SecretBytes) throws(OpenSSLError) {
        encryption = try Self.cipher(encryptionKey, isEncryption: true)
        decryption = try Self.cipher(encryptionKey, isEncryption: false)
        authentication = try HMACAuthenticator.context(key: hmacKey)
        self.hmacKey = hmacKey
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
    /// There must be room for them: `start.byteCount + 16 + (plaintext.byteCount / 16 + 1) * 16 + 32` bytes. The plaintext
    /// has at most 2^30 bytes.
    package func appendMessage(
        start: [UInt8], _ plaintext: RawSpan, to output: inout OutputRawSpan
    ) throws(KeyedContextError) {
        let block = AESCipher.blockByteCount
        let ciphertextByteCount = (plaintext.byteCount / block + 1) * block
        let byteCount = start.count + block + ciphertextByteCount + HMACAuthenticator.Hash.sha256.byteCount
        precondition(output.freeCapacity >= byteCount && plaintext.byteCount <= AESCipher.maximumCallByteCount)
        try plaintext.withUnsafeBytes { (source) throws(KeyedContextError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                guard let message = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self) else {
                    return
                }
                for (offset, byte) in start.enumerated() { message[offset] = byte }
                let iv = message + start.count
                let ciphertext = iv + block
                guard RAND_bytes(iv, CInt(block)) == 1 else {
                    throw .noRandomness(OpenSSLError(calling: "RAND_bytes"))
                }
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
                    message, count: start.count + block + ciphertextByteCount, into: ciphertext + ciphertextByteCount)
                count += byteCount
            }
        }
    }

    /// Whether `code` is the HMAC of `bytes`, compared in constant time.
    package func isAuthentic(_ bytes: RawSpan, _ code: RawSpan) throws(KeyedContextError) -> Bool {
        let expected = try SecretBytes(count: HMACAuthenticator.Hash.sha256.byteCount) {
            (output) throws(KeyedContextError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                try bytes.withUnsafeBytes { (bytes) throws(KeyedContextError) in
                    try authenticate(
                        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count,
                        into: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self))
                }
                count = buffer.count
            }
        }
        return expected.withRawSpan { expected in constantTimeEqual(expected, code) }
    }

    /// Appends the padded plaintext of whole blocks that have been authenticated, at most 2^30 bytes.
    package func appendPlaintext(
        iv: RawSpan, _ ciphertext: RawSpan, to output: inout OutputRawSpan
    ) throws(KeyedContextError) {
        precondition(iv.byteCount == AESCipher.blockByteCount && output.freeCapacity >= ciphertext.byteCount)
        precondition(
            ciphertext.byteCount.isMultiple(of: AESCipher.blockByteCount)
                && ciphertext.byteCount <= AESCipher.maximumCallByteCount)
        let initialized = iv.withUnsafeBytes { iv in
            EVP_CipherInit_ex2(
                decryption.pointer, nil, nil, iv.baseAddress?.assumingMemoryBound(to: UInt8.self), -1, nil)
        }
        try Self.call("EVP_CipherInit_ex2", initialized)
        try ciphertext.withUnsafeBytes { (source) throws(KeyedContextError) in
            try output.withUnsafeMutableBytes { (buffer, count) throws(KeyedContextError) in
                var written: CInt = 0
                try Self.call(
                    "EVP_CipherUpdate",
                    EVP_CipherUpdate(
                        decryption.pointer,
                        buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self), &written,
                        source.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(source.count)))
                count += Int(written)
            }
        }
    }

    private func authenticate(
        _ bytes: UnsafePointer<UInt8>?, count: Int, into code: UnsafeMutablePointer<UInt8>?
    ) throws(KeyedContextError) {
        let started =
            if HMACReset.isSound {
                EVP_MAC_init(authentication.pointer, nil, 0, nil)
            } else {
                hmacKey.withUnsafeBytes { key in
                    EVP_MAC_init(
                        authentication.pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
                }
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
