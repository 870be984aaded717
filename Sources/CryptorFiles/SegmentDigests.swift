import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// How many bytes of ciphertext are a segment, which has one digest.
enum SegmentByteCount {
    /// Where any part can be read: all of a segment is read for each byte of it.
    static let forRandomAccess = 64 * 1024
    /// Where all is read once more: each segment is held until it has been checked, by a second thread.
    static let forSecondPass = 256 * 1024
}

/// A keyed digest of each segment of a ciphertext, made from the bytes that the HMAC saw. Segments that are read again
/// are compared with their digests before anybody uses them. A digest takes 16 bytes of memory.
///
/// The digest is GMAC under a random key, which is made for one reading of one message and never leaves this
/// object. An attacker who changes the file learns only whether the change was noticed. Each
/// attempt goes unnoticed with a probability of at most 2^-128 for each 16 bytes of a segment, 2^-115 for 64 KiB (NIST
/// SP 800-38D, appendix C). The digest also covers the 16 bytes before its segment, which the decryption of the first
/// block needs. Its nonce is the number of the segment.
struct SegmentDigests: Sendable {
    /// The length of a segment in bytes, a number of whole blocks. The last segment may be shorter.
    let segmentByteCount: Int
    let key: SecretBytes
    fileprivate(set) var bytes: [UInt8]

    init(segmentByteCount: Int, key: SecretBytes, bytes: [UInt8]) {
        precondition(segmentByteCount.isMultiple(of: FormatSize.block))
        self.segmentByteCount = segmentByteCount
        self.key = key
        self.bytes = bytes
    }
}

/// Computes the digests in a first pass.
struct SegmentDigester: ~Copyable {
    private var digests: SegmentDigests
    private var authenticator: GMACAuthenticator
    private var ciphertextByteCount = 0
    /// The 16 bytes before the next ciphertext.
    private var previousBlock: [UInt8]

    init(_ header: Header, segmentByteCount: Int) throws(CryptorError) {
        let key = try openSSL { () throws(OpenSSLError) in
            try RandomBytes.secret(count: GMACAuthenticator.keyByteCount)
        }
        let authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: key) }
        self.digests = SegmentDigests(segmentByteCount: segmentByteCount, key: key, bytes: [])
        self.authenticator = authenticator
        self.previousBlock = header.iv
    }

    /// Adds ciphertext, in whole blocks except at the end.
    mutating func add(_ ciphertext: [UInt8]) throws(CryptorError) {
        try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
            var offset = 0
            while offset < ciphertext.byteCount {
                let missing = digests.segmentByteCount - ciphertextByteCount % digests.segmentByteCount
                let piece = ciphertext.extracting(offset..<min(offset + missing, ciphertext.byteCount))
                if missing == digests.segmentByteCount { try begin() }
                try openSSL { () throws(OpenSSLError) in try authenticator.update(piece) }
                offset += piece.byteCount
                ciphertextByteCount += piece.byteCount
                if piece.byteCount >= FormatSize.block {
                    previousBlock = Array(copying: piece.extracting(last: FormatSize.block))
                }
                if piece.byteCount == missing { try note() }
            }
        }
    }

    private mutating func begin() throws(CryptorError) {
        let index = UInt64(ciphertextByteCount / digests.segmentByteCount)
        try openSSL { () throws(OpenSSLError) in
            try authenticator.begin(index)
            try withRawSpan(of: previousBlock) { (block) throws(OpenSSLError) in try authenticator.update(block) }
        }
    }

    private mutating func note() throws(CryptorError) {
        let digest = try openSSL { () throws(OpenSSLError) in try authenticator.finish() }
        digest.withRawSpan { digest in digests.bytes.append(contentsOf: digest) }
    }

    /// Returns the digests, including that of an incomplete last segment.
    mutating func finish() throws(CryptorError) -> SegmentDigests {
        if !ciphertextByteCount.isMultiple(of: digests.segmentByteCount) { try note() }
        return digests
    }
}
