import COpenSSL

/// Of which the library itself has no need.
package enum SHA256 {
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count = 0
        let status = EVP_Q_digest(nil, "SHA256", nil, bytes, bytes.count, &digest, &count)
        precondition(status == 1 && count == 32)
        return digest
    }
}
