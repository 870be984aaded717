import COpenSSL
import Synchronization

/// Random bytes of OpenSSL's generators. A failure throws; there is no other source.
///
/// OpenSSL knows a child of a fork by its process number (`RAND(7)`), which may be its parent's as well: in a PID namespace
/// of its own, or once the parent is gone. So they are reseeded here when this is another process than before.
package enum RandomBytes {
    /// `count` bytes that become public: salts, IVs (`RAND_bytes(3)`).
    package static func bytes(count: Int) throws(OpenSSLError) -> [UInt8] {
        var bytes: [UInt8] = []
        try bytes.appendBytes(capacity: count) { (output) throws(OpenSSLError) in
            try fill(count, of: &output, calling: "RAND_bytes", RAND_bytes)
        }
        return bytes
    }

    /// `count` bytes that stay secret: keys (`RAND_priv_bytes(3)`, a generator of its own).
    package static func secret(count: Int) throws(OpenSSLError) -> SecretBytes {
        try SecretBytes(count: count) { (output) throws(OpenSSLError) in
            try fill(count, of: &output, calling: "RAND_priv_bytes", RAND_priv_bytes)
        }
    }

    private static func fill(
        _ byteCount: Int, of output: inout OutputRawSpan, calling function: String,
        _ generate: (UnsafeMutablePointer<UInt8>?, CInt) -> CInt
    ) throws(OpenSSLError) {
        precondition(byteCount <= output.freeCapacity && byteCount <= CInt.max)
        try output.withUnsafeMutableBytes { (buffer, count) throws(OpenSSLError) in
            let start = buffer.baseAddress?.advanced(by: count).assumingMemoryBound(to: UInt8.self)
            try draw(byteCount, into: start, calling: function, generate)
            count += byteCount
        }
    }

    /// As ``bytes(count:)`` does, for memory that is there.
    static func draw(_ byteCount: Int, into bytes: UnsafeMutablePointer<UInt8>) throws(OpenSSLError) {
        try draw(byteCount, into: bytes, calling: "RAND_bytes", RAND_bytes)
    }

    private static func draw(
        _ byteCount: Int, into bytes: UnsafeMutablePointer<UInt8>?, calling function: String,
        _ generate: (UnsafeMutablePointer<UInt8>?, CInt) -> CInt
    ) throws(OpenSSLError) {
        try callingOpenSSL(mayLeaveReasons: true) { () throws(OpenSSLError) in
            try reseedInAnotherProcess()
            try expectOne(generate(bytes, CInt(byteCount)), calling: function)
        }
    }

    /// The mark of the process whose generators have been reseeded.
    private static let seededMark = Atomic<UInt64>(0)

    private static func reseedInAnotherProcess() throws(OpenSSLError) {
        let mark = ForkMark.isAbsent ? nil : ForkMark.current
        if let mark, mark == seededMark.load(ordering: .acquiring) { return }
        // Where nothing tells, each time. The generators of all threads follow this one (`EVP_RAND(7)`). `RAND_poll(3)` does
        // nothing before 3.0.10, and never tells of a failure.
        guard let primary = RAND_get0_primary(nil) else { throw OpenSSLError(function: "RAND_get0_primary") }
        try expectOne(EVP_RAND_reseed(primary, 0, nil, 0, nil, 0), calling: "EVP_RAND_reseed")
        if let mark { seededMark.store(mark, ordering: .releasing) }
    }
}
