/// The work on a stream of bytes, piece by piece.
protocol StreamWork: AnyObject {
    /// The most bytes to take next.
    var nextByteCount: Int { get }

    /// Takes a piece, and returns the output that is ready.
    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8]

    /// Returns the rest of the output, at the end of the source. Called once.
    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8]
}

/// A piece of a source's chunk.
///
/// The work on a piece is done where the task runs: the way to another thread and back would cost half as much as the
/// work. Between two pieces of a chunk other tasks get their turn, so that no chunk is too large for one of Swift's
/// threads.
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

/// Asks the source for a chunk when it has no other output to return, and never before.
///
/// Copies of a sequence's iterator, which actors make, share this object and are one stream: if it ends or fails for
/// one copy, it does so for all. Only one task at a time may ask it. A second task that asks meanwhile would get a
/// piece out of order, so the stream fails for both.
final class StreamIterator<Base: AsyncSequence, Work: StreamWork, Failure: Error>
where Base.Element: Collection<UInt8> {
    private enum State {
        case reading
        /// The source has ended. The rest of the output has not been asked for yet.
        case ending(ArraySlice<UInt8>)
        case failed(Failure)
    }

    private var base: Base.AsyncIterator
    private let work: Work
    private let failures: StreamFailures<Base.Failure, Failure>
    private var state = State.reading
    private var isBusy = false
    /// The part of the last chunk that has not been taken yet.
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
            // Another task may have asked meanwhile, and failed the stream.
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
                // A cancelled source may end as if it were complete, and what it returned must not pass for all of it.
                if Task.isCancelled { throw failures.cryptor(.cancelled) }
                if let output = try await read(isolation: isolation) { return output }
            }
        }
    }

    /// - Returns: output; nil if there is none to return yet.
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
