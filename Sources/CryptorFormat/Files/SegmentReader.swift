import CryptorPrimitives

/// A message file that was verified, with what it takes to read any part of it again.
struct OpenedMessage {
    let message: VerifiedMessage
    let digests: SegmentDigests
    /// Whether an index vouched for it.
    let isKnownByIndex: Bool
    let file: Moved<InputFile>
}

/// Reads consecutive segments of an ``OpenedMessage``, compares each with its digest, and decrypts what was asked for.
/// Setting up a reader takes about 1 µs of the 20 that a segment takes.
struct SegmentReader: ~Copyable {
    private let message: VerifiedMessage
    private let segmentByteCount: Int
    private var checker: DigestChecker
    /// Set up at the first block that is asked for. It then goes on through the segments that follow.
    private var cipher: Optional<MessageCipher>
    /// The 16 bytes before the segment, and the segment.
    private var ciphertext: [UInt8]

    init(_ message: VerifiedMessage, _ digests: SegmentDigests) throws(CryptorError) {
        self.checker = try DigestChecker(digests)
        self.message = message
        self.segmentByteCount = digests.segmentByteCount
        cipher = nil
        ciphertext = []
    }

    /// Appends the plaintext of the part of `range` that is in this segment. The range counts from the start of the
    /// ciphertext.
    /// - Returns: false, with nothing appended, if the segment is not the one that was verified.
    mutating func append(
        _ range: Range<Int>, ofSegment index: Int, from file: borrowing InputFile, to output: inout OutputRawSpan
    ) throws(CryptorError) -> Bool {
        let start = index * segmentByteCount
        let count = min(segmentByteCount, message.ciphertextByteCount - start)
        ciphertext.removeAll(keepingCapacity: true)
        // The 16 bytes before a segment are the last block of the one before it, or the IV, which ends the header.
        try file.append(
            FormatSize.block + count, at: message.header.byteCount - FormatSize.block + start, to: &ciphertext)
        guard ciphertext.count == FormatSize.block + count else { return false }
        let wanted = range.clamped(to: start..<start + count)
        return try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
            let segment = ciphertext.extracting(droppingFirst: FormatSize.block)
            guard
                try checker.matches(segment, after: ciphertext.extracting(first: FormatSize.block), at: index)
            else { return false }
            try decrypt(wanted.lowerBound - start..<wanted.upperBound - start, of: ciphertext, start, into: &output)
            return true
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
            cipher = try MessageCipher.make(.decrypt, message.keys, header)
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
