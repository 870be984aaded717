import COpenSSL
import Synchronization

/// An algorithm object of OpenSSL, fetched once per process (`EVP_CIPHER_fetch(3)` takes locks and about 0.5 µs) and
/// kept until the process ends. If a fetch fails, the next caller tries again.
///
/// A program can turn FIPS mode on and off. An object that was fetched in one mode is not used in the other.
struct Algorithm: ~Copyable, Sendable {
    private let ordinary = Atomic<UInt>(0)
    private let validated = Atomic<UInt>(0)
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
        try pointer(Self.isFIPSEnabled)
    }

    private func pointer(_ isFIPSEnabled: Bool) throws(OpenSSLError) -> OpaquePointer {
        let known = isFIPSEnabled ? validated.load(ordering: .acquiring) : ordinary.load(ordering: .acquiring)
        if let pointer = OpaquePointer(bitPattern: known) { return pointer }
        let fetched = try callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
            try expectPointer(fetch(), calling: function)
        }
        guard Self.isFIPSEnabled == isFIPSEnabled else {
            // The mode changed during the fetch, so the object may be of either mode.
            free(fetched)
            return try pointer()
        }
        let winner = isFIPSEnabled ? Self.keep(fetched, in: validated) : Self.keep(fetched, in: ordinary)
        if winner != fetched { free(fetched) }
        return winner
    }

    /// - Returns: the object that was stored first: `fetched`, or another thread's.
    private static func keep(_ fetched: OpaquePointer, in place: borrowing Atomic<UInt>) -> OpaquePointer {
        let (isFirst, other) = place.compareExchange(
            expected: 0, desired: UInt(bitPattern: fetched), ordering: .acquiringAndReleasing)
        return isFirst ? fetched : OpaquePointer(bitPattern: other) ?? fetched
    }

    /// Whether only code validated for FIPS 140 may run (`EVP_default_properties_is_fips_enabled(3)`, 46 ns).
    static var isFIPSEnabled: Bool { EVP_default_properties_is_fips_enabled(nil) == 1 }

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
