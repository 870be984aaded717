import CryptorFormat

/// Asks the source for a chunk when it has no other output to return, and never before.
///
/// Copies of a sequence's iterator, which actors make, share this object and are one stream: if it
/// ends or fails for one copy, it does so for all. Only one task at a time may use it. A second
/// task meanwhile would get a piece out of order, so the stream fails for both.
///
/// The work on a piece of a chunk is done where the task runs: the way to another thread and back
/// would cost half as much as the work. Between two pieces other tasks get their turn, so that no
/// chunk is too large for one of Swift's threads.
final class StreamIterator<Base: AsyncSequence> where Base.Element: Collection<UInt8> {
    private enum State {
        case reading
        /// The source has ended. The rest of the output has not been asked for yet.
        case ending(ArraySlice<UInt8>)
        case failed(any Error)
    }

    /// The source, until it is touched.
    private var source: Base?
    /// The iterator of the source, from then on.
    private var iterator: Base.AsyncIterator?
    private let work: any StreamWork
    private var state = State.reading
    private var hasBegun = false
    private var isBusy = false
    /// The part of the last chunk that has not been taken yet.
    private var rest: Base.Element.SubSequence?

    init(_ source: Base, work: any StreamWork) {
        self.source = source
        self.work = work
    }

    func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
        guard !isBusy else { throw fail(CryptorError.concurrentUse) }
        isBusy = true
        defer { isBusy = false }
        if !hasBegun, case .reading = state {
            // A refusal here has not touched the source, so the call may be repeated.
            do throws(CryptorError) { try await work.begin(isolation: isolation) } catch {
                if case .failed(let first) = state { throw first }
                throw error
            }
            hasBegun = true
        }
        do { return try await step(isolation: isolation) } catch { throw fail(error) }
    }

    /// The first failure is the one that stays.
    private func fail(_ error: any Error) -> any Error {
        if case .failed(let first) = state { return first }
        state = .failed(error)
        rest = nil
        return error
    }

    private func step(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
        while true {
            switch state {
            case .failed(let failure):
                throw failure
            case .ending(let output):
                guard !output.isEmpty else { return nil }
                state = .ending(output.dropFirst(CryptorPool.smallByteCount))
                return Array(output.prefix(CryptorPool.smallByteCount))
            case .reading:
                // A cancelled source may end as if it were complete, and its bytes must not pass
                // for all of it.
                if Task.isCancelled { throw CryptorError.cancelled }
                guard let chunk = rest, !chunk.isEmpty else {
                    try await read(isolation: isolation)
                    continue
                }
                let piece = chunk.prefix(work.nextByteCount)
                rest = chunk[piece.endIndex...]
                let output = try await work.update(piece, isolation: isolation)
                if rest?.isEmpty == false { await Task.yield() }
                if !output.isEmpty { return output }
            }
        }
    }

    private func read(isolation: isolated (any Actor)?) async throws {
        rest = nil
        // Even making its iterator may be possible only once.
        if let untouched = source.take() { iterator = untouched.makeAsyncIterator() }
        guard iterator != nil else { preconditionFailure("a source has an iterator") }
        let chunk = try await iterator?.next(isolation: isolation)
        guard case .reading = state else { return }
        if let chunk {
            rest = chunk[...]
            return
        }
        if Task.isCancelled { throw CryptorError.cancelled }
        let last = try await work.finish(isolation: isolation)
        if case .reading = state { state = .ending(last[...]) }
    }
}
