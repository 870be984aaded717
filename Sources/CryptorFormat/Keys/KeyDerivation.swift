package import CryptorPrimitives

/// From a password to the two keys of a message.
package enum KeyDerivation {
    /// Fixed by the format.
    package static let iterations = 10_000

    /// For tests: called before every derivation of this task.
    @TaskLocal package static var willDerive: (@Sendable () -> Void)?

    /// Both keys, derived independently of each other: PBKDF2-HMAC-SHA1, 10,000 iterations, 32 bytes.
    package static func keys(password: SecretBytes, salts: Header.Salts) throws(CryptorError) -> KeyPair {
        KeyPair(
            encryptionKey: try key(password: password, salt: salts.encryption),
            hmacKey: try key(password: password, salt: salts.hmac))
    }

    /// One key of 32 bytes.
    package static func key(password: SecretBytes, salt: [UInt8]) throws(CryptorError) -> SecretBytes {
        willDerive?()
        return try openSSL { () throws(OpenSSLError) in
            try PBKDF2.deriveKey(
                password: password, salt: salt, iterations: iterations, byteCount: KeyPair.keyByteCount)
        }
    }
}
