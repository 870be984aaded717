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
    fileprivate(set) var bytes: [UInt8] = []

    /// Draws a fresh key.
    init(segmentByteCount: Int) throws(CryptorError) {
        precondition(segmentByteCount.isMultiple(of: FormatSize.block))
        self.segmentByteCount = segmentByteCount
        key = try openSSL { () throws(OpenSSLError) in
            try RandomBytes.secret(count: GMACAuthenticator.keyByteCount)
        }
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
        let digests = try SegmentDigests(segmentByteCount: segmentByteCount)
        authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: digests.key) }
        self.digests = digests
        previousBlock = header.iv
    }

    /// Adds ciphertext, in whole blocks except at the end.
    mutating func add(_ ciphertext: [UInt8]) throws(CryptorError) {
        try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
            var offset = 0
            while offset < ciphertext.byteCount {
                let (index, used) = ciphertextByteCount.quotientAndRemainder(dividingBy: digests.segmentByteCount)
                let missing = digests.segmentByteCount - used
                let piece = ciphertext.extracting(offset..<min(offset + missing, ciphertext.byteCount))
                try openSSL { () throws(OpenSSLError) in
                    if used == 0 {
                        try authenticator.begin(UInt64(index))
                        try withRawSpan(of: previousBlock) { (block) throws(OpenSSLError) in
                            try authenticator.update(block)
                        }
                    }
                    try authenticator.update(piece)
                }
                offset += piece.byteCount
                ciphertextByteCount += piece.byteCount
                if piece.byteCount == missing { try endSegment() }
                if piece.byteCount >= FormatSize.block {
                    previousBlock = Array(copying: piece.extracting(last: FormatSize.block))
                }
            }
        }
    }

    private mutating func endSegment() throws(CryptorError) {
        let digest = try openSSL { () throws(OpenSSLError) in try authenticator.finish() }
        digest.withRawSpan { digest in digests.bytes.append(contentsOf: digest) }
    }

    /// Returns the digests, including that of an incomplete last segment.
    mutating func finish() throws(CryptorError) -> SegmentDigests {
        if !ciphertextByteCount.isMultiple(of: digests.segmentByteCount) { try endSegment() }
        return digests
    }
}

/// A message that was verified, with the digests that tell whether what is read again is the same.
struct SegmentedMessage: Sendable {
    let message: VerifiedMessage
    let digests: SegmentDigests

    /// Where a segment lies in the ciphertext.
    func range(ofSegment index: Int) -> Range<Int> {
        let start = index * digests.segmentByteCount
        return start..<min(start + digests.segmentByteCount, message.ciphertextByteCount)
    }

    /// The segments that a range of the ciphertext touches.
    func segments(of range: Range<Int>) -> Range<Int> {
        let size = digests.segmentByteCount
        return range.lowerBound / size..<(range.upperBound + size - 1) / size
    }
}

/// Reads segments of a verified message once more: compares each with its digest, and decrypts what was asked for.
/// Setting it up takes about 1 µs of the 20 that a segment of 64 KiB takes.
struct SegmentReader: ~Copyable, Sendable {
    private let segmented: SegmentedMessage
    private var authenticator: GMACAuthenticator
    /// Set up at the first block that is asked for. It then goes on through the segments that follow.
    private var cipher: Optional<MessageCipher>
    private var nextIndex = 0

    init(_ segmented: SegmentedMessage) throws(CryptorError) {
        authenticator = try openSSL { () throws(OpenSSLError) in
            try GMACAuthenticator(key: segmented.digests.key)
        }
        self.segmented = segmented
        cipher = nil
    }

    /// Appends the plaintext of the part of `range` that is in this segment.
    /// - Parameters:
    ///   - range: offsets into the ciphertext.
    ///   - ciphertext: the 16 bytes before the segment, and the segment.
    /// - Returns: false, with nothing appended, if the segment is not the one that was verified.
    @_lifetime(output: copy output)
    mutating func append(
        _ range: Range<Int>, ofSegment index: Int, _ ciphertext: RawSpan, to output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        let (message, segment, block) = (segmented.message, segmented.range(ofSegment: index), FormatSize.block)
        guard ciphertext.byteCount == block + segment.count, try matches(ciphertext, at: index) else { return false }
        let wanted = range.clamped(to: segment)
        let (start, end) = (wanted.lowerBound - segment.lowerBound, wanted.upperBound - segment.lowerBound)
        // Only whole blocks can be decrypted, but for a shorter last one of version 0.
        let first = start / block * block
        let blocks = first..<min((end + block - 1) / block * block, segment.count)
        if cipher == nil {
            let header = message.header.beginning(
                atBlock: (segment.lowerBound + first) / block,
                after: Array(copying: ciphertext.extracting(first..<first + block)))
            cipher = try MessageCipher.make(.decrypt, for: header, keys: message.keys)
        }
        let input = ciphertext.extracting(droppingFirst: block).extracting(blocks)
        if blocks == start..<end {
            try openSSL { () throws(OpenSSLError) in try cipher?.update(input, into: &output) }
        } else {
            let plaintext = try SecretBytes(count: blocks.count) { (plaintext) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher?.update(input, into: &plaintext) }
            }
            plaintext.withRawSpan { $0.extracting(start - first..<end - first).append(to: &output) }
        }
        return true
    }

    /// Whether this is what the first pass read, compared in constant time.
    private mutating func matches(_ ciphertext: RawSpan, at index: Int) throws(CryptorError) -> Bool {
        let digest = try openSSL { () throws(OpenSSLError) in
            try authenticator.begin(UInt64(index))
            try authenticator.update(ciphertext)
            return try authenticator.finish()
        }
        let start = index * GMACAuthenticator.tagByteCount
        return withRawSpan(of: segmented.digests.bytes) { bytes in
            digest.withRawSpan { digest in
                constantTimeEqual(digest, bytes.extracting(start..<start + digest.byteCount))
            }
        }
    }

    /// For a chunk that holds the next segment after the 16 bytes before it: writes the plaintext of the segment.
    mutating func decryptNext(_ chunk: inout MessageChunk) throws(CryptorError) {
        let (ciphertext, range) = (chunk.input, segmented.range(ofSegment: nextIndex))
        chunk.output.removeAll(keepingCapacity: true)
        var isUnchanged = false
        try chunk.output.appendBytes(capacity: range.count) { (output) throws(CryptorError) in
            isUnchanged = try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
                try append(range, ofSegment: nextIndex, ciphertext, to: &output)
            }
        }
        guard isUnchanged else {
            var error = CryptorError(
                .authenticationFailed,
                "It was changed while it was being decrypted, after it had been verified. If plaintext came out before that, it "
                    + "is authentic and incomplete.")
            error.fileOperation = .readingInput
            throw error
        }
        nextIndex += 1
    }
}
