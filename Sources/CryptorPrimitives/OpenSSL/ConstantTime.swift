import COpenSSL

/// Whether two strings of bytes are equal, in a time that depends on their lengths only (`CRYPTO_memcmp(3)`).
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0 }
    }
}
