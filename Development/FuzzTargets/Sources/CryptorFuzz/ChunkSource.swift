/// What a source does at one place before it gives its next chunk or its end, or instead of that.
struct SourceEvent: Sendable {
    enum Kind: Sendable { case none, yields, cancels, endsCancelled, fails }

    let kind: Kind
    let place: Int

    init(_ choice: UInt8, at place: Int) {
        kind = [.none, .none, .yields, .cancels, .endsCancelled, .fails][Int(choice % 6)]
        self.place = place
    }

    /// Whether the consumer may see a normal end after all chunks.
    func mayEnd(after chunkCount: Int) -> Bool {
        kind == .none || kind == .yields || place > chunkCount
    }
}

/// Chunks that come one at a time, with one event among them. Copies of an iterator share their place.
struct ChunkSource<Failure: Error>: AsyncSequence, Sendable {
    let chunks: [ArraySlice<UInt8>]
    let event: SourceEvent
    /// The error of the source; nil if it cannot fail.
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
