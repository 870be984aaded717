import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A message file that was verified, with a keyed digest of each segment of its ciphertext, made from the bytes that the
/// HMAC saw. Segments that are read again are compared with their digests before anybody uses them.
///
/// The digest is GMAC under a random key, which is made for one reading of one message and never leaves this
/// object. An attacker who changes the file learns only whether the change was noticed. Each
/// attempt goes unnoticed with a probability of at most 2^-128 for each 16 bytes of a segment, 2^-115 for 64 KiB (NIST
/// SP 800-38D, appendix C). The digest also covers the 16 bytes before its segment, which the decryption of the first
/// block needs. Its nonce is the number of the segment.
struct VerifiedContents: ~Copyable, Sendable {
    let name: FileName
    let message: VerifiedMessage
    /// The length of a segment. The last one may be shorter.
    let segmentByteCount: Int
    fileprivate let key: SecretBytes
    /// 16 bytes for each segment.
    fileprivate let digests: [UInt8]
    fileprivate let descriptor: FileDescriptor
    /// Where the message begins in the file.
    fileprivate let start: Int

    static var changed: CryptorError {
        var error = CryptorError(
            .authenticationFailed,
            "It was changed after it had been verified. What came out before that is authentic, and may be incomplete.")
        error.fileOperation = .readingInput
        return error
    }

    /// Appends a part of the plaintext, which must be within it.
    /// - Throws: ``changed`` if a segment is not the one that was verified. What was appended before is authentic.
    func append(_ range: Range<Int>, to output: inout OutputRawSpan) throws(CryptorError) {
        let deciphered = range.clamped(to: 0..<message.ciphertextByteCount)
        if !deciphered.isEmpty {
            var authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: key) }
            for index in deciphered.lowerBound / segmentByteCount...(deciphered.upperBound - 1) / segmentByteCount {
                let ciphertext = try ciphertext(ofSegment: index)
                try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
                    guard try isUnchanged(ciphertext, ofSegment: index, &authenticator) else { throw Self.changed }
                    try append(deciphered, ofSegment: index, ciphertext, to: &output)
                }
            }
        }
        // The last block was decrypted when its padding was checked.
        let rest = range.clamped(to: message.ciphertextByteCount..<message.plaintextByteCount)
        message.lastPlaintext.withRawSpan { last in
            let start = rest.lowerBound - message.ciphertextByteCount
            last.extracting(start..<start + rest.count).append(to: &output)
        }
    }

    /// Where a segment lies in the ciphertext.
    private func range(ofSegment index: Int) -> Range<Int> {
        let start = index * segmentByteCount
        return start..<min(start + segmentByteCount, message.ciphertextByteCount)
    }

    /// What is in the file now: the 16 bytes before the segment (the last block before it, or the IV, which ends the
    /// header) and the segment. Less at the end of the file.
    private func ciphertext(ofSegment index: Int) throws(CryptorError) -> [UInt8] {
        let (attempt, range) = (FileAttempt(.readingInput, name), range(ofSegment: index))
        let offset = start + message.header.byteCount - FormatSize.block + range.lowerBound
        let count = FormatSize.block + range.count
        return try Array(byteCapacity: count) { (output) throws(CryptorError) in
            while output.byteCount < count {
                let received = try attempt(
                    try descriptor.read(
                        upTo: count - output.byteCount, at: offset + output.byteCount, into: &output))
                guard received > 0 else { break }
            }
        }
    }

    private func isUnchanged(
        _ ciphertext: RawSpan, ofSegment index: Int, _ authenticator: inout GMACAuthenticator
    ) throws(CryptorError) -> Bool {
        guard ciphertext.byteCount == FormatSize.block + range(ofSegment: index).count else { return false }
        let digest = try authenticator.digest(
            ofSegment: index, ciphertext.extracting(droppingFirst: FormatSize.block),
            after: ciphertext.extracting(first: FormatSize.block))
        let start = index * GMACAuthenticator.tagByteCount
        return withRawSpan(of: digests) { digests in
            digest.withRawSpan { constantTimeEqual($0, digests.extracting(start..<start + $0.byteCount)) }
        }
    }

    /// Appends the plaintext of the part of `range` that is in this segment. To set up a cipher for it takes about 1 µs of
    /// the 20 that a segment of 64 KiB takes.
    @_lifetime(output: copy output)
    private func append(
        _ range: Range<Int>, ofSegment index: Int, _ ciphertext: RawSpan, to output: inout OutputRawSpan
    ) throws(CryptorError) {
        let (segment, block) = (self.range(ofSegment: index), FormatSize.block)
        let wanted = range.clamped(to: segment)
        let offsets = wanted.lowerBound - segment.lowerBound..<wanted.upperBound - segment.lowerBound
        // Only whole blocks can be decrypted, but for a shorter last one of version 0.
        let first = offsets.lowerBound / block * block
        let blocks = first..<min((offsets.upperBound + block - 1) / block * block, segment.count)
        let header = message.header.beginning(
            atBlock: (segment.lowerBound + first) / block,
            after: Array(copying: ciphertext.extracting(first..<first + block)))
        var cipher = try MessageCipher.make(.decrypt, for: header, keys: message.keys)
        let input = ciphertext.extracting(droppingFirst: block).extracting(blocks)
        if blocks == offsets {
            return try openSSL { () throws(OpenSSLError) in try cipher.update(input, into: &output) }
        }
        let plaintext = try SecretBytes(count: blocks.count) { (plaintext) throws(CryptorError) in
            try openSSL { () throws(OpenSSLError) in try cipher.update(input, into: &plaintext) }
        }
        plaintext.withRawSpan { plaintext in
            plaintext.extracting(droppingFirst: offsets.lowerBound - first).extracting(first: offsets.count)
                .append(to: &output)
        }
    }
}

