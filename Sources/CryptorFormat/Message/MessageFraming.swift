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

    let opener: MessageOpener
    private var header: MessageHeader?
    /// The bytes that are held back, oldest first. Until the header has come, this is all of the
    /// message.
    private var held: [UInt8] = []
    /// How much ciphertext has been released.
    private var releasedByteCount = 0

    init(_ opener: MessageOpener) { self.opener = opener }

    /// How much ciphertext `count` more bytes release at most. The number is exact once the header
    /// has come.
    func maximumReleaseByteCount(adding count: Int) -> Int {
        if let header { return header.version.releasableByteCount(of: held.count + count) }
        // Input that is longer than a header and still undecided will be refused, and none of it
        // released.
        let heldOfHeader = min(held.count, FormatSize.passwordHeader)
        let fewestOthers = FormatSize.keyHeader + FormatVersion.fewestHeldBackBytes
        return max(0, heldOfHeader + count - fewestOthers)
    }

    /// Takes the header off the start of the message.
    /// - Returns: how many bytes of `chunk` belong to the header, 0 once it has come; nil while it
    ///   is incomplete.
    mutating func readHeader(_ chunk: RawSpan) throws(CryptorError) -> Int? {
        if header != nil { return 0 }
        let before = held.count
        held.append(
            contentsOf: chunk.extracting(first: MessageHeader.base64ProbeByteCount - before))
        let found = try withRawSpan(of: held) { (start) throws(CryptorError) in
            try opener.header(startOf: start)
        }
        guard let found else { return nil }
        header = found
        held.removeAll(keepingCapacity: true)
        return found.byteCount - before
    }

    /// The header, if it has come and several candidates may open the message.
    var headerOfSeveralCandidates: MessageHeader? {
        header.flatMap { opener.hasSeveralCandidates(for: $0) ? $0 : nil }
    }

    /// The header, if it has come and adding `count` bytes releases ciphertext.
    func headerIfReleasing(adding count: Int) -> MessageHeader? {
        guard let header, header.version.releasableByteCount(of: held.count + count) > 0 else {
            return nil
        }
        return header
    }

    /// Adds bytes after the header, and releases those that are certain to be ciphertext before the
    /// last block, as up to two spans of whole blocks.
    /// - Parameter release: is also told whether the span is a part of `chunk`, not of a copy.
    mutating func add(
        _ chunk: RawSpan, release: (RawSpan, _ isOfChunk: Bool) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        guard let version = header?.version else { preconditionFailure("the header comes first") }
        let releasable = version.releasableByteCount(of: held.count + chunk.byteCount)
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

    /// The header and the tail of a message that has ended: all that is still held back.
    func finish() throws(CryptorError) -> (header: MessageHeader, tail: [UInt8]) {
        guard let header else {
            _ = try withRawSpan(of: held) { (message) throws(CryptorError) in
                try opener.header(
                    of: message, messageByteCount: message.byteCount, end: message)
            }
            preconditionFailure("what has no complete header is refused")
        }
        try header.checkMessageByteCount(header.byteCount + releasedByteCount + held.count)
        return (header, held)
    }
}
