import CryptorPrimitives

/// Keeps the end of a byte stream back, since only the end of the input tells which bytes those are.
///
/// What it releases comes in whole blocks and in order, straight from the caller's chunk where it can. What it holds when
/// the stream ends is the tail if the stream was a number of blocks longer than that, more if
/// blocks are incomplete, fewer if there never were so many.
struct TailHoldback {
    /// Up to so much, a copy costs less than to release what was held and what is new one after the other.
    private let copyByteCount: Int
    private let body: BodyFraming

    /// The bytes that are held back, oldest first.
    private(set) var held: [UInt8] = []

    /// How many bytes have been released.
    private(set) var releasedByteCount = 0

    init(_ body: BodyFraming, copyingUpTo copyByteCount: Int = 2048) {
        self.copyByteCount = copyByteCount
        self.body = body
        held.reserveCapacity(body.tailByteCount + 2 * body.blockByteCount)
    }

    /// How many bytes are released once `count` more have come.
    func releasableByteCount(adding count: Int) -> Int { body.releasableByteCount(of: held.count + count) }

    /// Adds `chunk` and releases what is certain not to be the tail, as up to two spans of whole blocks.
    mutating func add<Failure: Error>(
        _ chunk: RawSpan, release: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let releasable = releasableByteCount(adding: chunk.byteCount)
        releasedByteCount += releasable
        guard releasable > max(held.count, copyByteCount) else {
            // A small chunk: it pushes older bytes out, and its own after them.
            held.append(contentsOf: chunk)
            guard releasable > 0 else { return }
            try withRawSpan(of: held) { (held) throws(Failure) in try release(held.extracting(first: releasable)) }
            held.removeFirst(releasable)
            return
        }
        // All that is held goes, its last block completed from the chunk; the rest goes without a copy.
        let completing = (body.blockByteCount - held.count % body.blockByteCount) % body.blockByteCount
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
