import CryptorFormat
import CryptorPrimitives

/// AES-256-CBC and nothing else: no MAC, and no padding but where it says so.
package enum BareCBC {
    /// Whole blocks in, whole blocks out. What an attacker can make of a message's ciphertext shows here.
    package static func decrypt(
        _ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8], _ chunking: Chunking = .whole
    ) throws(OpenSSLError) -> [UInt8] {
        var cipher = try AESCipher(.decrypt, key: key, iv: iv)
        return try update(&cipher, with: ciphertext, chunking)
    }

    /// With PKCS#7 padding.
    package static func encrypt(
        _ plaintext: [UInt8], key: SecretBytes, iv: [UInt8], _ chunking: Chunking = .whole
    ) throws(OpenSSLError) -> [UInt8] {
        var cipher = try AESCipher(.encrypt, key: key, iv: iv)
        var ciphertext = try update(&cipher, with: plaintext, chunking)
        try withRoom(for: FormatSize.block, appendingTo: &ciphertext) { (output) throws(OpenSSLError) in
            try cipher.finishEncryption(into: &output)
        }
        return ciphertext
    }

    private static func update(
        _ cipher: inout AESCipher, with input: [UInt8], _ chunking: Chunking
    ) throws(OpenSSLError) -> [UInt8] {
        var output: [UInt8] = []
        for chunk in chunking.chunks(of: input) {
            let room = cipher.outputByteCount(for: chunk.count)
            try withRawSpan(of: chunk) { (chunk) throws(OpenSSLError) in
                try withRoom(for: room, appendingTo: &output) { (output) throws(OpenSSLError) in
                    try cipher.update(chunk, into: &output)
                }
            }
        }
        return output
    }

    /// The whole blocks of `message` that a stream may release before it has seen the end: all but the last 48 bytes,
    /// decrypted. Empty for what has no header that fits the secret.
    package static func releasable(of message: [UInt8], with secret: Secret) throws -> [UInt8] {
        guard let header = try? Header(parsing: message), let keys = try secret.keys(for: header) else { return [] }
        let count = max(0, message.count - header.byteCount - FormatSize.tail) / FormatSize.block * FormatSize.block
        let ciphertext = Array(message.dropFirst(header.byteCount).prefix(count))
        return try decrypt(ciphertext, key: keys.encryptionKey, iv: header.iv)
    }
}
