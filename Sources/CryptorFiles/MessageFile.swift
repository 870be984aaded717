import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A message file that is read, perhaps twice: to verify it, to decrypt it, or to give it another credential.
///
/// In the first pass the HMAC sees all of it. A second pass reads it again, segment by segment, and releases each segment
/// only if it is the one that the HMAC saw.
struct MessageFile: ~Copyable {
    private(set) var input: MessageInput
    private(set) var header: Header
    private var terms: ReadingTerms
    private let spoolByteLimit: Int?
    let progress: ProgressReporter
    /// The bytes that have been read and may belong to the tail.
    private var held: [UInt8]

    /// Opens a message file and reads its header.
    /// - Parameters:
    ///   - options: whether base64 text is decoded, and how much is spooled.
    ///   - inPlace: whether the source is to be replaced in its place.
    ///   - movingPosition: whether the position of a descriptor is behind what was read afterwards.
    static func open(
        _ source: FileEndpoint, under terms: ReadingTerms, options: FileOptions = FileOptions(),
        inPlace: Bool = false, movingPosition: Bool = true, progress handler: FileProgress.Handler?
    ) throws(CryptorError) -> MessageFile {
        let progress = ProgressReporter(handler)
        var file = try InputFile(opening: source, movingPosition: movingPosition, progress: progress)
        if inPlace { try file.lockForReplacement() }
        var input = try MessageInput(file, acceptingBase64: options.base64)
        var start: [UInt8] = []
        try input.append(HeaderReader.base64ProbeByteCount, to: &start)
        let header = try terms.settled(startingWith: start.first) {
            [count = input.byteCount] (terms) throws(CryptorError) -> Header in
            try Self.header(of: start, count, terms)
        }
        var message = MessageFile(
            input: input, header: header, terms: terms, spoolByteLimit: options.spoolByteLimit, progress: progress,
            held: Array(start.dropFirst(header.byteCount)))
        if terms.areAmbiguous(startingWith: start.first) { try message.findKind(start) }
        return message
    }

    private init(
        input: consuming MessageInput, header: Header, terms: ReadingTerms, spoolByteLimit: Int?,
        progress: ProgressReporter, held: [UInt8]
    ) {
        self.input = input
        self.header = header
        self.terms = terms
        self.spoolByteLimit = spoolByteLimit
        self.progress = progress
        self.held = held
    }

    private static func header(
        of start: [UInt8], _ byteCount: Int?, _ terms: ReadingTerms
    ) throws(CryptorError) -> Header {
        try withRawSpan(of: start) { (start) throws(CryptorError) in
            try terms.header(of: start, messageByteCount: byteCount)
        }
    }

    /// Finds out whether a message that does not say so was encrypted with a password or with keys, by verifying it.
    private mutating func findKind(_ start: [UInt8]) throws(CryptorError) {
        if !input.file.canBeReadTwice {
            var spool = try Spool(byteLimit: spoolByteLimit, progress)
            var part = start
            while !part.isEmpty {
                try spool.write(part, progress)
                part.removeAll(keepingCapacity: true)
                try input.append(MessageChunk.byteCount, to: &part)
            }
            try read(fromCopy: spool)
        }
        let terms = terms
        try terms.settled(startingWith: start.first) { (terms) throws(CryptorError) in
            self.terms = terms
            expectAnotherPass()
            header = try Self.header(of: start, input.byteCount, terms)
            try beginAnew()
            let start = try readStart()
            _ = try readToEnd(start, try reader(start)) { (_) throws(CryptorError) in }
        }
        try beginAnew()
    }

    private mutating func beginAnew() throws(CryptorError) {
        input.rewind()
        held.removeAll()
        try input.append(header.byteCount, to: &held)
        held.removeAll()
    }

    private mutating func read(fromCopy spool: consuming Spool) throws(CryptorError) {
        let copy = try InputFile(spooled: spool.finish(), of: input.file, progress: progress)
        input = MessageInput(spooled: copy, layout: input.layout)
    }

    /// Whether only the HMAC at the end of the message tells which candidate opens it.
    var hasSeveralCandidates: Bool { terms.hasSeveralCandidates(for: header) }

    /// Adds what one pass more will read to the total.
    func expectAnotherPass() {
        guard input.file.canBeReadTwice, let count = input.file.byteCount else { return }
        let sum = progress.totalByteCount?.addingReportingOverflow(count)
        progress.totalByteCount = sum?.overflow == false ? sum?.partialValue : nil
    }

    /// Reads the first ciphertext, so that no key is derived for a message of a wrong shape. Then derives the keys.
    mutating func readStart() throws(CryptorError) -> MessageStart {
        var ciphertext: [UInt8] = []
        try readCiphertext(into: &ciphertext)
        if ciphertext.isEmpty { try header.checkMessage(ciphertextByteCount: 0, tailByteCount: held.count) }
        return MessageStart(ciphertext: ciphertext, keys: try terms.keySource(for: header)?.keys())
    }

    // MARK: Passes

    /// Verifies the message and releases nothing.
    mutating func onlyPass(_ start: MessageStart) throws(CryptorError) -> VerifiedMessage {
        let message = try readToEnd(start, try reader(start)) { (_) throws(CryptorError) in }
        try progress.complete()
        return message
    }

