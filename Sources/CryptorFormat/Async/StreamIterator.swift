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
///
/// Copies of it, as actors make them, are one stream: what is over for one is over for all. It is asked by one task at a time:
/// a second that asks meanwhile would get a piece out of order, and ends the stream for both.
final class StreamIterator<Base: AsyncSequence, Work: StreamWork, Failure: Error>
where Base.Element: Collection<UInt8> {
    private enum State {
        case reading
        /// What the end of the source gave, and has not been asked for yet.
        case ending(ArraySlice<UInt8>)
        case failed(Failure)
    }

    private var base: Base.AsyncIterator
    private let work: Work
    private let failures: StreamFailures<Base.Failure, Failure>
    private var state = State.reading
    private var isBusy = false
    /// Of the last chunk, what has not been taken yet.
    private var rest: Base.Element.SubSequence?

    init(_ base: Base.AsyncIterator, work: Work, failures: StreamFailures<Base.Failure, Failure>) {
        self.base = base
        self.work = work
        self.failures = failures
    }

    func next(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        guard !isBusy else { throw fail(failures.cryptor(.askedTwice)) }
        isBusy = true
        defer { isBusy = false }
        do throws(Failure) {
            let output = try await step(isolation: isolation)
            // Another task may have asked meanwhile.
            if case .failed(let failure) = state { throw failure }
            return output
        } catch {
            throw fail(error)
        }
    }

    /// The first failure is the one that stays.
    private func fail(_ error: Failure) -> Failure {
        if case .failed(let first) = state { return first }
        state = .failed(error)
        rest = nil
        return error
    }

    private func step(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        while true {
            switch state {
            case .failed(let failure):
                throw failure
            case .ending(let output):
                guard !output.isEmpty else { return nil }
                state = .ending(output.dropFirst(StreamPiece.maximumByteCount))
                return Array(output.prefix(StreamPiece.maximumByteCount))
            case .reading:
                // A source that is cancelled may end as if it were at its end: what it gave must not pass for all there is.
                if Task.isCancelled { throw failures.cryptor(.cancelled) }
                if let output = try await read(isolation: isolation) { return output }
            }
        }
    }

    /// - Returns: nil if there is nothing to give yet.
    private func read(isolation: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
        if let chunk = rest, !chunk.isEmpty { return try await take(from: chunk, isolation: isolation) }
        rest = nil
        let chunk: Base.Element?
        do throws(Base.Failure) {
            chunk = try await base.next(isolation: isolation)
        } catch {
            throw failures.source(error)
        }
        guard case .reading = state else { return nil }
        if let chunk {
            rest = chunk[...]
            return nil
        }
        if Task.isCancelled { throw failures.cryptor(.cancelled) }
        do throws(CryptorError) {
            let last = try await work.finish(isolation: isolation)
            if case .reading = state { state = .ending(last[...]) }
        } catch {
            throw failures.cryptor(error)
        }
        return nil
    }

    private func take(
        from chunk: Base.Element.SubSequence, isolation: isolated (any Actor)?
    ) async throws(Failure) -> [UInt8]? {
        let piece = chunk.prefix(work.nextByteCount)
        rest = chunk[piece.endIndex...]
        let output: [UInt8]
        do throws(CryptorError) {
            output = try await work.update(piece, isolation: isolation)
        } catch {
            throw failures.cryptor(error)
        }
        if rest?.isEmpty == false { await Task.yield() }
        return output.isEmpty ? nil : output
    }
}
