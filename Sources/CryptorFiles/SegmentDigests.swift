import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A digest of each segment of a ciphertext.
///
/// The digest is GMAC under a random key, which is made for one reading of one message and never
/// leaves this object. An attacker who changes the file learns only whether the change was noticed.
/// The digest also covers the 16 bytes before its segment, which the decryption of the first block
/// needs. Its nonce is the number of the segment. Each attempt goes unnoticed with a probability of
/// at most 2^-128 for each block of 16 bytes (NIST SP 800-38D, appendix C). 64 KiB, the 16 bytes
/// before, and the lengths are 4,098 blocks, which makes about 2^-116; for 128 KiB it is 2^-115.
struct SegmentDigests: Sendable {
    /// The length of a segment. The last one may be shorter.
    let segmentByteCount: Int
    private let key: SecretBytes
    /// 16 bytes for each segment.
    private var digests: [UInt8] = []
    /// The 16 bytes before the next ciphertext.
    private var previousBlock: [UInt8]

    /// Draws a fresh key.
    init(_ header: MessageHeader, segmentByteCount: Int) throws(CryptorError) {
        self.segmentByteCount = segmentByteCount
        key = try openSSL { () throws(OpenSSLError) in
            try RandomBytes.secret(count: GMACAuthenticator.keyByteCount)
        }
        previousBlock = header.iv
    }

    /// Adds ciphertext: whole segments, except at the end.
    mutating func add(_ ciphertext: [UInt8]) throws(CryptorError) {
        for start in stride(from: 0, to: ciphertext.count, by: segmentByteCount) {
            let end = min(start + segmentByteCount, ciphertext.count)
            let digest = try digest(
                ofSegment: digests.count / GMACAuthenticator.tagByteCount,
                ciphertext.rawSpan(start..<end),
                after: previousBlock.rawSpan(0..<FormatSize.block))
            digest.withRawSpan { digest in digests.append(contentsOf: digest) }
            previousBlock = Array(ciphertext[..<end].suffix(FormatSize.block))
        }
    }

    /// Whether `ciphertext`, the 16 bytes before a segment and the segment, equals the bytes that
    /// were added.
    func match(_ ciphertext: [UInt8], ofSegment index: Int) throws(CryptorError) -> Bool {
        let block = FormatSize.block
        let digest = try digest(
            ofSegment: index, ciphertext.rawSpan(block..<ciphertext.count),
            after: ciphertext.rawSpan(0..<block))
        let start = index * GMACAuthenticator.tagByteCount
        return digest.withRawSpan {
            constantTimeEqual($0, digests.rawSpan(start..<start + $0.byteCount))
        }
    }

    private func digest(
        ofSegment index: Int, _ ciphertext: RawSpan, after previousBlock: RawSpan
    ) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            var authenticator = try GMACAuthenticator(key: key)
            return try authenticator.tag(UInt64(index), of: previousBlock, ciphertext)
        }
    }
}
