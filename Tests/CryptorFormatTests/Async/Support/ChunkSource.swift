import CryptorTestSupport

/// A stand-in for the source from which a server gets its bytes. It counts how often it is asked.
struct ChunkSource<Chunk: Collection<UInt8> & Sendable, Failure: Error>: AsyncSequence, Sendable {
    typealias Element = Chunk

    let chunks: [Chunk]
    /// What it throws after the chunks, each time it is asked.
    let failure: Failure?
    /// How often a chunk, or the end, was asked for.
    let pulls = Tally()

    init(_ chunks: [Chunk], thenThrowing failure: Failure) {
        self.chunks = chunks
        self.failure = failure
    }

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        let source: ChunkSource
        var index = 0

        mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> Chunk? {
            source.pulls.add()
            guard index < source.chunks.count else {
                if let failure = source.failure { throw failure }
                return nil
            }
            defer { index += 1 }
            return source.chunks[index]
        }
    }
}

extension ChunkSource where Failure == Never {
    init(_ chunks: [Chunk]) {
        self.chunks = chunks
        failure = nil
    }
}

/// Like a view of a server's buffer: its storage is contiguous, and its indices start anywhere.
struct BufferView: Collection, Sendable {
    typealias SubSequence = BufferView
    private let storage: [UInt8]
    let startIndex: Int
    let endIndex: Int

    init(_ bytes: some Collection<UInt8>) {
        storage = [0xAA, 0xBB, 0xCC] + bytes + [0xDD]
        startIndex = 3
        endIndex = 3 + bytes.count
    }

    private init(_ storage: [UInt8], _ range: Range<Int>) {
        self.storage = storage
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 { storage[index] }
    subscript(range: Range<Int>) -> BufferView { BufferView(storage, range) }

    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try storage[startIndex..<endIndex].withContiguousStorageIfAvailable(body)
    }
}

/// Like a chain of buffers: no contiguous storage.
struct ScatteredView: Collection, Sendable {
    private let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 { bytes[index] }
}
