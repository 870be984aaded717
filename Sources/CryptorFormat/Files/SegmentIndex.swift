import CryptorPrimitives

/// The digests of a message's segments in a file of their own, so that a message is verified only once, not by every
/// process.
///
/// | bytes | |
/// |---|---|
/// | 22 | `CryptorFormat index 1` and a newline |
/// | 32 | random |
/// | 32 | the key of the digests, under a mask |
/// | 32 | HMAC-SHA256 over the ends of the message (``MessageEnds``) and the bytes above |
/// | 16 a segment | the digests |
/// | 32 | HMAC-SHA256 over the same and the digests |
///
/// The first HMAC shows that the index belongs to this message before anything is read that takes memory. The mask and
/// the keys of the two HMACs are HMAC-SHA256 under the message's HMAC key over the first line, the name of their use
/// and the random bytes: 58 to 61 bytes, which begin with a letter. No message has a tag over such bytes: messages of
/// versions 2 and 3 are hashed from their version byte on, those of version 1 in whole blocks, and version 0 uses
/// another hash.
struct SegmentIndex {
    fileprivate static let mark = Array("CryptorFormat index 1\n".utf8)
    private static let saltByteCount = 32
    fileprivate static let tagByteCount = HMACAuthenticator.Hash.sha256.byteCount

    private let endpoint: FileEndpoint
    private let progress: ProgressReporter
    /// The index that exists already, if there is one. It may be replaced.
    private let existing: ExistingIndex?

    /// Opens the index, if it exists.
    /// - Throws: `sameFile` if the path leads to the message; if it leads to anything else that is no index,
    ///   `destinationExists` for a regular file and `inputOutput` for others.
    init(
        at endpoint: FileEndpoint, of message: borrowing InputFile, _ progress: ProgressReporter
    ) throws(CryptorError) {
        guard message.byteCount != nil else { throw .cannotHaveIndex(message.name) }
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
        // Opening a FIFO might wait for its other end, so it is refused unopened.
        guard found.kind == .regular else { throw .notAnIndex(endpoint.name, isRegular: false) }
        let file = try InputFile(opening: endpoint, awaitingWriter: false, progress: progress)
        // Another file may have taken the name since.
        guard file.status.identity != message.status.identity else { throw .sameFile(endpoint.name) }
        guard file.status.kind == .regular, file.canBeReadTwice else {
            throw .notAnIndex(endpoint.name, isRegular: false)
        }
        var start: [UInt8] = []
        try file.append(mark.count, at: 0, to: &start)
        // An empty file or a truncated index may be replaced: nothing is lost with it.
        guard start[...] == mark.prefix(start.count) else { throw .notAnIndex(endpoint.name, isRegular: true) }
        return ExistingIndex(file)
    }

    // MARK: Reading

    /// Stands in for a verification: whatever this returns, a verification would have returned.
    /// - Returns: nil unless there is an index, and it is this message's under one of the readings of the credential.
    func load(
        for message: borrowing InputFile, _ header: Header, _ terms: ReadingTerms, keys: KeyPair?
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests)? {
        let segmentByteCount = VerifiedFile.segmentByteCount
        guard let ends = try MessageEnds(of: message, header), let start = try start() else { return nil }
        var candidates = keys.map { [$0] } ?? []
        if keys == nil {
            for source in try terms.candidates(for: header) { candidates.append(try source.keys()) }
        }
        for keys in candidates {
            let own = IndexKeys(keys, salt: start.salt)
            guard try own.matches(start.tag, for: .start, over: [ends.bytes, start.bytes]) else { continue }
            // The lengths are authentic from here on: only someone with the keys can have written the index.
            guard let (digests, tag) = try digests(segmentCount: ends.segmentCount(segmentByteCount)),
                try own.matches(tag, for: .digests, over: [ends.bytes, start.bytes, digests])
            else { return nil }
            let key = try withRawSpan(of: start.maskedKey) { (key) throws(CryptorError) in try own.masked(key) }
            let known = SegmentDigests(segmentByteCount: segmentByteCount, key: key, bytes: digests)
            return (try ends.message(keys), known)
        }
        return nil
    }

    /// The part of the index before the digests.
    private struct Start {
        let bytes: [UInt8]
        let tag: [UInt8]

        static let byteCount = mark.count + saltByteCount + GMACAuthenticator.keyByteCount
        var salt: [UInt8] { Array(bytes.dropFirst(mark.count).prefix(saltByteCount)) }
        var maskedKey: ArraySlice<UInt8> { bytes.suffix(GMACAuthenticator.keyByteCount) }
    }

