import CryptorPrimitives

/// The framing of one message that comes in chunks: header, ciphertext in whole blocks, tail. It knows no cipher.
package struct MessageFraming {
    let terms: ReadingTerms
    private var headerReader: HeaderReader
    private var body: (header: Header, holdback: TailHoldback)?

    package init(_ terms: ReadingTerms) {
        self.terms = terms
        self.headerReader = HeaderReader(terms.expectation)
    }

    /// How much ciphertext `count` more bytes release at most. The number is exact once the header has come.
    func maximumReleaseByteCount(adding count: Int) -> Int {
        if let releasable = body?.holdback.releasableByteCount(adding: count) { return releasable }
        // Input that is longer than a header and still undecided is not a message, and none of it is released.
        let prefixByteCount = min(headerReader.byteCount, FormatSize.passwordHeader)
        return max(0, prefixByteCount + count - FormatSize.keyHeader - FormatSize.tag)
    }

    /// Takes the header off the start of the message.
    /// - Returns: how many bytes of `chunk` belong to the header, 0 once it has come; nil while it is incomplete.
    package mutating func readHeader(_ chunk: RawSpan) throws(CryptorError) -> Int? {
        if body != nil { return 0 }
        guard let (header, byteCount) = try headerReader.read(chunk) else { return nil }
        try terms.check(header)
        body = (header, TailHoldback(header.version))
        return byteCount
    }

    /// Whether the message begins with `chunk`, and may be of either kind: see ``ReadingTerms/areAmbiguous(startingWith:)``.
    func areAmbiguous(startingWith chunk: RawSpan) -> Bool {
        body == nil && headerReader.byteCount == 0 && chunk.byteCount > 0
            && terms.areAmbiguous(startingWith: chunk.byte(at: 0))
    }

    /// The header, if it has just come and several candidates may open the message.
    var headerOfSeveralCandidates: Header? {
        guard let body, body.holdback.isEmpty, terms.hasSeveralCandidates(for: body.header) else { return nil }
        return body.header
    }

    /// The header, if it has come and adding `count` bytes releases ciphertext.
    func headerIfReleasing(adding count: Int) -> Header? {
        guard let releasable = body?.holdback.releasableByteCount(adding: count), releasable > 0 else { return nil }
        return body?.header
    }

    /// Adds what follows the header and releases what is certain to be ciphertext before the last block, as spans of
    /// whole blocks.
    mutating func add(
        _ chunk: RawSpan, release: (RawSpan) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        try body?.holdback.add(chunk, release: release)
    }

    /// The header and the tail of a message that has ended: all that is still held back.
    func finish() throws(CryptorError) -> (header: Header, tail: [UInt8]) {
        guard let body else { throw headerReader.finish() }
        try body.header.checkMessageByteCount(
            body.header.byteCount + body.holdback.releasedByteCount + body.holdback.held.count)
        return (body.header, body.holdback.held)
    }
}

/// Holds back the last bytes of a stream, because only its end tells which bytes are the last.
///
/// What it releases comes in whole blocks and in order, straight from the caller's chunk where possible. What it holds
/// when the stream ends is exactly the tail if whole blocks came before the tail. It is more if a block is incomplete,
/// and less if the stream was shorter than a tail.
struct TailHoldback {
    /// Up to this many bytes, it costs less to copy the new ones behind the held ones than to release both separately.
    private static let copyByteCount = 2048
    private let version: FormatVersion

    /// The bytes that are held back, oldest first.
    private(set) var held: [UInt8] = []

    var isEmpty: Bool { held.isEmpty && releasedByteCount == 0 }

    /// How many bytes have been released.
    private(set) var releasedByteCount = 0

    init(_ version: FormatVersion) {
        self.version = version
        held.reserveCapacity(version.tailByteCount + 2 * version.blockByteCount)
    }

    /// How many bytes are released when `count` more come.
    func releasableByteCount(adding count: Int) -> Int { version.releasableByteCount(of: held.count + count) }

    /// Adds `chunk` and releases what is certain not to be the tail, as up to two spans of whole blocks.
    mutating func add<Failure: Error>(
        _ chunk: RawSpan, release: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let releasable = releasableByteCount(adding: chunk.byteCount)
        releasedByteCount += releasable
        guard releasable > max(held.count, Self.copyByteCount) else {
            // The chunk is small: it is appended to the held bytes, and the oldest of them are released.
            held.append(contentsOf: chunk)
            guard releasable > 0 else { return }
            try withRawSpan(of: held) { (held) throws(Failure) in try release(held.extracting(first: releasable)) }
            held.removeFirst(releasable)
            return
        }
        // The chunk completes the last held block, and all held bytes are released. The blocks after them need no copy.
        let completing = (version.blockByteCount - held.count % version.blockByteCount) % version.blockByteCount
        let direct = releasable - held.count
        held.append(contentsOf: chunk.extracting(first: completing))
        try withRawSpan(of: held) { (held) throws(Failure) in
            if held.byteCount > 0 { try release(held) }
        }
        held.removeAll(keepingCapacity: true)
        if direct > completing { try release(chunk.extracting(completing..<direct)) }
        held.append(contentsOf: chunk.extracting(direct..<chunk.byteCount))
    }
}
