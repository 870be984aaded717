import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A message file that is read: to verify it, to decrypt it, or to give it another credential.
///
/// In the first pass the HMAC sees all of it. A ``VerifiedFile`` reads it again, segment by
/// segment, and releases each segment only if it is the one that the HMAC saw.
struct MessageFile: ~Copyable {
    var input: InputFile
    private let reading: Reading
    private let spoolByteLimit: Int?
    /// The bytes that have been read and may belong to the tail.
    private var held: [UInt8]
    /// Whether the message has version 0, and is another one in memory: see
    /// ``convertedFromVersion0(_:start:with:_:)``.
    let wasVersion0: Bool

    /// Reads the header of a message file, of which nothing has been read yet.
    /// - Parameter options: whether base64 text is decoded, whether version 0 is read, and how much
    ///   is spooled.
    static func begin(
        _ input: consuming InputFile, with credential: Credential, accepting: Acceptance,
        _ options: FileOptions
    ) throws(CryptorError) -> MessageFile {
        if options.base64 { try input.acceptBase64() }
        var start: [UInt8] = []
        try input.append(MessageHeader.base64ProbeByteCount, to: &start)
        if options.readsVersion0, start.first == 0 {
            return try convertedFromVersion0(input, start: start, with: credential, options)
        }
        // A short file has been read to its end.
        let isComplete = start.count < MessageHeader.base64ProbeByteCount
        let end = try input.end(ofMessageFrom: start, isComplete: isComplete)
        let byteCount = input.messageByteCount ?? (isComplete ? start.count : nil)
        let reading = try credential.reading(
            of: start.rawSpan(start.indices), messageByteCount: byteCount,
            end: end.rawSpan(end.indices), accepting: accepting)
        return MessageFile(
            input: input, reading: reading, spoolByteLimit: options.spoolByteLimit,
            held: Array(start.dropFirst(reading.header.byteCount)), wasVersion0: false)
    }

    /// Reads a message of version 0 whole, and verifies it. It goes on as a message of version 3
    /// under keys that nobody else has, so that whatever is done with a message is written once.
    /// - Parameter start: the bytes that have been read.
    private static func convertedFromVersion0(
        _ input: consuming InputFile, start: [UInt8], with credential: Credential,
        _ options: FileOptions
    ) throws(CryptorError) -> MessageFile {
        var message = start
        try input.appendVersion0(to: &message)
        var plaintext = try Cryptor.decryptVersion0(message, with: credential)
        defer { cleanse(&plaintext) }
        let keys = Credential.keys(try MessageKeys.random())
        message = try Cryptor.encrypt(plaintext, with: keys)
        let reading = try keys.reading(ofWhole: message, accepting: [.v3])
        return MessageFile(
            input: input, reading: reading, spoolByteLimit: options.spoolByteLimit,
            held: Array(message.dropFirst(reading.header.byteCount)), wasVersion0: true)
    }

    private var header: MessageHeader { reading.header }

    /// Verifies the message and releases nothing.
    mutating func verify() throws(CryptorError) -> VerifiedMessage {
        let message = try readToEnd { (_, _) throws(CryptorError) in }
        try input.progress.complete()
        return message
    }

    /// Decrypts into an output. If others see its bytes at once, it gets nothing unverified.
    mutating func decrypt(to output: inout OutputFile) throws(CryptorError) {
        try decrypt(verifyingFirst: output.isSeenAtOnce) { (plaintext) throws(CryptorError) in
            try output.write(plaintext)
        }
    }

    /// Decrypts the message and passes its plaintext on, in one pass. If nothing unverified may be
    /// passed on, or only the HMAC shows which candidate opens the message, the message is verified
    /// in a pass of its own before.
    /// - Parameter receive: gets **unverified** plaintext unless `verifyingFirst`: do not use it if
    ///   this throws.
    mutating func decrypt(
        verifyingFirst: Bool, _ receive: ([UInt8]) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let progress = input.progress
        guard !verifyingFirst, !reading.hasSeveralCandidates else {
            return try VerifiedFile(firstPass()).readAll(progress, receive)
        }
        var plaintext: [UInt8] = []
        let message = try readToEnd { (ciphertext, reader) throws(CryptorError) in
            try reader.decrypt(ciphertext, unverifiedReplacing: &plaintext)
            try receive(plaintext)
        }
        try receive(message.lastPlaintext.withRawSpan { Array(copying: $0) })
        try progress.complete()
    }

    /// Verifies the message, to be read again. A source that can be read only once, or is base64
    /// text, is copied for that: as ciphertext without the last block, in a private file without a
    /// name.
    /// - Parameter forRandomAccess: whether parts of it are read later, in any order. Otherwise all
    ///   of it is read next.
    mutating func firstPass(forRandomAccess: Bool = false) throws(CryptorError) -> VerifiedContents
    {
        if !forRandomAccess { input.expectAnotherPass() }
        var digests = try SegmentDigests(
            header, segmentByteCount: forRandomAccess ? 64 * 1024 : MessageChunk.byteCount)
        let progress = input.progress
        let isSpooled = input.start == nil || input.isBase64 || wasVersion0
        var spool: Spool? =
            if isSpooled { try Spool.begin(byteLimit: spoolByteLimit, progress) } else { nil }
        try spool?.write(header.bytes)
        let message = try readToEnd { (ciphertext, _) throws(CryptorError) in
            try digests.add(ciphertext)
            try spool?.write(ciphertext)
        }
        if forRandomAccess { try progress.complete() } else { progress.expectAgain() }
        let file = if let spool = spool.take() { spool.finish() } else { try input.duplicate() }
        let start = isSpooled ? 0 : input.start ?? 0
        return VerifiedContents(
            name: input.name, header: header, message: message, digests: digests,
            descriptor: file, ciphertextStart: start + header.byteCount)
    }

    /// Reads to the end of the message and verifies it. The HMAC takes longest, so a worker
    /// computes it while this thread does everything else. No key is derived for a message of a
    /// wrong shape, if that shows by now.
    /// - Parameter use: gets the ciphertext in whole blocks, without the last block, and its
    ///   reader.
    private mutating func readToEnd(
        use: ([UInt8], inout MessageReader) throws(CryptorError) -> Void
    ) throws(CryptorError) -> VerifiedMessage {
        var ciphertext: [UInt8] = []
        try readCiphertext(into: &ciphertext)
        if ciphertext.count < MessageChunk.byteCount {
            try header.checkMessageByteCount(header.byteCount + ciphertext.count + held.count)
        }
        var reader = try MessageReader(try reading.answered())
        var work = LargeWork()
        while !ciphertext.isEmpty {
            let cores = work.reserveCores(forNext: ciphertext.count)
            let unneeded = try reader.hash(ciphertext, besideCaller: cores.includeSecond)
            try use(ciphertext, &reader)
            ciphertext = unneeded ?? []
            try readCiphertext(into: &ciphertext)
        }
        return try withRawSpan(of: held) { (tail) throws(CryptorError) in try reader.finish(tail) }
    }

    /// Replaces the contents of `chunk` with the next ciphertext, in whole blocks and without the
    /// last block. At the end of the message `chunk` becomes empty.
    private mutating func readCiphertext(into chunk: inout [UInt8]) throws(CryptorError) {
        chunk.removeAll(keepingCapacity: true)
        chunk.append(contentsOf: held)
        let count = MessageChunk.byteCount + header.version.heldBackByteCount
        try input.append(max(0, count - held.count), to: &chunk)
        held = Array(chunk[header.version.releasableByteCount(of: chunk.count)...])
        chunk.removeLast(held.count)
    }
}
