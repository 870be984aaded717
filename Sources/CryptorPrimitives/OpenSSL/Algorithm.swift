import CryptorSystem
import COpenSSL
import Synchronization

/// An algorithm object of OpenSSL, fetched once per process (`EVP_CIPHER_fetch(3)` takes locks and about 0.5 µs) and
/// kept until the process ends. If a fetch fails, the next caller tries again.
struct Algorithm: ~Copyable, Sendable {
    private let kept = Atomic<UInt>(0)
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
        if let pointer = OpaquePointer(bitPattern: kept.load(ordering: .acquiring)) { return pointer }
        let fetched = try expectPointer(fetch(), calling: function)
        let (isFirst, other) = kept.compareExchange(
            expected: 0, desired: UInt(bitPattern: fetched), ordering: .acquiringAndReleasing)
        guard !isFirst, let winner = OpaquePointer(bitPattern: other) else { return fetched }
        free(fetched)
        return winner
    }

    static let aes128CBC = cipher("AES-128-CBC")
    static let aes256CBC = cipher("AES-256-CBC")
    static let aes256ECB = cipher("AES-256-ECB")
    static let aes256GCM = cipher("AES-256-GCM")

    private static func cipher(_ name: String) -> Algorithm {
        Algorithm("EVP_CIPHER_fetch(\(name))") {
            EVP_CIPHER_fetch(nil, name, nil)
        } free: {
            EVP_CIPHER_free($0)
        }
    }

    static let sha1 = Algorithm("EVP_MD_fetch(SHA1)") {
        EVP_MD_fetch(nil, "SHA1", nil)
    } free: {
        EVP_MD_free($0)
    }
}

/// The one owner of a context of OpenSSL, which it frees. OpenSSL cleanses what its contexts hold as it frees them.
struct OwnedContext: ~Copyable, @unchecked Sendable {
    // Unchecked: OpenSSL's contexts may move between threads, but two threads must not use one at the same time. A
    // single owner rules that out.
    let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    init(
        _ pointer: OpaquePointer?, calling function: String, free: @escaping @convention(c) (OpaquePointer?) -> Void
    ) throws(OpenSSLError) {
        self.pointer = try expectPointer(pointer, calling: function)
        self.free = free
    }

    deinit {
        free(pointer)
    }
}
