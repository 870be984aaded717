import COpenSSL

/// Whether two strings of bytes are equal, in a time that depends on their lengths only (`CRYPTO_memcmp(3)`).
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            var difference: CInt = 0
            var offset = 0
            // OpenSSL compares 16 bytes at once, but any other number byte by byte.
            while offset < left.count {
                difference |= CRYPTO_memcmp(
                    left.baseAddress?.advanced(by: offset), right.baseAddress?.advanced(by: offset),
                    min(16, left.count - offset))
                offset += 16
            }
            return difference == 0
        }
    }
}
