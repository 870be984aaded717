import CryptorPrimitives

/// A keyed digest of each segment of a ciphertext, made from the bytes that the HMAC saw: what is read again later is
/// compared with it before anybody uses it. 16 bytes of memory a segment.
///
/// The digest is GMAC under a random key that is made for one reading of one message and leaves this object under a mask only
/// (``SegmentIndex``). Whoever changes the file learns only whether that was noticed, and each attempt goes unnoticed with a
/// probability of at most 2^-128 for each 16 bytes of a segment, 2^-115 for 64 KiB (NIST SP 800-38D, appendix C). It covers the 16 bytes
/// before its segment too, with which the first block is decrypted. Its nonce is the number of the segment.
struct SegmentDigests: Sendable {
    /// Ciphertext bytes, whole blocks; the last segment may be shorter.
    let segmentByteCount: Int
    let key: SecretBytes
    fileprivate(set) var bytes: [UInt8]
    /// Of what was digested, or the IV.
    fileprivate(set) var lastBlock: [UInt8] = []

    init(segmentByteCount: Int, key: SecretBytes, bytes: [UInt8]) {
        precondition(segmentByteCount.isMultiple(of: FormatSize.block))
        self.segmentByteCount = segmentByteCount
        self.key = key
        self.bytes = bytes
    }
}

/// Notes the digests in a first pass.
struct SegmentDigester: ~Copyable {
    private var digests: SegmentDigests
    private var authenticator: GMACAuthenticator
    private var ciphertextByteCount = 0
    /// The 16 bytes before what comes next.
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

    /// Adds ciphertext, in whole blocks but for the end.
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

    /// The digests, of the last segment too.
    mutating func finish() throws(CryptorError) -> SegmentDigests {
        if !ciphertextByteCount.isMultiple(of: digests.segmentByteCount) { try note() }
        digests.lastBlock = previousBlock
        return digests
    }
}

/// Compares with the digests what is read again.
struct DigestChecker: ~Copyable, Sendable {
    private let digests: SegmentDigests
    private var authenticator: GMACAuthenticator

    init(_ digests: SegmentDigests) throws(CryptorError) {
        self.authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: digests.key) }
        self.digests = digests
    }

    /// Whether this is what the first pass read, compared in constant time.
    /// - Parameter previousBlock: the 16 bytes before the segment.
    mutating func matches(
        _ segment: RawSpan, after previousBlock: RawSpan, at index: Int
    ) throws(CryptorError) -> Bool {
        let digest = try openSSL { () throws(OpenSSLError) in
            try authenticator.begin(UInt64(index))
            try authenticator.update(previousBlock)
            try authenticator.update(segment)
            return try authenticator.finish()
        }
        let start = index * GMACAuthenticator.tagByteCount
        return withRawSpan(of: digests.bytes) { bytes in
            digest.withRawSpan { digest in
                constantTimeEqual(digest, bytes.extracting(start..<start + digest.byteCount))
            }
        }
    }
}
