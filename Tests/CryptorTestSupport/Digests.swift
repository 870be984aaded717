import COpenSSL

/// Digests that the library itself does not need.
package enum SHA256 {
    package static func digest(of bytes: [UInt8]) -> [UInt8] { evpDigest("SHA256", of: bytes, byteCount: 32) }
}

package enum SHA1 {
    package static func digest(of bytes: [UInt8]) -> [UInt8] { evpDigest("SHA1", of: bytes, byteCount: 20) }
}

private func evpDigest(_ name: String, of bytes: [UInt8], byteCount: Int) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: byteCount)
    var count = 0
    let status = EVP_Q_digest(nil, name, nil, bytes, bytes.count, &digest, &count)
    precondition(status == 1 && count == byteCount)
    return digest
}
