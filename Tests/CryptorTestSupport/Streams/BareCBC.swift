import CryptorFormat
import CryptorPrimitives

/// AES-256-CBC and nothing else: no MAC, and padding only where a function says so.
package enum BareCBC {
    /// Decrypts complete blocks. The result shows what an attacker can make of a message's
    /// ciphertext.
    package static func decrypt(
        _ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8], _ chunking: Chunking = .whole
    ) throws(OpenSSLError) -> [UInt8] {
        var cipher = try AESCipher(.decrypt, key: key, iv: iv)
        return try update(&cipher, with: ciphertext, chunking)
    }

    /// Encrypts with PKCS#7 padding.
    package static func encrypt(
        _ plaintext: [UInt8], key: SecretBytes, iv: [UInt8], _ chunking: Chunking = .whole
    ) throws(OpenSSLError) -> [UInt8] {
        var cipher = try AESCipher(.encrypt, key: key, iv: iv)
        var ciphertext = try update(&cipher, with: plaintext, chunking)
        try withRoom(for: FormatSize.block, appendingTo: &ciphertext) {
            (output) throws(OpenSSLError) in
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
            try withRoom(for: room, appendingTo: &output, reading: chunk) {
                (chunk, output) throws(OpenSSLError) in
                try cipher.update(chunk.span.bytes, into: &output)
            }
        }
        return output
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
        return try decrypt(ciphertext, key: keys.encryptionKey, iv: header.iv)
    }
}
