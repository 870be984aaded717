import COpenSSL

/// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA1.
package enum PBKDF2 {
    /// Derives a key of `byteCount` bytes with OpenSSL, even where there is a faster engine.
    ///
    /// Wraps `PKCS5_PBKDF2_HMAC(3)`, which looks up its key derivation object each time. That takes about 0.5 µs of the
    /// 3 ms that 10,000 iterations and 32 bytes take.
    /// - Parameters:
    ///   - password: at most `Int32.max` bytes, else it throws.
    ///   - salt: any number of bytes; the format's salts have 8.
    package static func deriveKey(
        password: SecretBytes, salt: [UInt8], iterations: Int, byteCount: Int
    ) throws(OpenSSLError) -> SecretBytes {
        guard let passwordByteCount = CInt(exactly: password.count), let saltByteCount = CInt(exactly: salt.count),
            let iterations = CInt(exactly: iterations), let keyByteCount = CInt(exactly: byteCount)
        else {
            throw OpenSSLError(
                function: "PKCS5_PBKDF2_HMAC", reasons: ["a length or the number of iterations is over 2,147,483,647"])
        }
        let digest = try Algorithm.sha1.pointer()
        return try SecretBytes(count: byteCount) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (key, count) throws(OpenSSLError) in
                try callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
                    let status = password.withUnsafeBytes { password in
                        PKCS5_PBKDF2_HMAC(
                            password.baseAddress?.assumingMemoryBound(to: CChar.self), passwordByteCount, salt,
                            saltByteCount, iterations, digest, keyByteCount,
                            key.baseAddress?.assumingMemoryBound(to: UInt8.self))
                    }
                    try expectOne(status, calling: "PKCS5_PBKDF2_HMAC")
                }
                count = byteCount
            }
        }
    }
}
