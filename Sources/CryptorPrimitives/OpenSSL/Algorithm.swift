import CryptorSystem
import COpenSSL
import Synchronization

/// An algorithm object of OpenSSL, fetched once per process (`EVP_CIPHER_fetch(3)` takes locks and
/// about 0.5 µs) and kept until the process ends. If that fails, the next call tries again.
struct Algorithm: ~Copyable, @unchecked Sendable {
    // Unchecked: OpenSSL's algorithms do not change, and any number of threads may use one. A
    // context among them is only copied.
    private let fetched = Atomic<OpaquePointer?>(nil)
    private let fetch: @Sendable () -> OpaquePointer?
    private let function: String

    /// - Parameters:
    ///   - function: the name of the C function that is called for the object.
    ///   - fetch: returns the object, or nothing.
    init(calling function: String, _ fetch: @escaping @Sendable () -> OpaquePointer?) {
        self.function = function
        self.fetch = fetch
    }

    /// The object, borrowed: it must not be freed.
    func pointer() throws(OpenSSLError) -> OpaquePointer {
        if let fetched = fetched.load(ordering: .acquiring) { return fetched }
        try prepareOpenSSL()
        let new = try expectPointer(fetch(), calling: function)
        // If another thread was faster, its object is used. This one is not freed, either.
        return fetched.compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing
        ).original ?? new
    }

    static let aes128CBC = cipher("AES-128-CBC")
    static let aes256CBC = cipher("AES-256-CBC")
    static let aes256ECB = cipher("AES-256-ECB")
    static let aes256GCM = cipher("AES-256-GCM")
    static let sha1 = Algorithm(calling: "EVP_MD_fetch(SHA1)") { EVP_MD_fetch(nil, "SHA1", nil) }

    private static func cipher(_ name: String) -> Algorithm {
        Algorithm(calling: "EVP_CIPHER_fetch(\(name))") { EVP_CIPHER_fetch(nil, name, nil) }
    }
}
