import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// A message file that is read, perhaps twice: to verify it, to decrypt it, or to give it another credential.
struct MessageFile: ~Copyable {
    private var input: MessageInput
    private let terms: ReadingTerms
    private var progress: ProgressReporter
    /// The bytes that have been read and may belong to the tail.
    private var held: [UInt8]

    /// - Parameters:
    ///   - acceptingBase64: whether base64 text is decoded.
    ///   - keepingOpen: whether the source can be read after the caller has closed its descriptor.
    ///   - inPlace: whether the source is to be replaced in its place.
    private init(
        opening source: FileEndpoint, _ terms: ReadingTerms, acceptingBase64: Bool, keepingOpen: Bool = false,
        inPlace: Bool = false, progress handler: FileProgress.Handler?
    ) throws(CryptorError) {
        var file = try InputFile(
            opening: source, keepingOpen: keepingOpen, progress: ProgressReporter(handler))
        if inPlace {
            try file.requireOneName()
            try file.lock()
        }
        var progress = ProgressReporter(handler, totalBytes: file.byteCount)
        let input = try MessageInput(file, acceptingBase64: acceptingBase64, &progress)
        self.input = input
        self.terms = terms
        self.progress = progress
        held = []
    }

    // MARK: Operations

    /// Writes the plaintext. An output that nobody sees before it is published takes one pass. A stream, or a password
    /// that may have several readings, takes two.
    static func decrypt(
        _ source: FileEndpoint, to destination: FileEndpoint, terms: ReadingTerms, options: FileOptions,
        progress: FileProgress.Handler?
    ) throws(CryptorError) {
        var file = try MessageFile(
            opening: source, terms, acceptingBase64: options.base64, progress: progress)
        let writing = OutputFile.Terms(
            overwriting: options.overwriting, takingAttributes: options.takingAttributes)
        let output = try OutputFile.open(destination, writing, source: file.input.file, progress: file.progress)
        if output.isSeenAtOnce || file.mayHaveSeveralCandidates { file.expectSecondPass() }

        let start = try file.readStart()
        let keys = try file.keys(start)
        if let keys, !output.isSeenAtOnce {
            try file.onlyPass(start, keys, to: output)
        } else {
            let verified = try file.firstPass(start, keys)
            try file.secondPass(verified) { (plaintext, progress) throws(CryptorError) in
                try output.write(plaintext, progress)
            }
        }
        let isKept = try output.publish()
        if options.removingSource { try file.input.file.remove(outputIsKept: isKept) }
    }

    /// Passes the plaintext on, in a second pass.
    static func decrypt(
        _ source: FileEndpoint, terms: ReadingTerms, options: FileOptions, progress: FileProgress.Handler?,
        receive: ([UInt8]) throws -> Void
    ) throws(CryptorError) {
        var file = try MessageFile(opening: source, terms, acceptingBase64: options.base64, progress: progress)
        file.expectSecondPass()
        let start = try file.readStart()
        let verified = try file.firstPass(start, try file.keys(start))
        try file.secondPass(verified) { (plaintext, _) throws(CryptorError) in
            do { try receive(plaintext) } catch { throw .cancelled }
        }
    }

    /// Reads the message to its end without releasing any plaintext.
    /// - Returns: the length of the plaintext.
    static func verify(
        _ source: FileEndpoint, terms: ReadingTerms, options: FileOptions, progress: FileProgress.Handler?
    ) throws(CryptorError) -> Int {
        var file = try MessageFile(opening: source, terms, acceptingBase64: options.base64, progress: progress)
        let start = try file.readStart()
        let reader = try file.reader(start, try file.keys(start))
        let message = try file.readToEnd(start, reader) { (_, _) throws(CryptorError) in }
        try file.progress.complete()
        return message.plaintextByteCount
    }

    /// Verifies the message and keeps what it takes to read any part of it again.
    static func open(
        _ source: FileEndpoint, terms: ReadingTerms, progress: FileProgress.Handler?
    ) throws(CryptorError) -> OpenedMessage {
        var file = try MessageFile(
            opening: source, terms, acceptingBase64: false, keepingOpen: true, progress: progress)
        let start = try file.readStart()
        let (message, digests) = try file.firstPass(
            start, try file.keys(start), segmentByteCount: SegmentByteCount.forRandomAccess)
        try file.progress.complete()
        return OpenedMessage(message: message, digests: digests, file: file.input.underlyingFile())
    }