    /// Decrypts into a file that nobody sees before the message is verified.
    mutating func onlyPass(
        _ start: MessageStart, _ keys: KeyPair, to output: borrowing OutputFile
    ) throws(CryptorError) {
        let progress = progress
        var cipher = try MessageCipher.make(.decrypt, for: header, keys: keys)
        var plaintext: [UInt8] = []
        let message = try readToEnd(start, try reader(start)) { (ciphertext) throws(CryptorError) in
            try cipher.update(ciphertext, replacing: &plaintext)
            try output.write(plaintext, progress)
        }
        try output.write(message.lastPlaintext.withRawSpan { Array(copying: $0) }, progress)
        try progress.complete()
    }

    /// Verifies the message and makes the digests that show a second pass whether the file was changed. A source that
    /// can be read only once is copied for the second pass: as ciphertext without the last block, in a private file
    /// without a name.
    mutating func firstPass(
        _ start: MessageStart, segmentByteCount: Int = SegmentByteCount.forSecondPass
    ) throws(CryptorError) -> SegmentedMessage {
        let reader = try reader(start)
        var digester = try SegmentDigester(header, segmentByteCount: segmentByteCount)
        guard !input.file.canBeReadTwice else {
            let message = try readToEnd(start, reader) { (ciphertext) throws(CryptorError) in
                try digester.add(ciphertext)
            }
            return SegmentedMessage(message: message, digests: try digester.finish())
        }
        let progress = progress
        var spool = try Spool(byteLimit: spoolByteLimit, progress)
        try spool.write(header.bytes, progress)
        let message = try readToEnd(start, reader) { (ciphertext) throws(CryptorError) in
            try digester.add(ciphertext)
            try spool.write(ciphertext, progress)
        }
        try read(fromCopy: spool)
        return SegmentedMessage(message: message, digests: try digester.finish())
    }

    /// Reads the message again and releases its plaintext segment by segment, each only after its digest has matched:
    /// from a file that changed in between, nothing false is released.
    mutating func secondPass(
        _ verified: SegmentedMessage, release: ([UInt8]) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let message = verified.message
        let reader = PipelineValue(try SegmentReader(verified))
        var pipeline = Pipeline(depth: 2) { (segment) throws(CryptorError) in try reader.value.decryptNext(&segment) }
        var secondThread = SecondThread()
        var segment = MessageChunk()
        input.rewind()
        try input.append(message.header.byteCount, to: &segment.input)
        var previousBlock = message.header.iv
        for index in verified.segments(of: 0..<message.ciphertextByteCount) {
            let count = verified.range(ofSegment: index).count
            segment.input.removeAll(keepingCapacity: true)
            segment.input += previousBlock
            try input.append(count, to: &segment.input)
            previousBlock = Array(segment.input.suffix(FormatSize.block))
            // The caller allocates the memory, not the worker, because a thread does not reuse what others have freed.
            segment.output.reserveCapacity(count)
            let cores = secondThread.reserveCores(forNext: count)
            let released = try pipeline.pass(segment, besideCaller: cores.includeSecond)
            if let released { try release(released.output) }
            segment = released ?? MessageChunk()
        }
        while let released = try pipeline.next() { try release(released.output) }
        try release(message.lastPlaintext.withRawSpan { Array(copying: $0) })
        try progress.complete()
    }

    private func reader(_ start: MessageStart) throws(CryptorError) -> MessageReader {
        try MessageReader(header, terms: terms, keys: start.keys, for: .verify)
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest, so a worker computes it while this
    /// thread does everything else.
    /// - Parameter use: is given the ciphertext in whole blocks, without the last block.
    private mutating func readToEnd(
        _ start: MessageStart, _ reader: consuming MessageReader, use: ([UInt8]) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var reader = reader
        var secondThread = SecondThread()
        var ciphertext = start.ciphertext
        while !ciphertext.isEmpty {
            let cores = secondThread.reserveCores(forNext: ciphertext.count)
            let unneeded = try reader.hash(ciphertext, besideCaller: cores.includeSecond)
            try use(ciphertext)
            ciphertext = unneeded ?? []
            try readCiphertext(into: &ciphertext)
        }
        try header.checkMessage(ciphertextByteCount: reader.ciphertextByteCount, tailByteCount: held.count)
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    /// Replaces the contents of `chunk` with the next ciphertext, in whole blocks and without the last block. At the
    /// end of the message `chunk` becomes empty.
    private mutating func readCiphertext(into chunk: inout [UInt8]) throws(CryptorError) {
        let rules = header.version.rules
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: held)
        try input.append(MessageChunk.byteCount + rules.tailByteCount - held.count, to: &chunk)
        let count = rules.releasableByteCount(of: chunk.count)
        held.removeAll(keepingCapacity: true)
        held.append(contentsOf: chunk[count...])
        chunk.removeLast(held.count)
    }
}

/// The first ciphertext of a message, and its keys.
struct MessageStart {
    /// In whole blocks and without the last block of the message; perhaps empty.
    let ciphertext: [UInt8]
    /// Nil if there are several candidates.
    let keys: KeyPair?
}
