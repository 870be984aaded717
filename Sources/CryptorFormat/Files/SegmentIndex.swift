import CryptorPrimitives

/// The digests of a message's segments in a file of their own, so that a message is verified once, and not by every process.
///
/// | bytes | |
/// |---|---|
/// | 22 | `CryptorFormat index 1` and a newline |
/// | 32 | random |
/// | 32 | the key of the digests, under a mask |
/// | 16 a segment | the digests |
/// | 32 | HMAC-SHA256 over these, and over what tells the message from every other: its length, its header, and its end |
///
/// The mask, and the key of this HMAC, are HMAC-SHA256 under the message's HMAC key over the name of their use and the random
/// bytes. No message of the format has a tag over these: none has so few bytes after its header, or has them begin so.
struct SegmentIndex {
    private static let mark = Array("CryptorFormat index 1\n".utf8)
    private static let saltByteCount = 32
    private static let tagByteCount = HMACAuthenticator.Hash.sha256.byteCount

    private let endpoint: FileEndpoint
    private let progress: ProgressReporter
    /// One that is there, and may be replaced.
    private let existing: ExistingIndex?

    /// Looks at what is where the index should be.
    /// - Throws: `destinationExists` if that is something else, `sameFile` if it is the message itself.
    init(
        at endpoint: FileEndpoint, of message: borrowing InputFile, _ progress: ProgressReporter
    ) throws(CryptorError) {
        guard message.byteCount != nil else { throw .hasNoIndex(message.name) }
        let existing = try Self.open(endpoint, beside: message, progress)
        self.endpoint = endpoint
        self.progress = progress
        self.existing = existing
    }

    private static func open(
        _ endpoint: FileEndpoint, beside message: borrowing InputFile, _ progress: ProgressReporter
    ) throws(CryptorError) -> ExistingIndex? {
        guard let path = try endpoint.filePath() else { throw .indexWithoutName(endpoint.name) }
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: progress)
        let status = try attempt.retrying { () throws(SystemError) in try FileSystem.status(of: path) }
        guard let status else { return nil }
        guard status.identity != message.status.identity else { throw .sameFile(endpoint.name) }
        guard status.kind == .regular else { throw .notRegular(endpoint.name) }
        let file = try InputFile(opening: endpoint, progress: progress)
        var start: [UInt8] = []
        try file.append(mark.count, at: 0, to: &start)
        // One that was cut off is no loss.
        guard start[...] == mark.prefix(start.count) else { throw .destinationExists(endpoint.name) }
        return ExistingIndex(file)
    }

    // MARK: Reading

    /// What a verification would give, and nothing that one would not have given.
    /// - Returns: nil unless the index is there and is this message's, under one of these readings of the credential.
    func load(
        _ message: borrowing InputFile, _ header: Header, _ terms: ReadingTerms, keys: KeyPair?, segmentByteCount: Int
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests)? {
        guard let ends = try MessageEnds(of: message, header),
            let content = try content(segmentCount: ends.segmentCount(segmentByteCount))
        else { return nil }
        var candidates = keys.map { [$0] } ?? []
        if keys == nil {
            for reading in terms.candidates(for: header) {
                candidates.append(try reading.keySource(for: header).keys())
            }
        }
        for keys in candidates {
            var authenticator = try Self.authenticator(ends, keys, content.salt)
            let isRight = try openSSL { () throws(OpenSSLError) in
                try authenticator.update(content.start)
                try authenticator.update(content.digests)
                return try withRawSpan(of: content.tag) { (tag) throws(OpenSSLError) in
                    try authenticator.finish(matching: tag)
                }
            }
            guard isRight else { continue }
            let key = try withRawSpan(of: content.maskedKey) { (key) throws(CryptorError) in
                try Self.masked(key, keys, content.salt)
            }
            let digests = SegmentDigests(segmentByteCount: segmentByteCount, key: key, bytes: content.digests)
            return (try ends.message(keys), digests)
        }
        return nil
    }

    private struct Content {
        let start: [UInt8]
        let digests: [UInt8]
        let tag: [UInt8]

        var salt: [UInt8] { Array(start.dropFirst(mark.count).prefix(saltByteCount)) }
        var maskedKey: ArraySlice<UInt8> { start.suffix(GMACAuthenticator.keyByteCount) }
    }

    /// - Returns: nil if there is no index of so many segments.
    private func content(segmentCount: Int) throws(CryptorError) -> Content? {
        let startByteCount = Self.mark.count + Self.saltByteCount + GMACAuthenticator.keyByteCount
        let digestByteCount = segmentCount * GMACAuthenticator.tagByteCount
        guard existing?.file.byteCount == startByteCount + digestByteCount + Self.tagByteCount else { return nil }
        return Content(
            start: try read(startByteCount, at: 0), digests: try read(digestByteCount, at: startByteCount),
            tag: try read(Self.tagByteCount, at: startByteCount + digestByteCount))
    }

    private func read(_ count: Int, at offset: Int) throws(CryptorError) -> [UInt8] {
        var bytes: [UInt8] = []
        try existing?.file.append(count, at: offset, to: &bytes)
        return bytes
    }

    // MARK: Writing

    /// Opens what is to be written, before the long work: whether it can be is known then.
    func openOutput(beside message: borrowing InputFile) throws(CryptorError) -> OutputFile {
        let terms = OutputFile.Terms(overwriting: existing != nil)
        return try OutputFile.open(endpoint, terms, source: message, progress: progress)
    }

    /// Writes the digests of a message that was found authentic.
    /// - Parameter ends: of the bytes that the HMAC saw.
    func write(
        _ ends: MessageEnds, _ keys: KeyPair, _ digests: SegmentDigests, to output: consuming OutputFile
    ) throws(CryptorError) {
        let salt: [UInt8]
        do throws(OpenSSLError) { salt = try RandomBytes.bytes(count: Self.saltByteCount) } catch {
            throw .randomnessUnavailable(error)
        }
        let maskedKey = try digests.key.withRawSpan { (key) throws(CryptorError) in
            try Self.masked(key, keys, salt).withRawSpan { Array(copying: $0) }
        }
        let start = Self.mark + salt + maskedKey
        var authenticator = try Self.authenticator(ends, keys, salt)
        let tag = try openSSL { () throws(OpenSSLError) in
            try authenticator.update(start)
            try authenticator.update(digests.bytes)
            return try Array(byteCapacity: Self.tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
        for part in [start, digests.bytes, tag] { try output.write(part, progress) }
        do throws(CryptorError) { _ = try output.publish() } catch {
            // Somebody else has verified the message meanwhile.
            guard error.code == .destinationExists else { throw error }
        }
    }

    // MARK: Keys

    /// An HMAC that has seen what tells the message from every other.
    private static func authenticator(
        _ ends: MessageEnds, _ keys: KeyPair, _ salt: [UInt8]
    ) throws(CryptorError) -> HMACAuthenticator {
        let key = try derived("authentication", keys, salt)
        return try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: key)
            try authenticator.update(ends.bytes)
            return authenticator
        }
    }

    private static func derived(
        _ use: String, _ keys: KeyPair, _ salt: [UInt8]
    ) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: keys.hmacKey)
            try authenticator.update(mark + Array(use.utf8) + salt)
            return try SecretBytes(count: tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
    }

    /// Puts the mask on a key, or takes it away.
    private static func masked(
        _ key: RawSpan, _ keys: KeyPair, _ salt: [UInt8]
    ) throws(CryptorError) -> SecretBytes {
        try derived("mask", keys, salt).withRawSpan { mask in
            SecretBytes(count: key.byteCount) { output in
                for offset in key.byteOffsets { output.append(key.byte(at: offset) ^ mask.byte(at: offset)) }
            }
        }
    }
}