    /// Writes the same plaintext as a new message of version 3, in the encoding and the line length of the old message.
    /// Plaintext is only ever in memory, a segment at a time.
    ///
    /// The new message takes the old one's place only if the caller gave one address for both: two addresses that lead to
    /// one file are a mistake, and refused.
    static func rekey(
        _ source: FileEndpoint, to destination: FileEndpoint, terms: ReadingTerms, into new: Credential,
        options: FileOptions, progress: FileProgress.Handler?
    ) throws(CryptorError) {
        let inPlace = source.isReplaced(by: destination)
        var file = try MessageFile(
            opening: source, terms, acceptingBase64: options.base64, inPlace: inPlace, progress: progress)
        let writing = OutputFile.Terms(
            overwriting: options.overwriting, inPlaceOf: inPlace ? file.input.file.status : nil)
        var output = MessageOutput(
            try OutputFile.open(destination, writing, source: file.input.file, progress: file.progress))
        file.expectSecondPass()

        let start = try file.readStart()
        let keys = try file.keys(start)
        var encryptor = try Encryptor(new)
        var message: [UInt8] = []
        let verified = try file.firstPass(start, keys)
        if let layout = file.input.layout { output.writeText(layout) }
        try file.secondPass(verified) { (plaintext, progress) throws(CryptorError) in
            message.removeAll(keepingCapacity: true)
            try encryptor.update(plaintext, into: &message)
            try output.write(message, progress)
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        try output.write(message, file.progress)
        _ = try output.publish(file.progress)
    }

    // MARK: Before a pass

    /// Whether the password may have several readings, of which only the HMAC at the end tells the right one.
    private var mayHaveSeveralCandidates: Bool {
        input.firstByte.flatMap(FormatVersion.init(rawValue:)).map(terms.hasSeveralCandidates) ?? false
    }

    private mutating func expectSecondPass() {
        if input.canBeReadTwice { progress.doubleTotal() }
    }

    /// Reads the header and the first ciphertext, so that no key is derived for a message of a wrong shape.
    private mutating func readStart() throws(CryptorError) -> MessageStart {
        try input.append(HeaderReader.base64ProbeByteCount, to: &held, &progress)
        let header = try withRawSpan(of: held) { (start) throws(CryptorError) in
            try terms.header(of: start, messageByteCount: input.byteCount)
        }
        held.removeFirst(header.byteCount)
        var ciphertext: [UInt8] = []
        try readCiphertext(header, into: &ciphertext)
        if ciphertext.isEmpty { try header.checkMessage(ciphertextByteCount: 0, tailByteCount: held.count) }
        return MessageStart(header: header, ciphertext: ciphertext)
    }

    /// Derives the keys; nil if only the HMAC of the message tells which reading of the password was meant.
    private func keys(_ start: MessageStart) throws(CryptorError) -> KeyPair? {
        try terms.keySource(for: start.header)?.keys()
    }

    private func reader(_ start: MessageStart, _ keys: KeyPair?) throws(CryptorError) -> MessageReader {
        try MessageReader(start.header, terms: terms, keys: keys, for: .verify)
    }

    // MARK: Passes

    /// Decrypts into a file that nobody sees before the message is verified.
    private mutating func onlyPass(
        _ start: MessageStart, _ keys: KeyPair, to output: borrowing OutputFile
    ) throws(CryptorError) {
        var cipher = try MessageCipher.make(.decrypt, for: start.header, keys: keys)
        var plaintext: [UInt8] = []
        let message = try readToEnd(start, try reader(start, keys)) { (ciphertext, progress) throws(CryptorError) in
            try cipher.update(ciphertext, replacing: &plaintext)
            try output.write(plaintext, progress)
        }
        try output.write(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
        try progress.complete()
    }

    /// Verifies the message and makes the digests that show a second pass whether the file was changed. A source that
    /// can be read only once is copied for the second pass: as ciphertext without the last block, in a private file
    /// without a name.
    private mutating func firstPass(
        _ start: MessageStart, _ keys: KeyPair?, segmentByteCount: Int = SegmentByteCount.forSecondPass
    ) throws(CryptorError) -> (VerifiedMessage, SegmentDigests) {
        let reader = try reader(start, keys)
        var digester = try SegmentDigester(start.header, segmentByteCount: segmentByteCount)
        guard !input.canBeReadTwice else {
            let message = try readToEnd(start, reader) { (ciphertext, _) throws(CryptorError) in
                try digester.add(ciphertext)
            }
            return (message, try digester.finish())
        }
        let name = input.name
        var spool = try Spool(byteLimit: terms.accepting.spoolByteLimit, progress)
        try spool.write(start.header.bytes, progress)
        let message = try readToEnd(start, reader) { (ciphertext, progress) throws(CryptorError) in
            try digester.add(ciphertext)
            try spool.write(ciphertext, progress)
        }
        input = MessageInput(spooled: try InputFile(spooled: spool.finish(), name: name), layout: input.layout)
        return (message, try digester.finish())
    }

    /// Reads the message again and releases its plaintext segment by segment, each only after its digest has matched:
    /// from a file that changed in between, nothing false is released.
    private mutating func secondPass(
        _ verified: (VerifiedMessage, SegmentDigests),
        release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let (message, digests) = verified
        let reader = PipelineValue(try SegmentReader(message, digests))
        var pipeline = Pipeline(depth: 2) { (segment) throws(CryptorError) in try reader.value.process(&segment) }
        var secondThread = SecondThread()
        var segment = MessageChunk()
        input.rewind()
        try input.append(message.header.byteCount, to: &segment.input, &progress)
        var previousBlock = message.header.iv
        var position = 0
        while position < message.ciphertextByteCount {
            let count = min(digests.segmentByteCount, message.ciphertextByteCount - position)
            segment.input.removeAll(keepingCapacity: true)
            segment.input += previousBlock
            try input.append(count, to: &segment.input, &progress)
            previousBlock = Array(segment.input.suffix(FormatSize.block))
            position += count
            // The caller allocates the memory, not the worker, because a thread does not reuse what others have freed.
            segment.output.reserveCapacity(count)
            let cores = secondThread.reserveCores(forNext: count)
            if let released = try pipeline.pass(segment, besideCaller: cores.includeSecond) {
                try release(released.output, progress)
                segment = released
            } else {
                segment = MessageChunk()
            }
        }
        while let released = try pipeline.next() { try release(released.output, progress) }
        try release(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
        try progress.complete()
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest, so a worker computes it while this
    /// thread does everything else.
    /// - Parameter use: is given the ciphertext in whole blocks, without the last block.
    private mutating func readToEnd(
        _ start: MessageStart, _ reader: consuming MessageReader,
        use: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var reader = reader
        var secondThread = SecondThread()
        var ciphertext = start.ciphertext
        while !ciphertext.isEmpty {
            let cores = secondThread.reserveCores(forNext: ciphertext.count)
            let unneeded = try reader.hash(ciphertext, besideCaller: cores.includeSecond)
            try use(ciphertext, progress)
            ciphertext = unneeded ?? []
            try readCiphertext(start.header, into: &ciphertext)
        }
        try start.header.checkMessage(ciphertextByteCount: reader.ciphertextByteCount, tailByteCount: held.count)
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    /// Replaces the contents of `chunk` with the next ciphertext, in whole blocks and without the last block. At the
    /// end of the message `chunk` becomes empty.
    private mutating func readCiphertext(_ header: Header, into chunk: inout [UInt8]) throws(CryptorError) {
        let body = header.version.rules.body
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: held)
        try input.append(MessageChunk.byteCount + body.tailByteCount - held.count, to: &chunk, &progress)
        let count = body.releasableByteCount(of: chunk.count)
        held.removeAll(keepingCapacity: true)
        held.append(contentsOf: chunk[count...])
        chunk.removeLast(held.count)
    }
}

/// The start of a message.
private struct MessageStart {
    let header: Header
    /// The first ciphertext, in whole blocks and without the last block of the message; perhaps empty.
    let ciphertext: [UInt8]
}

/// A message file that was verified, with what it takes to read any part of it again.
struct OpenedMessage: ~Copyable {
    let message: VerifiedMessage
    let digests: SegmentDigests
    let file: InputFile
}
