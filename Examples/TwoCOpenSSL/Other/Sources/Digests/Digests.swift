import COpenSSL

/// The SHA-256 of `bytes`.
public func sha256(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = SHA256(bytes, bytes.count, &digest)
    return digest
}