extension GMACAuthenticator {
    /// The digest of a segment.
    /// - Parameter previousBlock: the 16 bytes before it.
    fileprivate mutating func digest(
        ofSegment index: Int, _ ciphertext: RawSpan, after previousBlock: RawSpan
    ) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            try begin(UInt64(index))
            try update(previousBlock)
            try update(ciphertext)
            return try finish()
        }
    }
}

/// Computes the digests in a first pass.
struct SegmentDigester: ~Copyable {
    private let segmentByteCount: Int
    private let key: SecretBytes
    private var authenticator: GMACAuthenticator
    private var digests: [UInt8] = []
    /// The 16 bytes before the next ciphertext.
    private var previousBlock: [UInt8]

    /// Draws a fresh key.
    static func begin(_ header: Header, segmentByteCount: Int) throws(CryptorError) -> SegmentDigester {
        let key = try openSSL { () throws(OpenSSLError) in
            try RandomBytes.secret(count: GMACAuthenticator.keyByteCount)
        }
        let authenticator = try openSSL { () throws(OpenSSLError) in try GMACAuthenticator(key: key) }
        return SegmentDigester(
            segmentByteCount: segmentByteCount, key: key, authenticator: authenticator, previousBlock: header.iv)
    }

    /// Adds ciphertext: whole segments, except at the end.
    mutating func add(_ ciphertext: [UInt8]) throws(CryptorError) {
        for start in stride(from: 0, to: ciphertext.count, by: segmentByteCount) {
            let segment = ciphertext[start..<min(start + segmentByteCount, ciphertext.count)]
            let index = digests.count / GMACAuthenticator.tagByteCount
            let digest = try withRawSpan(of: segment) { (segment) throws(CryptorError) in
                try withRawSpan(of: previousBlock) { (block) throws(CryptorError) in
                    try authenticator.digest(ofSegment: index, segment, after: block)
                }
            }
            digest.withRawSpan { digest in digests.append(contentsOf: digest) }
            previousBlock = Array(segment.suffix(FormatSize.block))
        }
    }

    /// - Parameters:
    ///   - message: the message whose ciphertext was added.
    ///   - descriptor: the file that has it, from `start` on.
    func finish(
        _ message: VerifiedMessage, named name: FileName, in descriptor: consuming FileDescriptor, from start: Int
    ) -> VerifiedContents {
        VerifiedContents(
            name: name, message: message, segmentByteCount: segmentByteCount, key: key, digests: digests,
            descriptor: descriptor, start: start)
    }
}
