import CryptorPrimitives

/// A message file that is read, perhaps twice: to verify it, to decrypt it, or to give it another credential.
struct MessageFile: ~Copyable {
    private var input: MessageInput
    private let removesSource: Bool
    private let spoolByteLimit: Int?
    private let concurrency: Concurrency
    private var progress: ProgressReporter
    /// What has been read and may belong to the tail.
    private var held: [UInt8]

    /// - Parameters:
    ///   - keepingOpen: see ``InputFile``.
    ///   - removingSource: whether the message is removed once its plaintext is in a file.
    ///   - spoolByteLimit: see ``Spool``.
    init(
        opening source: FileEndpoint, acceptingBase64: Bool, keepingOpen: Bool = false, removingSource: Bool = false,
        spoolByteLimit: Int? = nil, concurrency: Concurrency, progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        let opening = ProgressReporter(handler, totalBytes: nil)
        self.removesSource = removingSource
        let file = try InputFile(opening: source, keepingOpen: keepingOpen, progress: opening)
        if removingSource { try file.writeBackChanges() }
        var progress = ProgressReporter(handler, totalBytes: file.byteCount)
        let input = try MessageInput(file, acceptingBase64: acceptingBase64, &progress)
        self.input = input
        self.spoolByteLimit = spoolByteLimit
        self.concurrency = concurrency
        self.progress = progress
        held = []
    }

    // MARK: Whole operations

    /// Writes the plaintext: into a file that nobody sees until it is verified or, to a stream, in a second pass.
    consuming func decrypt(
        to destination: FileEndpoint, _ reading: ReadingTerms, _ writing: OutputFile.Terms
    ) throws(CryptorError) {
        let output = try input.withFile { (file) throws(CryptorError) in
            try OutputFile.open(destination, writing, source: file, progress: progress)
        }
        do throws(CryptorError) {
            if output.isSeenAtOnce || needsTwoPasses(reading) {
                try decryptSeen(reading) { (plaintext, progress) throws(CryptorError) in
                    try output.write(plaintext, progress)
                }
            } else {
                try decryptUnseen(to: output, reading)
            }
        } catch {
            throw error.naming(input.name)
        }
        let isKept = try output.publish()
        if removesSource {
            try input.withFile { (file) throws(CryptorError) in try file.remove(outputIsKept: isKept) }
        }
    }

    /// Releases the plaintext in a second pass.
    consuming func decrypt(_ reading: ReadingTerms, release: ([UInt8]) throws -> Void) throws(CryptorError) {
        do throws(CryptorError) {
            try decryptSeen(reading) { (plaintext, _) throws(CryptorError) in
                do { try release(plaintext) } catch { throw .cancelled }
            }
        } catch {
            throw error.naming(input.name)
        }
    }

    /// Reads the message to its end and releases nothing of it.
    /// - Returns: the length of the plaintext.
    consuming func verify(_ terms: ReadingTerms) throws(CryptorError) -> Int {
        do throws(CryptorError) {
            let (header, start) = try readStart(terms)
            let reader = try MessageReader(header, terms.credential, for: .verify, concurrency)
            return try verify(header, start, reader) { (_, _) throws(CryptorError) in }.plaintextByteCount
        } catch {
            throw error.naming(input.name)
        }
    }

    /// Verifies the message and keeps what it takes to read any part of it again.
    consuming func open(_ terms: ReadingTerms, segmentByteCount: Int) throws(CryptorError) -> OpenedMessage {
        do throws(CryptorError) {
            let (message, digests) = try firstPass(terms, segmentByteCount: segmentByteCount)
            return OpenedMessage(message: message, digests: digests, file: input.underlyingFile())
        } catch {
            throw error.naming(input.name)
        }
    }

