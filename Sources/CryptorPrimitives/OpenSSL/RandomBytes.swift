import CCryptorSystem
import CryptorSystem
import COpenSSL
import Synchronization

/// Random bytes of OpenSSL's generators. A failure throws; there is no other source.
///
/// OpenSSL recognises a forked child by its process number (`RAND(7)`), which may equal its
/// parent's: in a PID namespace of its own, or once the parent is gone. So this type reseeds the
/// generators if the process has changed.
///
/// OpenSSL takes locks of the whole process for each call, and no thread could release them in a
/// child that was forked meanwhile. So the process does not fork during a call.
package enum RandomBytes {
    /// `count` bytes that become public: salts, IVs (`RAND_bytes(3)`).
    package static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try fill(&bytes, count)
        return bytes
    }

    /// `count` bytes that stay secret: keys (`RAND_priv_bytes(3)`, a generator of its own).
    package static func secret(count: Int) throws(OpenSSLError) -> SecretBytes {
        ccryptor_hold_forks()
        defer { ccryptor_release_forks() }
        try reseedInAnotherProcess()
        return try SecretBytes(count: count) { (output) throws(OpenSSLError) in
            try output.withUnsafeMutableBytes { (buffer, written) throws(OpenSSLError) in
                let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
                try expectOne(RAND_priv_bytes(start, CInt(count)), calling: "RAND_priv_bytes")
                written = count
            }
        }
    }

    /// Fills existing memory as ``bytes(count:)`` does.
    static func fill(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) throws(OpenSSLError) {
        ccryptor_hold_forks()
        defer { ccryptor_release_forks() }
        try reseedInAnotherProcess()
        try expectOne(RAND_bytes(bytes, CInt(count)), calling: "RAND_bytes")
    }

    /// The mark of the process in which the generators were last reseeded.
    private static let seededMark = Atomic<UInt64>(0)

    private static func reseedInAnotherProcess() throws(OpenSSLError) {
        let mark = ForkMark.current
        if let mark, mark == seededMark.load(ordering: .acquiring) { return }
        // Without a mark, each call reseeds. The generators of all threads follow the primary one
        // (`EVP_RAND(7)`). `RAND_poll(3)` does nothing before 3.0.10, and never reports a failure.
        try prepareOpenSSL()
        let primary = try expectPointer(RAND_get0_primary(nil), calling: "RAND_get0_primary")
        try expectOne(EVP_RAND_reseed(primary, 0, nil, 0, nil, 0), calling: "EVP_RAND_reseed")
        if let mark { seededMark.store(mark, ordering: .releasing) }
    }
}
