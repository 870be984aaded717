import COpenSSL

/// GMAC (NIST SP 800-38D) with AES-256: the tag of AES-256-GCM over associated data alone. Wraps an `EVP_CIPHER_CTX`.
///
/// With carry-less multiplication in the processor it is several times as fast as HMAC-SHA256. One context makes many codes,
/// one after the other, each for a number of its own. Whoever sees the codes of two inputs under one key and
/// one number can forge: codes are for comparing and are not given away.
package struct GMACAuthenticator: ~Copyable, Sendable {
    package static let keyByteCount = 32
    package static let codeByteCount = 16

    private let context: OwnedContext

    /// - Parameter key: 32 bytes.
    package init(key: SecretBytes) throws(OpenSSLError) {
        precondition(key.count == Self.keyByteCount)
        let algorithm = try Algorithm.aes256GCM.pointer()
        let context = try OwnedContext(EVP_CIPHER_CTX_new(), calling: "EVP_CIPHER_CTX_new", free: EVP_CIPHER_CTX_free)
        let status = key.withUnsafeBytes { key in
            EVP_CipherInit_ex2(
                context.pointer, algorithm, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, 1, nil)
        }
        try check(status, calling: "EVP_CipherInit_ex2")
        self.context = context
    }

    /// Begins a code, whatever was begun before.
    /// - Parameter number: the nonce.
    package mutating func begin(_ number: UInt64) throws(OpenSSLError) {
        // 12 bytes: the length that is used as it is.
        let nonce = [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        try check(EVP_CipherInit_ex2(context.pointer, nil, nil, nonce, -1, nil), calling: "EVP_CipherInit_ex2")
    }

    /// - Parameter bytes: at most 2^30 of them.
    package mutating func update(_ bytes: RawSpan) throws(OpenSSLError) {
        precondition(bytes.byteCount <= AESCipher.maximumCallByteCount)
        guard bytes.byteCount > 0 else { return }
        var count: CInt = 0
        let status = bytes.withUnsafeBytes { bytes in
            EVP_CipherUpdate(
                context.pointer, nil, &count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                CInt(bytes.count))
        }
        try check(status, calling: "EVP_CipherUpdate")
    }

    /// The code: 16 bytes. Nothing can be added to it afterwards.
    package mutating func finish() throws(OpenSSLError) -> SecretBytes {
        try SecretBytes(count: Self.codeByteCount) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (buffer, initializedCount) throws(OpenSSLError) in
                var count: CInt = 0
                let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                try check(EVP_CipherFinal_ex(context.pointer, start, &count), calling: "EVP_CipherFinal_ex")
                precondition(count == 0)
                let status = EVP_CIPHER_CTX_ctrl(
                    context.pointer, EVP_CTRL_AEAD_GET_TAG, CInt(Self.codeByteCount), buffer.baseAddress)
                try check(status, calling: "EVP_CIPHER_CTX_ctrl(EVP_CTRL_AEAD_GET_TAG)")
                initializedCount = Self.codeByteCount
            }
        }
    }
}
