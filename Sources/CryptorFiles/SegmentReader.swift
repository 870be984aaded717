import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// Reads segments of a verified message once more: compares each with its digest, and decrypts what was asked for.
/// Setting it up takes about 1 µs of the 20 that a segment of 64 KiB takes.
struct SegmentReader: ~Copyable, Sendable {
    private let message: VerifiedMessage
    private let digests: SegmentDigests
    private var authenticator: GMACAuthenticator
    /// Set up at the first block that is asked for. It then goes on through the segments that follow.
    private var cipher: Optional<MessageCipher>
    /// The index of the segment that `process` gets next.
    private var nextIndex = 0

    init(_ message: VerifiedMessage, _ digests: SegmentDigests) throws(CryptorError) {
        self.authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: digests.key) }
        self.message = message
        self.digests = digests
        cipher = nil
    }

    /// Where a segment lies in the ciphertext.
    func range(ofSegment index: Int) -> Range<Int> {
        let start = index * digests.segmentByteCount
        return start..<min(start + digests.segmentByteCount, message.ciphertextByteCount)
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
        let segment = self.range(ofSegment: index)
        guard ciphertext.byteCount == FormatSize.block + segment.count, try matches(ciphertext, at: index) else {
            return false
        }
        let wanted = range.clamped(to: segment)
        let offsets = wanted.lowerBound - segment.lowerBound..<wanted.upperBound - segment.lowerBound
        try decrypt(offsets, of: ciphertext, segment.lowerBound, into: &output)
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
        return withRawSpan(of: digests.bytes) { bytes in
            digest.withRawSpan { digest in
                constantTimeEqual(digest, bytes.extracting(start..<start + digest.byteCount))
            }
        }
    }

    /// - Parameters:
    ///   - range: offsets into the segment.
    ///   - ciphertext: the 16 bytes before the segment, and the segment.
    ///   - start: the offset of the segment in the ciphertext.
    @_lifetime(output: copy output)
    private mutating func decrypt(
        _ range: Range<Int>, of ciphertext: RawSpan, _ start: Int, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        let block = FormatSize.block
        let segment = ciphertext.extracting(droppingFirst: block)
        var offset = range.lowerBound
        if cipher == nil {
            let first = offset / block * block
            let previousBlock = Array(copying: ciphertext.extracting(first..<first + block))
            let header = message.header.beginning(atBlock: (start + first) / block, after: previousBlock)
            cipher = try MessageCipher.make(.decrypt, for: header, keys: message.keys)
        }
        while offset < range.upperBound {
            let whole = offset..<max(offset, range.upperBound / block * block)
            if offset.isMultiple(of: block), !whole.isEmpty {
                try decipher(segment.extracting(whole), into: &output)
                offset = whole.upperBound
            } else {
                // The range covers only part of this block. Only version 0 has a shorter last block.
                let first = offset / block * block
                let padded = segment.extracting(first..<min(first + block, segment.byteCount))
                let end = min(first + block, range.upperBound)
                let plaintext = try SecretBytes(count: padded.byteCount) { (output) throws(CryptorError) in
                    try decipher(padded, into: &output)
                }
                plaintext.withRawSpan { plaintext in
                    plaintext.extracting(offset - first..<end - first).append(to: &output)
                }
                offset = end
            }
        }
    }

    @_lifetime(output: copy output)
    private mutating func decipher(_ blocks: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in try cipher?.update(blocks, into: &output) }
    }
}

extension SegmentReader {
    /// Writes the plaintext of the next segment, whose ciphertext follows the 16 bytes before it.
    mutating func process(_ chunk: inout MessageChunk) throws(CryptorError) {
        let (ciphertext, range) = (chunk.input, range(ofSegment: nextIndex))
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
                "It was changed while it was being decrypted, after it had been verified. What came out before that is "
                    + "authentic, and incomplete.")
            error.fileOperation = .readingInput
            throw error
        }
        nextIndex += 1
    }
}
