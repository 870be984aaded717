import COpenSSL

/// The hash of a secret, which the caller cleanses (`EVP_Q_digest(3)`); nil if OpenSSL has no such
/// algorithm, or does not allow it.
package func digest(of bytes: [UInt8], named name: String) -> [UInt8]? {
    try? keepingReasons { () throws(OpenSSLError) in
        try prepareOpenSSL()
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count = 0
        let status = EVP_Q_digest(nil, name, nil, bytes, bytes.count, &hash, &count)
        try expectOne(status, calling: "EVP_Q_digest")
        hash.removeLast(hash.count - count)
        return hash
    }
}
