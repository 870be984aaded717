import CryptorSystem

/// GMAC (NIST SP 800-38D) with AES-256: the tag of AES-256-GCM over associated data alone. Wraps an
/// `EVP_CIPHER_CTX`.
///
/// On a processor with carry-less multiplication it is several times as fast as HMAC-SHA256. One
/// context makes many tags, one after the other, each under a number of its own. An attacker who
/// sees the tags of two inputs under the same key and number can forge others, so at most one tag
/// of each number may be revealed.
package struct GMACAuthenticator: ~Copyable, Sendable {
    package static let keyByteCount = 32
    package static let tagByteCount = 16

    private var context: CipherContext

    /// - Parameter key: 32 bytes.
    package init(key: SecretBytes) throws(OpenSSLError) {
        context = try CipherContext(Algorithm.aes256GCM, .encrypt, key: key)
    }

    /// The tag of two pieces, one behind the other: 16 bytes.
    /// - Parameter number: the nonce.
    package mutating func tag(
        _ number: UInt64, of first: RawSpan, _ second: RawSpan
    ) throws(OpenSSLError) -> SecretBytes {
        // GCM uses an IV of 12 bytes as it is; it would hash any other length.
        try context.begin(
            iv: [0, 0, 0, 0]
                + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) })
        _ = try context.update(first, into: nil)
        _ = try context.update(second, into: nil)
        return try SecretBytes(count: Self.tagByteCount) { (output) throws(OpenSSLError) in
            try context.finish(tagByteCount: Self.tagByteCount, into: &output)
        }
    }
}
