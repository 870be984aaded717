import CryptorPrimitives

/// A message file that is read, perhaps twice: to verify it, to decrypt it, or to give it another credential.
struct MessageFile: ~Copyable {
    var input: MessageInput
    private let terms: ReadingTerms
    let options: FileOptions
    var progress: ProgressReporter
    /// The bytes that have been read and may belong to the tail.
    private var held: [UInt8]

    init(opening source: FileEndpoint, _ terms: ReadingTerms, _ options: FileOptions) throws(CryptorError) {
        let opening = ProgressReporter(options.progress, totalBytes: nil)
        var file = try InputFile(
            opening: source, keepingOpen: options.keepsOpen, settling: options.removesSource, progress: opening)
        if options.removesSource { try file.writeBackChanges() }
        if options.replacesSource {
            try file.requireOneName()
            try file.lock()
        }
        var progress = ProgressReporter(options.progress, totalBytes: file.byteCount)
        let input = try MessageInput(file, acceptingBase64: options.acceptsBase64, &progress)
        self.input = input
        self.terms = terms
        self.options = options
        self.progress = progress
        held = []
    }

    /// Reads the header and the first ciphertext, so that no key is derived for a message of a wrong shape.
    /// - Parameters:
    ///   - readsTwice: whether the message has to be read twice.
    ///   - rest: what to do with the message once its keys have been derived. The keys are nil if only the HMAC tells
    ///     which reading of the password was meant.
    private consuming func begin<Value>(
        readsTwice: Bool = false,
        _ rest: @escaping (consuming MessageFile, MessageStart, KeyPair?) throws(CryptorError) -> Value
    ) throws(CryptorError) -> FileWork<Value> {
        let start: MessageStart
        let source: KeySource?
        let name = input.name
        if readsTwice, input.canBeReadTwice { progress.doubleTotal() }
        do throws(CryptorError) {
            start = try readStart()
            source = try terms.keySource(for: start.header)
        } catch {
            throw error.naming(name)
        }
        let moved = Moved(self)
        return FileWork(keySource: source) { keys throws(CryptorError) in
            do throws(CryptorError) { return try rest(moved.take(), start, keys) } catch { throw error.naming(name) }
        }
    }

    // MARK: Operations

    /// Writes the plaintext. An output that nobody sees before it is published takes one pass. A stream, or a password
    /// that may have several readings, takes two.
    consuming func decrypt(
        to destination: FileEndpoint, _ writing: OutputFile.Terms
    ) throws(CryptorError) -> FileWork<Void> {
        let opened = try OutputFile.open(destination, writing, source: input.file, progress: progress)
        let readsTwice = opened.isSeenAtOnce || mayHaveSeveralCandidates
        let output = Moved(opened)
        return try begin(readsTwice: readsTwice) { (file: consuming MessageFile, start, keys) throws(CryptorError) in
            let output = output.take()
            if let keys, !readsTwice {
                try file.decryptUnseen(start, keys, to: output)
            } else {
                try file.secondPass(file.firstPass(start, keys)) { (plaintext, progress) throws(CryptorError) in
                    try output.write(plaintext, progress)
                }
            }
            let isKept = try output.publish()
            if file.options.removesSource { try file.input.file.remove(outputIsKept: isKept) }
        }
    }

    /// Whether the password may have several readings, of which only the HMAC at the end tells the right one.
    private var mayHaveSeveralCandidates: Bool {
        input.firstByte.flatMap(FormatVersion.init(rawValue:)).map(terms.hasSeveralCandidates) ?? false
    }

    /// Releases the plaintext in a second pass.
    consuming func decrypt(release: @escaping ([UInt8]) throws -> Void) throws(CryptorError) -> FileWork<Void> {
        try begin(readsTwice: true) { (file: consuming MessageFile, start, keys) throws(CryptorError) in
            try file.secondPass(file.firstPass(start, keys)) { (plaintext, _) throws(CryptorError) in
                do { try release(plaintext) } catch { throw .cancelled }
            }
        }
    }

    /// Reads the message to its end without releasing any plaintext.
    /// - Returns: the length of the plaintext.
    consuming func verify() throws(CryptorError) -> FileWork<Int> {
        try begin { (file: consuming MessageFile, start, keys) throws(CryptorError) in
            let message = try file.readToEnd(start, try file.reader(start, keys)) { (_, _) throws(CryptorError) in }
            try file.progress.complete()
            return message.plaintextByteCount
        }
    }

    /// Verifies the message and keeps what it takes to read any part of the message again.
    consuming func open() throws(CryptorError) -> FileWork<OpenedMessage> {
        try begin { (file: consuming MessageFile, start, keys) throws(CryptorError) in
            let (message, digests) = try file.firstPass(start, keys, segmentByteCount: VerifiedFile.segmentByteCount)
            try file.progress.complete()
            return OpenedMessage(message: message, digests: digests, file: Moved(file.input.underlyingFile()))
        }
    }

    /// Writes the same plaintext as a new message of version 3, in the encoding and the line length of the old message.
    /// Plaintext is only ever in memory, a segment at a time.
    ///
    /// The new message takes the old one's place only if the caller gave one address for both: two addresses that lead to
    /// one file are a mistake, and refused.
    consuming func rekey(
        to destination: FileEndpoint, into new: Credential, overwriting: Bool
    ) throws(CryptorError) -> FileWork<Void> {
        let replaced = options.replacesSource ? input.file.status : nil
        let writing = OutputFile.Terms(overwriting: overwriting, replacingOnly: replaced)
        let opened = try OutputFile.open(destination, writing, source: input.file, progress: progress)
        let output = Moved(MessageOutput(opened))
        return try begin(readsTwice: true) { (file: consuming MessageFile, start, keys) throws(CryptorError) in
            var output = output.take()
            var encryptor = try Encryptor(new, concurrency: file.options.concurrency)
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
    }

    // MARK: Passes

    /// Decrypts in one pass, into a file that nobody sees before the message is verified.
    private mutating func decryptUnseen(
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
        _ start: MessageStart, _ keys: KeyPair?, segmentByteCount: Int = VerifiedMessage.segmentByteCount
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

    private func reader(_ start: MessageStart, _ keys: KeyPair?) throws(CryptorError) -> MessageReader {
        try MessageReader(start.header, terms: terms, keys: keys, for: .verify, concurrency: options.concurrency)
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest, so a helper computes it while this
    /// thread does everything else.
    /// - Parameter use: is given the ciphertext in whole blocks, without the last block.
    private mutating func readToEnd(
        _ start: MessageStart, _ reader: consuming MessageReader,
        use: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var reader = reader
        var seat = HelperSeat(isSerial: options.concurrency == .serial)
        var ciphertext = start.ciphertext
        while !ciphertext.isEmpty {
            let unneeded = try reader.hash(ciphertext, besideCaller: seat.askForHelper())
            try use(ciphertext, progress)
            ciphertext = unneeded ?? []
            try readCiphertext(start.header, into: &ciphertext)
        }
        try start.header.checkMessage(ciphertextByteCount: reader.ciphertextByteCount, tailByteCount: held.count)
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    // MARK: Parts of the message

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
struct MessageStart {
    let header: Header
    /// The first ciphertext, in whole blocks and without the last block of the message; perhaps empty.
    let ciphertext: [UInt8]
}
