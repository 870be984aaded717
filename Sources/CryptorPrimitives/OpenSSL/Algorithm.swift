import COpenSSL
import Synchronization

/// An algorithm object of OpenSSL, fetched once a process (`EVP_CIPHER_fetch(3)` takes locks and about 0.5 µs) and kept
/// until the process ends. A fetch that failed is tried again by the next caller.
struct Algorithm: ~Copyable, Sendable {
    private let address = Atomic<UInt>(0)
    private let function: String
    private let fetch: @Sendable () -> OpaquePointer?
    private let free: @Sendable (OpaquePointer) -> Void

    init(
        _ function: String, fetch: @escaping @Sendable () -> OpaquePointer?,
        free: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.function = function
        self.fetch = fetch
        self.free = free
    }

    /// The object, borrowed: it must not be freed.
    func pointer() throws(OpenSSLError) -> OpaquePointer {
        if let pointer = OpaquePointer(bitPattern: address.load(ordering: .acquiring)) { return pointer }
        let fetched = try check(fetch(), calling: function)
        let (exchanged, winner) = address.compareExchange(
            expected: 0, desired: UInt(bitPattern: fetched), ordering: .acquiringAndReleasing)
        if exchanged { return fetched }
        free(fetched)
        return OpaquePointer(bitPattern: winner) ?? fetched
    }

    static let aes256CBC = Algorithm("EVP_CIPHER_fetch(AES-256-CBC)") {
        EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    } free: {
        EVP_CIPHER_free($0)
    }

    static let aes256ECB = Algorithm("EVP_CIPHER_fetch(AES-256-ECB)") {
        EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
    } free: {
        EVP_CIPHER_free($0)
    }

    static let aes256GCM = Algorithm("EVP_CIPHER_fetch(AES-256-GCM)") {
        EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    } free: {
        EVP_CIPHER_free($0)
    }

    static let sha1 = Algorithm("EVP_MD_fetch(SHA1)") {
        EVP_MD_fetch(nil, "SHA1", nil)
    } free: {
        EVP_MD_free($0)
    }
}
