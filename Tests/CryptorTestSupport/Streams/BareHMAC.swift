import COpenSSL
import CryptorPrimitives

/// HMAC-SHA256 by OpenSSL's own function (`EVP_Q_mac(3)`).
package enum BareHMAC {
    private struct Failure: Error {}

    /// The tag of a message: 32 bytes.
    package static func tag(of bytes: [UInt8], key: SecretBytes) throws -> [UInt8] {
        let key = key.plain
        var tag = [UInt8](repeating: 0, count: 32)
        let room = tag.count
        var count = 0
        let result = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, bytes, bytes.count, &tag, room, &count)
        guard result != nil, count == room else { throw Failure() }
        return tag
    }
}