    /// - Returns: nil if there is no index or it is too short.
    private func start() throws(CryptorError) -> Start? {
        let start = Start(
            bytes: try read(Start.byteCount, at: 0), tag: try read(Self.tagByteCount, at: Start.byteCount))
        return start.bytes.count == Start.byteCount && start.tag.count == Self.tagByteCount ? start : nil
    }

    /// - Returns: nil if the index has more or fewer digests.
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

    /// Opens the output before the long work, so that a failure to open it is known early.
    func openOutput(beside message: borrowing InputFile) throws(CryptorError) -> OutputFile {
        let terms = OutputFile.Terms(overwriting: false, replacingOnly: existing?.file.status, isFile: true)
        return try OutputFile.open(endpoint, terms, source: message, progress: progress)
    }

    /// Writes the digests of a message that was found authentic.
    /// - Parameter ends: made from the bytes that the HMAC saw.
    func write(
        _ digests: SegmentDigests, of ends: MessageEnds, keys: KeyPair, to output: consuming OutputFile
    ) throws(CryptorError) {
        let salt = try openSSL { () throws(OpenSSLError) in try RandomBytes.bytes(count: Self.saltByteCount) }
        let own = IndexKeys(keys, salt: salt)
        let maskedKey = try digests.key.withRawSpan { (key) throws(CryptorError) in
            try own.masked(key).withRawSpan { Array(copying: $0) }
        }
        let start = Self.mark + salt + maskedKey
        let startTag = try own.tag(for: .start, over: [ends.bytes, start])
        let tag = try own.tag(for: .digests, over: [ends.bytes, start, digests.bytes])
        for part in [start, startTag, digests.bytes, tag] { try output.write(part, progress) }
        do throws(CryptorError) { _ = try output.publish() } catch {
            // Another process may have saved its index, or another file, under the name; or this index is in place and
            // might not outlast a power failure. The message is verified all the same, and an index can be lost without
            // harm.
            guard error.isPublished || error.isOfTakenName else { throw error }
        }
    }
}

/// The keys of an index: HMAC-SHA256 under the message's HMAC key, see ``SegmentIndex``.
private struct IndexKeys {
    enum Use: String { case mask, start, digests }

    private let hmacKey: SecretBytes
    private let salt: [UInt8]

    init(_ keys: KeyPair, salt: [UInt8]) {
        hmacKey = keys.hmacKey
        self.salt = salt
    }

    private func key(for use: Use) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: hmacKey)
            try authenticator.update(SegmentIndex.mark + Array(use.rawValue.utf8) + salt)
            return try SecretBytes(count: SegmentIndex.tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
    }

    /// An HMAC that has been given `parts`.
    private func authenticator(for use: Use, over parts: [[UInt8]]) throws(CryptorError) -> HMACAuthenticator {
        let key = try key(for: use)
        return try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: key)
            for part in parts { try authenticator.update(part) }
            return authenticator
        }
    }

    func tag(for use: Use, over parts: [[UInt8]]) throws(CryptorError) -> [UInt8] {
        var authenticator = try authenticator(for: use, over: parts)
        return try openSSL { () throws(OpenSSLError) in
            try Array(byteCapacity: SegmentIndex.tagByteCount) { (output) throws(OpenSSLError) in
                try authenticator.finish(into: &output)
            }
        }
    }

    /// Whether a tag is the right one, compared in constant time.
    func matches(_ tag: [UInt8], for use: Use, over parts: [[UInt8]]) throws(CryptorError) -> Bool {
        var authenticator = try authenticator(for: use, over: parts)
        return try openSSL { () throws(OpenSSLError) in
            try withRawSpan(of: tag) { (tag) throws(OpenSSLError) in try authenticator.finish(matching: tag) }
        }
    }

    /// Puts the mask on the key of the digests, or takes it off.
    func masked(_ key: RawSpan) throws(CryptorError) -> SecretBytes {
        try self.key(for: .mask).withRawSpan { mask in
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
    /// The tag. In versions with blocks, the last two blocks come before it; the IV stands in for the first if there is
    /// only one.
    private let end: [UInt8]

    /// - Parameters:
    ///   - ciphertextByteCount: the length of the ciphertext without the last block.
    ///   - lastBlock: the last block of that ciphertext; the IV if it is empty.
    ///   - tail: the tail of the message.
    init(_ header: Header, ciphertextByteCount: Int, lastBlock: [UInt8], tail: [UInt8]) {
        self.header = header
        self.ciphertextByteCount = ciphertextByteCount
        end = (Self.hasBlocks(header) ? lastBlock : []) + tail
    }

    /// Reads the end of a message file as it is now.
    /// - Returns: nil if the file has become shorter.
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

    /// The message, whose end must have been authenticated.
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
    /// Whether another file has taken the name of an output, and nothing else is wrong.
    var isOfTakenName: Bool { (isOfAnotherFile || code == .destinationExists) && !hasLeftover }
}
