import COpenSSL

/// The random blocks that the IVs of one context are made of, drawn many at a time: OpenSSL's generator takes about as long
/// for one as for ten, and has locks that all threads share.
///
/// A block leaves the supply once, and none survives a fork. Where a fork could not be noticed, each is drawn by itself.
struct IVSupply: ~Copyable {
    private static let ivByteCount = AESCipher.blockByteCount
    private static let byteCount = 32 * ivByteCount

    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
    private var usedByteCount = byteCount
    private var mark: UInt64?
    private let hasMark = !ForkMark.isAbsent

    deinit {
        OPENSSL_cleanse(bytes, Self.byteCount)
        bytes.deallocate()
    }

    /// Writes 16 bytes.
    mutating func next(into iv: UnsafeMutablePointer<UInt8>) throws(OpenSSLError) {
        guard hasMark, let current = ForkMark.current else {
            return try RandomBytes.draw(Self.ivByteCount, into: iv)
        }
        if mark != current || usedByteCount == Self.byteCount {
            // Nothing of a call that failed may be used, nor what was there before.
            usedByteCount = Self.byteCount
            try RandomBytes.draw(Self.byteCount, into: bytes)
            usedByteCount = 0
            mark = current
        }
        iv.update(from: bytes + usedByteCount, count: Self.ivByteCount)
        usedByteCount += Self.ivByteCount
    }
}
