import CryptorFormat
import CryptorPrimitives

/// Writes messages of version 0, which the library only reads.
package struct Version0Writer: Sendable {
    private let header: MessageHeader

    /// - Parameters:
    ///   - salts: nil for a message under keys.
    ///   - iv: 16 bytes.
    package init(salts: MessageHeader.Salts? = nil, iv: [UInt8]) {
        header = MessageHeader(salts: salts, iv: iv)
    }

    /// - Parameter credential: of the kind that the salts ask for.
    package func message(
        of plaintext: some Collection<UInt8>, with credential: Credential
    ) throws -> [UInt8] {
        try message(of: plaintext, keys: credential.keys(for: header))
    }

    package func message(
        of plaintext: some Collection<UInt8>, keys: MessageKeys
    ) throws -> [UInt8] {
        let ciphertext = try Self.crypt(plaintext, key: keys.encryptionKey, iv: header.iv)
        let hmac = try withRawSpan(of: ciphertext) { (ciphertext) throws(OpenSSLError) in
            try Version0Algorithms.hmac(of: ciphertext, key: keys.hmacKey).plain
        }
        return [0, 0] + header.bytes.dropFirst(2) + ciphertext + hmac
            + [UInt8](repeating: 0, count: 12)
    }

    /// Encrypts or decrypts.
    package static func crypt(
        _ bytes: some Collection<UInt8>, key: SecretBytes, iv: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        let bytes = Array(bytes)
        return try Array(byteCapacity: bytes.count) { (output) throws(OpenSSLError) in
            try Version0Algorithms.cipher(
                bytes.span.bytes, key: key, iv: iv.span.bytes, into: &output)
        }
    }
}
