import CryptorTestSupport
import Dispatch

@testable import CryptorAsync

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

/// Like a chain of buffers: no contiguous storage.
struct ScatteredView: Collection, Sendable {
    private let bytes: [UInt8]

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    var startIndex: Int { 0 }
    var endIndex: Int { bytes.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 { bytes[index] }
}

/// What came out of an asynchronous sequence, which is asked a few times more after it has failed
/// or ended.
struct ReadSequence {
    private(set) var chunks: [[UInt8]] = []
    private(set) var error: (any Error)?
    /// The result of each later `next()`; nil for an end.
    private(set) var later: [String?] = []

    var bytes: [UInt8] { chunks.flatMap { $0 } }
    var code: CryptorError.Code? { (error as? CryptorError)?.code }

    /// Whether the sequence stayed failed or ended.
    var isSticky: Bool { later.allSatisfy { $0 == error.map { "\($0)" } } && later.count == 3 }

    init<Source: AsyncSequence>(_ source: Source) async where Source.Element == [UInt8] {
        var iterator = source.makeAsyncIterator()
        do {
            while let chunk = try await iterator.next(isolation: nil) { chunks.append(chunk) }
        } catch {
            self.error = error
        }
        for _ in 0..<3 {
            do {
                later.append(
                    try await iterator.next(isolation: nil).map { "released \($0.count) bytes" })
            } catch {
                later.append("\(error)")
            }
        }
    }
}

/// Keeps a thread of a pool's queue busy until it is opened.
final class Blocker: Sendable {
    private let hasArrived = Tally()
    private let release = DispatchSemaphore(value: 0)

    /// Returns when it occupies a thread.
    init(occupying queue: PoolQueue) async {
        Task { [self] in
            try await queue.run(isAdmitted: true) { (_) throws(CryptorError) in self.stay() }
        }
        await until { hasArrived.count == 1 }
    }

    private func stay() {
        hasArrived.add()
        release.wait()
    }

    func open() { release.signal() }
}
