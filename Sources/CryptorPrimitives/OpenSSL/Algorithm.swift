import CryptorSystem
import COpenSSL

/// An algorithm object of OpenSSL, fetched once per process (`EVP_CIPHER_fetch(3)` takes locks and
/// about 0.5 µs) and kept until the process ends. If that fails, it has failed for this process.
struct Algorithm: @unchecked Sendable {
    // Unchecked: OpenSSL's algorithms do not change, and any number of threads may use one. A
    // context among them is only copied.
    private let fetched: Result<OpaquePointer, OpenSSLError>

    /// - Parameters:
    ///   - object: returns the object, or nothing.
    ///   - function: the name of the C function that is called for that.
    init(_ object: @autoclosure () -> OpaquePointer?, calling function: String) {
        fetched = Result { () throws(OpenSSLError) in
            try prepareOpenSSL()
            return try expectPointer(object(), calling: function)
        }
    }

    /// The object, borrowed: it must not be freed.
    func pointer() throws(OpenSSLError) -> OpaquePointer { try fetched.get() }

    static let aes128CBC = cipher("AES-128-CBC")
    static let aes256CBC = cipher("AES-256-CBC")
    static let aes256ECB = cipher("AES-256-ECB")
    static let aes256GCM = cipher("AES-256-GCM")
    static let sha1 = Algorithm(EVP_MD_fetch(nil, "SHA1", nil), calling: "EVP_MD_fetch(SHA1)")

    private static func cipher(_ name: String) -> Algorithm {
        Algorithm(EVP_CIPHER_fetch(nil, name, nil), calling: "EVP_CIPHER_fetch(\(name))")
    }
}