private final class ExistingIndex {
    let file: InputFile

    init(_ file: consuming InputFile) { self.file = file }
}

/// What tells a message from every other under its keys: its length, its header, and its end, with the tag.
struct MessageEnds {
    private let header: Header
    private let ciphertextByteCount: Int
    /// The block before the last, or the IV; the last block, where there are blocks; the tag.
    private let end: [UInt8]

    /// - Parameters:
    ///   - ciphertextByteCount: without the last block.
    ///   - lastBlock: of that; the IV if there is none.
    ///   - tail: what follows it.
    init(_ header: Header, ciphertextByteCount: Int, lastBlock: [UInt8], tail: [UInt8]) {
        self.header = header
        self.ciphertextByteCount = ciphertextByteCount
        end = (Self.hasBlocks(header) ? lastBlock : []) + tail
    }

    /// Of a message as it is now, of which nothing but the header has been read.
    /// - Returns: nil if it has become shorter.
    init?(of message: borrowing InputFile, _ header: Header) throws(CryptorError) {
        guard let byteCount = message.byteCount else { return nil }
        let tailByteCount = header.version.rules.tailByteCount
        let endByteCount = (Self.hasBlocks(header) ? FormatSize.block : 0) + tailByteCount
        var end: [UInt8] = []
        try message.append(endByteCount, at: byteCount - endByteCount, to: &end)
        guard end.count == endByteCount else { return nil }
        self.header = header
        self.ciphertextByteCount = byteCount - header.byteCount - tailByteCount
        self.end = end
    }

    private static func hasBlocks(_ header: Header) -> Bool { header.version.rules.tailByteCount > FormatSize.tag }

    var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: ciphertextByteCount >> (8 * $0)) } + header.bytes + end
    }

    func segmentCount(_ segmentByteCount: Int) -> Int {
        (ciphertextByteCount + segmentByteCount - 1) / segmentByteCount
    }

    /// Of what was authenticated.
    func message(_ keys: KeyPair) throws(CryptorError) -> VerifiedMessage {
        try withRawSpan(of: end.dropLast(FormatSize.tag)) { (blocks) throws(CryptorError) in
            let block = Self.hasBlocks(header) ? FormatSize.block : 0
            return try VerifiedMessage(
                header, keys, ciphertextByteCount: ciphertextByteCount, last: blocks.extracting(droppingFirst: block),
                after: Array(copying: blocks.extracting(first: block)))
        }
    }
}
