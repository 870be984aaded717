import CryptorPrimitives

/// The digests of a message's segments in a file of their own, so that a message is verified once, and not by every process.
///
/// | bytes | |
/// |---|---|
/// | 22 | `CryptorFormat index 1` and a newline |
/// | 32 | random |
/// | 32 | the key of the digests, under a mask |
/// | 32 | HMAC-SHA256 over what tells the message from every other, its length, its header and its end, and over these |
/// | 16 a segment | the digests |
/// | 32 | HMAC-SHA256 over the same, and over the digests |
///
/// The first of the two tells, before anything is read that takes memory, that the index is of this message. The mask, and the
/// keys of the two, are HMAC-SHA256 under the message's HMAC key over the first line, the name of their use and the random
/// bytes: 58 to 61 bytes, which begin with a letter. No message has a tag over such bytes. Those of versions 2 and 3 are
/// hashed from their version byte on, those of version 1 are whole blocks, and version 0 has another hash.
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
        guard let address = try endpoint.address() else { throw .indexWithoutName(endpoint.name) }
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: progress)
        guard let found = try address.status(attempt) else { return nil }
        // Nobody waits for the other end of a pipe.
        guard found.kind == .regular else { throw .noIndex(endpoint.name, isRegular: false) }
        let file = try InputFile(opening: endpoint, awaitingWriter: false, progress: progress)
        // What was opened may be another one.
        guard file.status.identity != message.status.identity else { throw .sameFile(endpoint.name) }
        guard file.status.kind == .regular, file.canBeReadTwice else {
            throw .noIndex(endpoint.name, isRegular: false)
        }
        var start: [UInt8] = []
        try file.append(mark.count, at: 0, to: &start)
        // One that was cut off is no loss.
        guard start[...] == mark.prefix(start.count) else { throw .noIndex(endpoint.name, isRegular: true) }
        return ExistingIndex(file)
    }

    // MARK: Reading

    /// What a verification would give, and nothing that one would not have given.
    /// - Returns: nil unless the index is there and is this message's, under one of these readings of the credential.
    func load(
        _ message: borrowing InputFile, _ header: Header, _ terms: ReadingTerms, keys: KeyPair?
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests)? {
        let segmentByteCount = VerifiedFile.segmentByteCount
        guard let ends = try MessageEnds(of: message, header), let start = try start() else { return nil }
        var candidates = keys.map { [$0] } ?? []
        if keys == nil {
            for source in try terms.candidates(for: header) { candidates.append(try source.keys()) }
        }
        for keys in candidates {
            guard try Self.isRight(start.tag, "start", ends, keys, start.salt, over: [start.bytes]) else { continue }
            // From here on nobody's numbers are taken but those of whoever had the keys.
            guard let (digests, tag) = try digests(segmentCount: ends.segmentCount(segmentByteCount)),
                try Self.isRight(tag, "digests", ends, keys, start.salt, over: [start.bytes, digests])
            else { return nil }
            let key = try withRawSpan(of: start.maskedKey) { (key) throws(CryptorError) in
                try Self.masked(key, keys, start.salt)
            }
            let known = SegmentDigests(segmentByteCount: segmentByteCount, key: key, bytes: digests)
            return (try ends.message(keys), known)
        }
        return nil
    }

    private static func isRight(
        _ tag: [UInt8], _ use: String, _ ends: MessageEnds, _ keys: KeyPair, _ salt: [UInt8], over parts: [[UInt8]]
    ) throws(CryptorError) -> Bool {
        var authenticator = try authenticator(use, ends, keys, salt, over: parts)
        return try openSSL { () throws(OpenSSLError) in
            try withRawSpan(of: tag) { (tag) throws(OpenSSLError) in try authenticator.finish(matching: tag) }
        }
    }

    /// What comes before the digests.
    private struct Start {
        let bytes: [UInt8]
        let tag: [UInt8]

        static let byteCount = mark.count + saltByteCount + GMACAuthenticator.keyByteCount
        var salt: [UInt8] { Array(bytes.dropFirst(mark.count).prefix(saltByteCount)) }
        var maskedKey: ArraySlice<UInt8> { bytes.suffix(GMACAuthenticator.keyByteCount) }
    }

    /// - Returns: nil if there is no index.
    private func start() throws(CryptorError) -> Start? {
        let start = Start(
            bytes: try read(Start.byteCount, at: 0), tag: try read(Self.tagByteCount, at: Start.byteCount))
        return start.bytes.count == Start.byteCount && start.tag.count == Self.tagByteCount ? start : nil
    }

    /// - Returns: nil if there are not so many.
    private func digests(segmentCount: Int) throws(CryptorError) -> (digests: [UInt8], tag: [UInt8])? {
        let startByteCount = Start.byteCount + Self.tagByteCount
        let (byteCount, overflows) = segmentCount.multipliedReportingOverflow(by: GMACAuthenticator.tagByteCount)
        guard !overflows, existing?.file.byteCount == startByteCount + byteCount + Self.tagByteCount else { return nil }
        let digests = try read(byteCount, at: startByteCount)
        let tag = try read(Self.tagByteCount, at: startByteCount + byteCount)
        return digests.count == byteCount ? (digests, tag) : nil
    }

    private func read(_ count: Int, at offset: Int) throws(CryptorError) -> [UInt8] {
        var bytes: [UInt8] = []
        try existing?.file.append(count, at: offset, to: &bytes)
        return bytes
    }

    // MARK: Writing

    /// Opens what is to be written, before the long work: whether it can be is known then.
    func openOutput(beside message: borrowing InputFile) throws(CryptorError) -> OutputFile {
        let terms = OutputFile.Terms(overwriting: false, replacingOnly: existing?.file.status, isFile: true)
        return try OutputFile.open(endpoint, terms, source: message, progress: progress)
    }

    /// Writes the digests of a message that was found authentic.
    /// - Parameter ends: of the bytes that the HMAC saw.
    func write(
        _ ends: MessageEnds, _ keys: KeyPair, _ digests: SegmentDigests, to output: consuming OutputFile
    ) throws(CryptorError) {
        let salt = try openSSL { () throws(OpenSSLError) in try RandomBytes.bytes(count: Self.saltByteCount) }
        let maskedKey = try digests.key.withRawSpan { (key) throws(CryptorError) in
            try Self.masked(key, keys, salt).withRawSpan { Array(copying: $0) }
        }
        let start = Self.mark + salt + maskedKey
        let startTag = try Self.tag("start", ends, keys, salt, over: [start])
        let tag = try Self.tag("digests", ends, keys, salt, over: [start, digests.bytes])
        for part in [start, startTag, digests.bytes, tag] { try output.write(part, progress) }
        do throws(CryptorError) { _ = try output.publish() } catch {
            // Somebody else has verified the message meanwhile, or saved another file. One that is there may be lost.
            guard error.isPublished || error.isOfTakenName else { throw error }
        }
    }

    private static func tag(
        _ use: String, _ ends: MessageEnds, _ keys: KeyPair, _ salt: [UInt8], over parts: [[UInt8]]
    ) throws(CryptorError) -> [UInt8] {
        var authenticator = try authenticator(use, ends, keys, salt, over: parts)
        return try openSSL { () throws(OpenSSLError) in
            try Array(byteCapacity: tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
    }

    // MARK: Keys

    /// An HMAC that has seen what tells the message from every other, and these.
    private static func authenticator(
        _ use: String, _ ends: MessageEnds, _ keys: KeyPair, _ salt: [UInt8], over parts: [[UInt8]]
    ) throws(CryptorError) -> HMACAuthenticator {
        let key = try derived(use, keys, salt)
        return try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: key)
            try authenticator.update(ends.bytes)
            for part in parts { try authenticator.update(part) }
            return authenticator
        }
    }

    private static func derived(_ use: String, _ keys: KeyPair, _ salt: [UInt8]) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: keys.hmacKey)
            try authenticator.update(mark + Array(use.utf8) + salt)
            return try SecretBytes(count: tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
    }

    /// Puts the mask on a key, or takes it away.
    private static func masked(_ key: RawSpan, _ keys: KeyPair, _ salt: [UInt8]) throws(CryptorError) -> SecretBytes {
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
        ciphertextByteCount / segmentByteCount + (ciphertextByteCount % segmentByteCount == 0 ? 0 : 1)
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

extension CryptorError {
    /// Whether the name of an output is somebody else's by now.
    var isOfTakenName: Bool { isOfAnotherFile || code == .destinationExists }
}
