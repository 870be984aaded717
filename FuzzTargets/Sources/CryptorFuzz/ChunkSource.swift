/// What a source does instead of giving one of its chunks, or its end.
struct SourceEvent: Sendable {
    enum Kind: Sendable { case none, yields, cancels, endsCancelled, fails }

    let kind: Kind
    let place: Int

    init(_ choice: UInt8, at place: Int) {
        kind = [.none, .none, .yields, .cancels, .endsCancelled, .fails][Int(choice % 6)]
        self.place = place
    }

    /// Whether the consumer may see the end of all chunks as the end.
    func mayEnd(after chunkCount: Int) -> Bool {
        kind == .none || kind == .yields || place > chunkCount
    }
}

/// Chunks that come one at a time, and what may happen meanwhile. Copies of an iterator are at one place.
struct ChunkSource<Failure: Error>: AsyncSequence, Sendable {
    let chunks: [ArraySlice<UInt8>]
    let event: SourceEvent
    /// What it fails with, if it can.
    let failure: Failure?

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    final class Iterator: AsyncIteratorProtocol {
        private let source: ChunkSource
        private var place = 0

        fileprivate init(source: ChunkSource) { self.source = source }

        func next() async throws(Failure) -> ArraySlice<UInt8>? { try await next(isolation: nil) }

        func next(isolation: isolated (any Actor)?) async throws(Failure) -> ArraySlice<UInt8>? {
            defer { place += 1 }
            if place == source.event.place {
                switch source.event.kind {
                case .none: break
                case .yields: await Task.yield()
                case .cancels: cancelThisTask()
                case .endsCancelled:
                    cancelThisTask()
                    return nil
                case .fails: if let failure = source.failure { throw failure }
                }
            }
            return place < source.chunks.count ? source.chunks[place] : nil
        }
    }
}
