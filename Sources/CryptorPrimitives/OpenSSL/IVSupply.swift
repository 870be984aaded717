import COpenSSL
import CryptorSystem

/// The random blocks that the IVs of one engine are made of. They are drawn many at a time, since
/// OpenSSL's generator takes about as long for one as for ten, and has locks that all threads
/// share.
///
/// The supply hands out each block once, and no block survives a fork. Where a fork would not be
/// noticed, each block is drawn by itself.
struct IVSupply: ~Copyable {
    private static let ivByteCount = AESCipher.blockByteCount
    private static let byteCount = 32 * ivByteCount

    /// Nil until the first block is drawn.
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var usedByteCount = byteCount
    private var mark: UInt64?

    deinit {
        guard let bytes else { return }
        OPENSSL_cleanse(bytes, Self.byteCount)
        bytes.deallocate()
    }

    /// - Returns: 16 bytes, which are valid until the next call.
    @inline(__always)
    mutating func next() throws(OpenSSLError) -> UnsafeRawBufferPointer {
        let current = ForkMark.current
        if current == nil || current != mark || usedByteCount == Self.byteCount {
            try draw(current)
        }
        defer { usedByteCount += Self.ivByteCount }
        return UnsafeRawBufferPointer(
            start: bytes?.advanced(by: usedByteCount), count: Self.ivByteCount)
    }

    private mutating func draw(_ current: UInt64?) throws(OpenSSLError) {
        let start = bytes ?? .allocate(capacity: Self.byteCount)
        bytes = start
        // If the call fails, neither its bytes nor the earlier ones may be used.
        usedByteCount = Self.byteCount
        let count = current == nil ? Self.ivByteCount : Self.byteCount
        try keepingReasons { () throws(OpenSSLError) in
            try RandomBytes.fill(start + (Self.byteCount - count), count)
        }
        usedByteCount -= count
        mark = current
    }
}
