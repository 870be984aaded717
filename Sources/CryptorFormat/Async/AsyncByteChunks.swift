extension AsyncSequence where Element == UInt8 {
    /// The same bytes in chunks, for sequences of single bytes, such as `URL.AsyncBytes`:
    /// `bytes.byteChunks().encrypted(with: credential)`.
    /// - Parameter byteCount: the length of each chunk but the last, at least 1. A chunk waits for all of its bytes.
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

/// Inlinable, so that the loop over the bytes is compiled for the type of the sequence.
@usableFromInline
final class ByteReader<Base: AsyncSequence>: @unchecked Sendable where Base.Element == UInt8 {
    // Unchecked: only one task at a time uses an iterator.
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

/// The chunks that ``_Concurrency/AsyncSequence/byteChunks(of:)`` makes of a sequence of single bytes.
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
        /// - Throws: what the sequence of bytes throws. The bytes of an incomplete chunk are lost then.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> [UInt8]? {
            try await read(actor)
        }
    }
}

// Unchecked: `begin` holds nothing but the sequence and the length of a chunk.
extension AsyncByteChunks: @unchecked Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncByteChunks.Iterator: Sendable {}
