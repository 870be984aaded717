import CryptorPrimitives

extension PBKDF2 {
    /// One key alone.
    package static func deriveKey(
        password: SecretBytes, salt: [UInt8], iterations: Int, engine: Engine = .preferred
    ) throws(OpenSSLError) -> SecretBytes {
        let request = Request(password: password, salt: salt)
        return try deriveKeys(for: [request], iterations: iterations, engine: engine)[0]
    }
}
