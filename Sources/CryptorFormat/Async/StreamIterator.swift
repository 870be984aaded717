/// What is made of a stream of bytes, piece by piece.
protocol StreamWork: AnyObject {
    /// The most bytes to take next.
    var nextByteCount: Int { get }

    /// Takes a piece, and gives what it makes of it.
    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8]

    /// Gives the rest, at the end of the source. Called once.
    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8]
}

/// A piece of a source's chunk.
///
/// What is done with one is done where the task runs: the way to another thread and back costs as much as half of it. Between
/// two pieces of a chunk other tasks get their turn, so that no chunk is too large for a thread of Swift's.
enum StreamPiece {
    static let maximumByteCount = 64 * 1024
}

/// What a stream throws for an error of its source, and for one of this library.
struct StreamFailures<Source: Error, Failure: Error>: Sendable {
    let source: @Sendable (Source) -> Failure
    let cryptor: @Sendable (CryptorError) -> Failure
}

extension StreamFailures where Source == Never, Failure == CryptorError {
    static var ofTheCryptorAlone: StreamFailures { StreamFailures(source: absurd, cryptor: { $0 }) }

    @Sendable private static func absurd(_ never: Never) -> CryptorError {}
}

/// Asks the source for a chunk when there is nothing else to give, and never before.
struct StreamIterator<Base: AsyncSequence, Work: StreamWork, Failure: Error> where Base.Element: Collection<UInt8> {
    private enum State {
        case reading
        /// What the end of the source gave, and has not been asked for yet.
        case ending(ArraySlice<UInt8>)
        case failed(Failure)
    }

    /// Copies of an iterator, as actors make them, work on one stream: what is over for one is over for all.
    private final class Position {
        var state = State.reading
        /// Of the last chunk, what has not been taken yet.
        var rest: Base.Element.SubSequence?
    }

    private var base: Base.AsyncIterator
    private let work: Work
    private let failures: StreamFailures<Base.Failure, Failure>
    private let position = Position()

    init(_ base: Base.AsyncIterator, _ work: Work, _ failures: StreamFailures<Base.Failure, Failure>) {
        self.base = base
        self.work = work
        self.failures = failures
    }

    mutating func next(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        do throws(Failure) {
            return try await step(isolation: isolation)
        } catch {
            position.state = .failed(error)
            position.rest = nil
            throw error
        }
    }

    private mutating func step(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        while true {
            switch position.state {
            case .failed(let failure):
                throw failure
            case .ending(let output):
                guard !output.isEmpty else { return nil }
                position.state = .ending(output.dropFirst(StreamPiece.maximumByteCount))
                return Array(output.prefix(StreamPiece.maximumByteCount))
            case .reading:
                // A source that is cancelled may end as if it were at its end: what it gave must not pass for all there is.
                if Task.isCancelled { throw failures.cryptor(.cancelled) }
                if let output = try await read(isolation: isolation) { return output }
            }
        }
    }

    /// - Returns: nil if there is nothing to give yet.
    private mutating func read(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        if let chunk = position.rest, !chunk.isEmpty {
            return try await take(from: chunk, isolation: isolation)
        }
        position.rest = nil
        let chunk: Base.Element?
        do throws(Base.Failure) {
            chunk = try await base.next(isolation: isolation)
        } catch {
            throw failures.source(error)
        }
        if let chunk {
            position.rest = chunk[...]
        } else {
            if Task.isCancelled { throw failures.cryptor(.cancelled) }
            do throws(CryptorError) {
                position.state = .ending(try await work.finish(isolation: isolation)[...])
            } catch {
                throw failures.cryptor(error)
            }
        }
        return nil
    }

    private mutating func take(
        from chunk: Base.Element.SubSequence, isolation: isolated (any Actor)?
    ) async throws(Failure) -> [UInt8]? {
        let piece = chunk.prefix(work.nextByteCount)
        position.rest = chunk[piece.endIndex...]
        let output: [UInt8]
        do throws(CryptorError) {
            output = try await work.update(piece, isolation: isolation)
        } catch {
            throw failures.cryptor(error)
        }
        if position.rest?.isEmpty == false { await Task.yield() }
        return output.isEmpty ? nil : output
    }
}