    /// Writes the same plaintext as a new message of version 3, in the encoding and the lines that it had. Plaintext is in memory only,
    /// a segment at a time.
    consuming func rekey(
        to destination: FileEndpoint, from old: ReadingTerms, into new: Credential, overwriting: Bool
    ) throws(CryptorError) {
        let terms = OutputFile.Terms(overwriting: overwriting, replacingSource: true)
        var output = try input.withFile { (file) throws(CryptorError) in
            try MessageOutput(destination, terms, source: file, progress)
        }
        var encryptor = try Encryptor(new, concurrency: concurrency)
        var message: [UInt8] = []
        do throws(CryptorError) {
            let verified = try firstPassOfTwo(old)
            if let layout = input.layout { output.writeText(layout) }
            try secondPass(verified) { (plaintext, progress) throws(CryptorError) in
                message.removeAll(keepingCapacity: true)
                try encryptor.update(plaintext, into: &message)
                try output.write(message, progress)
            }
        } catch {
            throw error.naming(input.name)
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try output.write(message, progress)
        _ = try output.publish(progress)
    }

    // MARK: Passes

    /// Into a file that nobody sees.
    private mutating func decryptUnseen(
        to output: borrowing OutputFile, _ terms: ReadingTerms
    ) throws(CryptorError) {
        let (header, start) = try readStart(terms)
        let keys = try terms.credential.keys(for: header)
        var cipher = try MessageCipher.forDecryption(keys, header)
        let reader = try MessageReader(header, terms.credential, keys: keys, for: .verify, concurrency)
        var plaintext: [UInt8] = []
        let message = try verify(header, start, reader) { (ciphertext, progress) throws(CryptorError) in
            try cipher.update(ciphertext, replacing: &plaintext)
            try output.write(plaintext, progress)
        }
        try output.write(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
    }

    /// Verifies in a first pass and releases in a second one.
    private mutating func decryptSeen(
        _ terms: ReadingTerms, release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        try secondPass(firstPassOfTwo(terms), release: release)
    }

    private mutating func firstPassOfTwo(
        _ terms: ReadingTerms
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests) {
        if input.canBeReadTwice { progress.doubleTotal() }
        return try firstPass(terms, segmentByteCount: VerifiedMessage.segmentByteCount)
    }

    private mutating func secondPass(
        _ verified: (VerifiedMessage, SegmentDigests),
        release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let (message, digests) = verified
        try message.readAgain(from: &input, digests, concurrency, &progress, release: release)
    }

    /// Verifies the message and notes what it takes to notice, when it is read again, that it was changed. What can be read
    /// only once is kept for that, as ciphertext, in a private file without a name, up to its last block.
    private mutating func firstPass(
        _ terms: ReadingTerms, segmentByteCount: Int
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests) {
        guard !input.canBeReadTwice else {
            return try firstPass(terms, segmentByteCount) { (_, _) throws(CryptorError) in }
        }
        let name = input.name
        var spool = try Spool(byteLimit: spoolByteLimit, progress)
        let verified = try firstPass(terms, segmentByteCount) { (bytes, progress) throws(CryptorError) in
            try spool.write(bytes, progress)
        }
        input = MessageInput(spooled: try InputFile(spooled: spool.finish(), name: name), layout: input.layout)
        return verified
    }

    /// - Parameter keep: sees the message up to its last block.
    private mutating func firstPass(
        _ terms: ReadingTerms, _ segmentByteCount: Int,
        keep: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests) {
        let (header, start) = try readStart(terms)
        let reader = try MessageReader(header, terms.credential, for: .verify, concurrency)
        var digester = try SegmentDigester(header, segmentByteCount: segmentByteCount)
        try keep(header.bytes, progress)
        let message = try verify(header, start, reader) { (ciphertext, progress) throws(CryptorError) in
            try digester.add(ciphertext)
            try keep(ciphertext, progress)
        }
        return (message, try digester.finish())
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest: a helper does that, and this thread all else.
    /// - Parameter use: sees the ciphertext, in whole blocks, without the last.
    private mutating func verify(
        _ header: Header, _ start: [UInt8], _ reader: consuming MessageReader,
        use: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var reader = reader
        var seat = HelperSeat(isSerial: concurrency == .serial)
        var ciphertext = start
        while !ciphertext.isEmpty {
            let unneeded = try reader.verify(ciphertext, besideCaller: seat.isTaken())
            try use(ciphertext, progress)
            ciphertext = unneeded ?? []
            try readCiphertext(header, into: &ciphertext)
        }
        try checkTail(header)
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    /// Only the HMAC at the end of such a message tells which password was meant.
    private func needsTwoPasses(_ terms: ReadingTerms) -> Bool {
        guard let version = input.firstByte.flatMap(FormatVersion.init(rawValue:)) else { return false }
        return terms.credential.hasSeveralCandidates(for: version)
    }

    // MARK: Parts

    /// Reads the header and the first ciphertext, so that a message of a wrong shape derives no key.
    private mutating func readStart(_ terms: ReadingTerms) throws(CryptorError) -> (Header, ciphertext: [UInt8]) {
        var reader = HeaderReader(terms.expectation)
        try input.append(HeaderReader.base64ProbeByteCount, to: &held, &progress)
        let found = try withRawSpan(of: held) { (start) throws(CryptorError) in try reader.read(start) }
        guard let (header, byteCount) = found else { throw reader.finish() }
        held.removeFirst(byteCount)
        var terms = terms
        terms.messageByteCount = input.byteCount
        try terms.check(header)
        var ciphertext: [UInt8] = []
        try readCiphertext(header, into: &ciphertext)
        if ciphertext.isEmpty { try checkTail(header) }
        return (header, ciphertext)
    }

    /// Replaces what `chunk` holds by the next ciphertext, in whole blocks and without the last; nothing at its end.
    private mutating func readCiphertext(_ header: Header, into chunk: inout [UInt8]) throws(CryptorError) {
        let rules = header.version.rules
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: held)
        let missing = MessageChunk.byteCount + rules.tailByteCount - held.count
        try input.append(missing, to: &chunk, &progress)
        let excess = max(0, chunk.count - rules.tailByteCount)
        let count = excess - excess % rules.blockByteCount
        held.removeAll(keepingCapacity: true)
        held.append(contentsOf: chunk[count...])
        chunk.removeLast(held.count)
    }

    /// Whole blocks have gone, so the length of what is left decides as the length of the message would.
    private func checkTail(_ header: Header) throws(CryptorError) {
        try header.checkMessageByteCount(header.byteCount + held.count)
    }
}
