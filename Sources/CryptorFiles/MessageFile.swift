import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A message file that is read: to verify it, to decrypt it, or to give it another credential.
///
/// In the first pass the HMAC sees all of it. A ``VerifiedFile`` reads it again, segment by segment, and releases each
/// segment only if it is the one that the HMAC saw.
struct MessageFile: ~Copyable {
    private(set) var input: InputFile
    private let header: Header
    private let terms: ReadingTerms
    private let spoolByteLimit: Int?
    /// The bytes that have been read and may belong to the tail.
    private var held: [UInt8]

    /// Opens a message file and reads its header.
    /// - Parameters:
    ///   - options: whether base64 text is decoded, and how much is spooled.
    ///   - inPlace: whether the source is to be replaced in its place.
    ///   - isSettled: whether the terms say of which kind a message of version 0 is.
    static func open(
        _ source: FileEndpoint, under terms: ReadingTerms, _ options: FileOptions, inPlace: Bool = false,
        isSettled: Bool = false, progress: ((FileProgress) throws -> Void)?
    ) throws(CryptorError) -> MessageFile {
        var input = try InputFile.open(source, progress: ProgressReporter(progress))
        if inPlace { try input.lockForReplacement() }
        if options.base64 { try input.acceptBase64() }
        var start: [UInt8] = []
        try input.append(HeaderReader.base64ProbeByteCount, to: &start)
        // A file that does not say whether a password or keys were used is verified first, to find out. What can be read
        // only once counts as a message of the primary's kind.
        let isAmbiguous = !isSettled && input.canBeReadTwice && terms.areAmbiguous(startingWith: start.first)
        var settled = terms
        let header = try terms.settled(startingWith: isAmbiguous ? start.first : nil) {
            [count = input.messageByteCount] (terms) throws(CryptorError) -> Header in
            settled = terms
            let header = try withRawSpan(of: start) { (start) throws(CryptorError) in
                try terms.header(of: start, messageByteCount: count)
            }
            if isAmbiguous {
                var other = try open(source, under: terms, options, isSettled: true, progress: progress)
                _ = try other.verify()
            }
            return header
        }
        return MessageFile(
            input: input, header: header, terms: settled, spoolByteLimit: options.spoolByteLimit,
            held: Array(start.dropFirst(header.byteCount)))
    }

    /// Whether only the HMAC at the end of the message tells which candidate opens it.
    var hasSeveralCandidates: Bool { terms.hasSeveralCandidates(for: header) }

    // MARK: Passes

    /// Verifies the message and releases nothing.
    mutating func verify() throws(CryptorError) -> VerifiedMessage {
        let message = try readToEnd(from: firstCiphertext()) { (_) throws(CryptorError) in }
        try input.progress.complete()
        return message
    }

    /// Decrypts into a file that nobody sees before the message is verified. There must be one candidate.
    mutating func onlyPass(to output: inout OutputFile) throws(CryptorError) {
        let first = try firstCiphertext()
        let keys = try terms.keySource(for: header)?.keys()
        guard let keys else { preconditionFailure("only the HMAC tells which keys these are") }
        let progress = input.progress
        var cipher = try MessageCipher.make(.decrypt, for: header, keys: keys)
        var plaintext: [UInt8] = []
        let message = try readToEnd(from: first, keys) { (ciphertext) throws(CryptorError) in
            try cipher.update(ciphertext, replacing: &plaintext)
            try output.write(plaintext, progress)
        }
        try output.write(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
        try progress.complete()
    }

    /// Verifies the message, to be read again. A source that can be read only once, or is base64 text, is copied for that:
    /// as ciphertext without the last block, in a private file without a name.
    mutating func firstPass(
        segmentByteCount: Int = MessageChunk.byteCount
    ) throws(CryptorError) -> VerifiedContents {
        var digester = try SegmentDigester.begin(header, segmentByteCount: segmentByteCount)
        let progress = input.progress
        var spool: Spool?
        if !input.canBeReadTwice || input.isBase64 {
            var copy = try Spool.begin(byteLimit: spoolByteLimit, progress)
            try copy.write(header.bytes, progress)
            spool = consume copy
        }
        let message = try readToEnd(from: firstCiphertext()) { (ciphertext) throws(CryptorError) in
            try digester.add(ciphertext)
            try spool?.write(ciphertext, progress)
        }
        if let spool = spool.take() {
            return digester.finish(message, named: input.name, in: spool.finish(), from: 0)
        }
        return digester.finish(message, named: input.name, in: try input.duplicate(), from: input.start ?? 0)
    }

    /// Reads the first ciphertext. No key is derived for a message of a wrong shape, if that shows by now.
    private mutating func firstCiphertext() throws(CryptorError) -> [UInt8] {
        var ciphertext: [UInt8] = []
        try readCiphertext(into: &ciphertext)
        if ciphertext.count < MessageChunk.byteCount {
            try header.checkMessageByteCount(header.byteCount + ciphertext.count + held.count)
        }
        return ciphertext
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest, so a worker computes it while this
    /// thread does everything else.
    /// - Parameters:
    ///   - first: what ``firstCiphertext()`` has read.
    ///   - keys: the keys, if they have been derived.
    ///   - use: is given the ciphertext in whole blocks, without the last block.
    private mutating func readToEnd(
        from first: [UInt8], _ keys: KeyPair? = nil, use: ([UInt8]) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var ciphertext = first
        var reader = try MessageReader(header, terms: terms, keys: keys, for: .verify)
        var secondThread = SecondThread()
        while !ciphertext.isEmpty {
            let cores = secondThread.reserveCores(forNext: ciphertext.count)
            let unneeded = try reader.hash(ciphertext, besideCaller: cores.includeSecond)
            try use(ciphertext)
            ciphertext = unneeded ?? []
            try readCiphertext(into: &ciphertext)
        }
        try header.checkMessageByteCount(header.byteCount + reader.ciphertextByteCount + held.count)
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    /// Replaces the contents of `chunk` with the next ciphertext, in whole blocks and without the last block. At the
    /// end of the message `chunk` becomes empty.
    private mutating func readCiphertext(into chunk: inout [UInt8]) throws(CryptorError) {
        let version = header.version
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: held)
        try input.append(MessageChunk.byteCount + version.tailByteCount - held.count, to: &chunk)
        let count = version.releasableByteCount(of: chunk.count)
        held.removeAll(keepingCapacity: true)
        held.append(contentsOf: chunk[count...])
        chunk.removeLast(held.count)
    }
}
