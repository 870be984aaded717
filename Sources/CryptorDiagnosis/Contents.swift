import CryptorFiles

/// The bytes of a file or an array, or what is left of them after some steps were undone.
///
/// Short contents are in memory. Long ones are read in pieces each time, and only their first and
/// last bytes are kept.
struct Contents {
    /// Where bytes come from that may be read at any offset.
    struct Source {
        let byteCount: Int
        let bytes: (Range<Int>) throws(CryptorError) -> [UInt8]
        /// Asked between two pieces.
        let shouldStop: () -> Bool
        /// The length of short contents, at most.
        var shortByteCount = 16 * 1024 * 1024
        /// How much is kept of each end of long contents. They are read in pieces twice as long.
        var edgeByteCount = 128 * 1024
    }

    let byteCount: Int
    /// All bytes of short contents; the first and the last ones of long contents.
    let excerpt: [UInt8]
    private let source: Source
    /// What makes long contents of the source, piece by piece.
    private let steps: [AlterationSearch.Step]

    init(_ source: Source) throws(CryptorError) {
        var excerpt: [UInt8]
        if source.byteCount <= source.shortByteCount {
            excerpt = try source.bytes(0..<source.byteCount)
        } else {
            excerpt = try source.bytes(0..<source.edgeByteCount)
            excerpt += try source.bytes(source.byteCount - source.edgeByteCount..<source.byteCount)
        }
        self.init(source, byteCount: source.byteCount, excerpt: excerpt)
    }

    init(_ bytes: [UInt8], shouldStop: @escaping () -> Bool) {
        let source = Source(
            byteCount: bytes.count,
            bytes: { (range) throws(CryptorError) in
                range == bytes.indices ? bytes : Array(bytes[range])
            },
            shouldStop: shouldStop)
        self.init(source, byteCount: bytes.count, excerpt: bytes)
    }

    private init(
        _ source: Source, steps: [AlterationSearch.Step] = [], byteCount: Int, excerpt: [UInt8]
    ) {
        self.source = source
        self.steps = steps
        self.byteCount = byteCount
        self.excerpt = excerpt
    }

    /// Whether the excerpt is everything.
    var isShort: Bool { excerpt.count == byteCount }

    /// The bytes that a range of the excerpt begins and ends with, and all between them.
    func range(ofExcerpt range: Range<Int>) -> Range<Int> {
        func offset(_ index: Int) -> Int {
            isShort || index <= source.edgeByteCount ? index : index + byteCount - excerpt.count
        }
        return offset(range.lowerBound)..<offset(range.upperBound)
    }

    // MARK: Reading

    /// The bytes of a short range. What is missing, as a file has changed since, is zeros: no
    /// message.
    func bytes(in range: Range<Int>) throws(CryptorError) -> [UInt8] {
        if isShort || range.upperBound <= source.edgeByteCount { return Array(excerpt[range]) }
        let end = byteCount - source.edgeByteCount
        if range.lowerBound >= end {
            let start = source.edgeByteCount + range.lowerBound - end
            return Array(excerpt[start..<start + range.count])
        }
        var bytes: [UInt8] = []
        _ = try forEachPiece(in: range) { piece in
            bytes += piece
            return true
        }
        return bytes + repeatElement(0, count: range.count - bytes.count)
    }

    /// Calls `use` with one piece of a range after the other, until it returns false.
    /// - Returns: whether it was called with all of them.
    func forEachPiece(
        in range: Range<Int>? = nil, _ use: ([UInt8]) throws(CryptorError) -> Bool
    ) throws(CryptorError) -> Bool {
        let range = range ?? 0..<byteCount
        var stages = steps.map { Stage(part: $0.site.part, decode: $0.alteration.decoder($0.site)) }
        var rest = 0..<source.byteCount
        if stages.isEmpty { rest = range } else { stages.append(Stage(part: range)) }
        while !rest.isEmpty {
            if source.shouldStop() { throw .cancelled }
            let part = rest.prefix(2 * source.edgeByteCount)
            rest = rest.dropFirst(part.count)
            var piece = isShort ? Array(excerpt[part]) : try source.bytes(part)
            for index in stages.indices {
                guard let left = stages[index].undo(piece) else { return false }
                piece = left
            }
            if !piece.isEmpty, try !use(piece) { return false }
            if stages.last?.isComplete == true { return true }
        }
        return true
    }

    // MARK: Undoing

    /// What is left after another step; nil if there is nothing to undo after all.
    /// - Parameter isWorthwhile: whether long contents may begin like this.
    func undoing(
        _ step: AlterationSearch.Step, isWorthwhile: ([UInt8]) -> Bool
    ) throws(CryptorError) -> Contents? {
        if isShort {
            if source.shouldStop() { throw .cancelled }
            return step.undo(excerpt).map { Contents($0, shouldStop: source.shouldStop) }
        }
        var left = Contents(source, steps: steps + [step], byteCount: .max, excerpt: [])
        var count = 0
        var start: [UInt8] = []
        var end: [UInt8] = []
        let isComplete = try left.forEachPiece { piece in
            if count == 0, !isWorthwhile(piece) { return false }
            count += piece.count
            start += piece.prefix(source.edgeByteCount - start.count)
            end = Array((end + piece).suffix(source.edgeByteCount))
            return true
        }
        guard isComplete, count > 0 else { return nil }
        left = Contents(source, steps: left.steps, byteCount: count, excerpt: start + end)
        guard count <= source.shortByteCount else { return left }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        _ = try left.forEachPiece(in: 0..<count) { piece in
            bytes += piece
            return true
        }
        return Contents(bytes, shouldStop: source.shouldStop)
    }

    /// Undoes one step, piece by piece.
    private struct Stage {
        let part: Range<Int>
        let decode: Decoder?
        private var offset = 0

        init(part: Range<Int>, decode: Decoder? = nil) {
            self.part = part
            self.decode = decode
        }

        var isComplete: Bool { offset >= part.upperBound }

        /// What is left of the next piece; nil if it cannot be undone.
        mutating func undo(_ piece: [UInt8]) -> [UInt8]? {
            let found = (offset..<offset + piece.count).clamped(to: part)
            let start = offset
            offset += piece.count
            guard !found.isEmpty else { return [] }
            let wanted = Array(piece[found.lowerBound - start..<found.upperBound - start])
            guard let decode else { return wanted }
            return decode(wanted, isComplete)
        }
    }
}
