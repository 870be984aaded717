extension AsyncSequence where Element == UInt8 {
    /// The same bytes in chunks, for sequences of single bytes, such as `URL.AsyncBytes`:
    /// `bytes.byteChunks().encrypted(with: credential)`.
    /// - Parameter byteCount: what each chunk has, but for the last; 1 if it is less. A chunk waits for all of its bytes.
    /// - Returns: the chunks, none of them empty.
    @inlinable
    public func byteChunks(of byteCount: Int = 16 * 1024) -> AsyncByteChunks<Self> {
        AsyncByteChunks { [self] in
            let reader = ByteReader(self, byteCount: byteCount)
            return { (actor: isolated (any Actor)?) async throws(Failure) -> [UInt8]? in
                try await reader.next(isolation: actor)
            }
        }
    }
}

/// Compiled where it is used: what is done for each byte knows the sequence.
@usableFromInline
final class ByteReader<Base: AsyncSequence>: @unchecked Sendable where Base.Element == UInt8 {
    // Unchecked: one task at a time asks an iterator.
    @usableFromInline var bytes: Base.AsyncIterator
    @usableFromInline let byteCount: Int

    @inlinable
    init(_ base: Base, byteCount: Int) {
        bytes = base.makeAsyncIterator()
        self.byteCount = byteCount
    }

    @inlinable
    func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> [UInt8]? {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(min(max(0, byteCount), 16 * 1024))
        repeat {
            guard let byte = try await bytes.next(isolation: actor) else { break }
            chunk.append(byte)
        } while chunk.count < byteCount
        return chunk.isEmpty ? nil : chunk
    }
}

/// What ``_Concurrency/AsyncSequence/byteChunks(of:)`` makes of a sequence of single bytes.
public struct AsyncByteChunks<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
    @usableFromInline
    typealias Next = (isolated (any Actor)?) async throws(Base.Failure) -> [UInt8]?

    private let begin: () -> Next

    @usableFromInline
    init(_ begin: @escaping () -> Next) {
        self.begin = begin
    }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator { Iterator(read: begin()) }

    /// Reads one chunk after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: Next

        /// The next chunk; nil at the end.
        /// - Throws: what the sequence of bytes throws; what had come of a chunk is lost then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> [UInt8]? {
            try await read(actor)
        }
    }
}

// Unchecked: all that `begin` has is the sequence.
extension AsyncByteChunks: @unchecked Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncByteChunks.Iterator: Sendable {}
