import COpenSSL
import CryptorFormat
import CryptorPrimitives

/// AES-256-CBC by OpenSSL's own functions, and nothing else: no MAC, and padding only where a
/// function says so.
package enum BareCBC {
    private struct Failure: Error {}

    /// Encrypts with PKCS#7 padding.
    package static func encrypt(
        _ plaintext: [UInt8], key: SecretBytes, iv: [UInt8]
    ) throws -> [UInt8] {
        try output(of: plaintext, key: key, iv: iv, isEncryption: true)
    }

    /// The plaintext that a stream may release before it has seen the end of `message`: the
    /// complete blocks before the tail, decrypted. It is empty if the message has no header that
    /// fits the secret.
    package static func releasable(of message: [UInt8], with secret: Secret) throws -> [UInt8] {
        guard let header = try? MessageHeader(parsing: message),
            let keys = try secret.keys(for: header)
        else { return [] }
        let length = max(
            0, message.count - header.byteCount - FormatVersion.written.heldBackByteCount)
        let ciphertext = Array(
            message.dropFirst(header.byteCount).prefix(length - length % FormatSize.block))
        return try plaintext(of: ciphertext, key: keys.encryptionKey, iv: header.iv)
    }

    /// Decrypts whole blocks without a look at padding: what an attacker can make of a ciphertext.
    package static func plaintext(
        of ciphertext: [UInt8], key: SecretBytes, iv: [UInt8]
    ) throws -> [UInt8] {
        try output(of: ciphertext, key: key, iv: iv, isEncryption: false)
    }

    private static func output(
        of input: [UInt8], key: SecretBytes, iv: [UInt8], isEncryption: Bool
    ) throws -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw Failure() }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var count: CInt = 0
        var end = [UInt8](repeating: 0, count: 16)
        var endCount: CInt = 0
        guard
            EVP_CipherInit_ex2(
                context, EVP_aes_256_cbc(), key.plain, iv, isEncryption ? 1 : 0, nil) == 1,
            EVP_CIPHER_CTX_set_padding(context, isEncryption ? 1 : 0) == 1,
            EVP_CipherUpdate(context, &output, &count, input, CInt(input.count)) == 1,
            EVP_CipherFinal_ex(context, &end, &endCount) == 1
        else { throw Failure() }
        return Array(output.prefix(Int(count)) + end.prefix(Int(endCount)))
    }
}
