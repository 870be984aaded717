import COpenSSL

/// A digest that the library itself does not need, by OpenSSL's name for it.
package func digest(_ name: String, of bytes: [UInt8]) -> [UInt8] {
    var (digest, count) = ([UInt8](repeating: 0, count: 64), 0)
    precondition(EVP_Q_digest(nil, name, nil, bytes, bytes.count, &digest, &count) == 1)
    return Array(digest.prefix(count))
}
