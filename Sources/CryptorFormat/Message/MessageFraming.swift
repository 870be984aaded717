import CryptorPrimitives

/// The framing of one message that comes in chunks: header, ciphertext in whole blocks, tail. It
/// decrypts nothing.
///
/// The last bytes are held back, because only the end of the message shows which bytes are the
/// last. Ciphertext is released in whole blocks and in order, straight from the caller's chunk
/// where possible. At the end, the held bytes are exactly the tail if whole blocks came before it.
/// There are more if a block is incomplete, and fewer if the message was shorter than a tail.
struct MessageFraming {
    /// Up to this many bytes, it costs less to copy the new ones behind the held ones than to
    /// release both separately.
    private static let copyByteCount = 2048

    private let credential: Credential
    private let accepting: Acceptance
    /// Nil until the header has come.
    private(set) var reading: Reading?
    /// The bytes that are held back, oldest first. Until the header has come, this is all of the
    /// message.
    private var held: [UInt8] = []
    /// How much ciphertext has been released.
    private var releasedByteCount = 0

    init(_ credential: Credential, accepting: Acceptance) {
        self.credential = credential
        self.accepting = accepting
    }

    /// How much ciphertext `count` more bytes release at most. The number is exact once the header
    /// has come.
    func maximumReleaseByteCount(adding count: Int) -> Int {
        if let reading { return releasableByteCount(of: reading, adding: count) }
        // Input that is longer than a header and still undecided will be refused, and none of it
        // released.
        let heldOfHeader = min(held.count, FormatVersion.longestHeaderByteCount)
        return max(0, heldOfHeader + count - FormatVersion.shortestMessageByteCount)
    }

    /// Takes the header off the start of the message.
    /// - Returns: how many bytes of `chunk` belong to the header, 0 once it has come; nil while it
    ///   is incomplete.
    mutating func readHeader(_ chunk: RawSpan) throws(CryptorError) -> Int? {
        if reading != nil { return 0 }
        let before = held.count
        held.append(
            contentsOf: chunk.extracting(first: MessageHeader.base64ProbeByteCount - before))
        reading = try withRawSpan(of: held) { (start) throws(CryptorError) in
            try credential.reading(startOf: start, accepting: accepting)
        }
        guard let reading else { return nil }
        held.removeAll(keepingCapacity: true)
        return reading.header.byteCount - before
    }

    /// Whether adding `count` bytes after the header releases ciphertext.
    func releases(adding count: Int) -> Bool {
        reading.map { releasableByteCount(of: $0, adding: count) > 0 } ?? false
    }

    private func releasableByteCount(of reading: Reading, adding count: Int) -> Int {
        reading.header.version.releasableByteCount(of: held.count + count)
    }

    /// Adds bytes after the header, and releases those that are certain to be ciphertext before the
    /// last block, as up to two spans of whole blocks.
    /// - Parameter release: is also told whether the span is a part of `chunk`, not of a copy.
    mutating func add(
        _ chunk: RawSpan, release: (RawSpan, _ isOfChunk: Bool) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        guard let reading else { preconditionFailure("the header comes first") }
        let releasable = releasableByteCount(of: reading, adding: chunk.byteCount)
        releasedByteCount += releasable
        guard releasable > max(held.count, Self.copyByteCount) else {
            // The chunk is small: it is appended to the held bytes, and the oldest of them are
            // released.
            held.append(contentsOf: chunk)
            guard releasable > 0 else { return }
            try withRawSpan(of: held) { (held) throws(CryptorError) in
                try release(held.extracting(first: releasable), false)
            }
            held.removeFirst(releasable)
            return
        }
        // The chunk completes the last held block, and all held bytes are released. The blocks
        // after them need no copy.
        let completing =
            (FormatSize.block - held.count % FormatSize.block) % FormatSize.block
        let direct = releasable - held.count
        held.append(contentsOf: chunk.extracting(first: completing))
        try withRawSpan(of: held) { (held) throws(CryptorError) in
            if held.byteCount > 0 { try release(held, false) }
        }
        held.removeAll(keepingCapacity: true)
        if direct > completing { try release(chunk.extracting(completing..<direct), true) }
        held.append(contentsOf: chunk.extracting(direct..<chunk.byteCount))
    }

    /// The reading and the tail of a message that has ended: all that is still held back.
    func finish() throws(CryptorError) -> (reading: Reading, tail: [UInt8]) {
        guard let reading else {
            _ = try withRawSpan(of: held) { (message) throws(CryptorError) in
                try credential.reading(ofWhole: message, accepting: accepting)
            }
            preconditionFailure("what has no complete header is refused")
        }
        let header = reading.header
        try header.checkMessageByteCount(header.byteCount + releasedByteCount + held.count)
        return (reading, held)
    }
}
