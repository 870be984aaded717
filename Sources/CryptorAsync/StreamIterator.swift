import CryptorSystem
import CryptorFormat
import CryptorFiles
import CryptorPrimitives

/// Asks the source for a chunk when it has no other output to return, and never before.
///
/// Copies of a sequence's iterator, which actors make, share this object and are one stream: if it
/// ends or fails for one copy, it does so for all. Only one task at a time may ask it. A second
/// task that asks meanwhile would get a piece out of order, so the stream fails for both.
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
        guard !isBusy else { throw fail(CryptorError.wasAskedTwice) }
        isBusy = true
        defer { isBusy = false }
        if !hasBegun, case .reading = state {
            // What is refused here has not touched the source, so it may be tried again.
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
                // A cancelled source may end as if it were complete, and what it returned must not
                // pass for all of it.
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
        // Even to make its iterator may be possible only once.
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

extension CryptorError {
    fileprivate static let wasAskedTwice = CryptorError(
        .cancelled,
        "Two tasks asked the stream for its next bytes at the same time. Let one of them do so.")
}

/// The work on a stream of bytes, piece by piece.
protocol StreamWork: AnyObject {
    /// Prepares the work, before the source is touched. Called until it has not thrown.
    /// - Throws: `overloaded` if the pool refuses, `cancelled`, or what forbids the work.
    func begin(isolation: isolated (any Actor)?) async throws(CryptorError)

    /// The most bytes to take next.
    var nextByteCount: Int { get }

    /// Takes a piece, and returns the output that is ready.
    func update(_ piece: some Collection<UInt8>, isolation: isolated (any Actor)?)
        async throws(CryptorError) -> [UInt8]

    /// Returns the rest of the output, at the end of the source. Called once.
    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8]
}

/// Turns plaintext into a message.
final class EncryptingStream: StreamWork {
    private let credential: Credential
    private let pool: CryptorPool
    private var encryptor: Encryptor?
    /// The header of the message and what its keys come from, if the pool has admitted it.
    private var admitted: (header: Header, source: KeySource)?

    init(_ credential: Credential, _ pool: CryptorPool) {
        self.credential = credential
        self.pool = pool
    }

    let nextByteCount = CryptorPool.smallByteCount

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        guard encryptor != nil else { throw .wasAskedTwice }
        var output: [UInt8] = []
        try encryptor?.update(piece, into: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        guard let last = encryptor.take() else { throw .wasAskedTwice }
        var output: [UInt8] = []
        try last.finish(into: &output)
        return output
    }

    /// Has the pool admit the message, or refuse it, before anything else is done for it.
    func admit() throws(CryptorError) {
        let message = try newMessage()
        if message.source.isDerived { try pool.messages.admit() }
        admitted = message
    }

    func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        let message = if let admitted { admitted } else { try newMessage() }
        let keys = try await pool.keys(from: message.source, isAdmitted: admitted != nil)
        encryptor = try Encryptor(message.header, keys: keys)
    }

    private func newMessage() throws(CryptorError) -> (header: Header, source: KeySource) {
        let header = try credential.freshHeader()
        return (header, credential.keySource(forWriting: header))
    }
}

/// Turns a message into plaintext.
final class DecryptingStream: StreamWork {
    private let terms: ReadingTerms
    private let pool: CryptorPool
    private var decryptor: Decryptor?
    private var takenByteCount = 0

    init(_ terms: ReadingTerms, _ pool: CryptorPool) {
        self.terms = terms
        self.pool = pool
        decryptor = Decryptor(terms)
    }

    func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        try pool.admit(reading: terms, upTo: 0)
    }

    /// The header is taken by itself, so that it is known before keys have to be derived.
    var nextByteCount: Int {
        let rest = FormatSize.passwordHeader - takenByteCount
        return rest > 0 ? rest : CryptorPool.smallByteCount
    }

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        let byteCount = piece.count
        takenByteCount += byteCount
        guard decryptor != nil else { throw .wasAskedTwice }
        try await prepare(decryptor?.headerToPrepare(adding: byteCount), isolation: isolation)
        var output: [UInt8] = []
        try decryptor?.update(piece, unverifiedInto: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        let header = try decryptor?.headerToPrepareAtEnd()
        try await prepare(header, isolation: isolation)
        let isHeldBack = decryptor?.heldBackByteCount ?? 0 > 0
        let decryptor = Lock(decryptor.take())
        let finish = { @Sendable (_: Cancellation) throws(CryptorError) -> [UInt8] in
            guard let last = decryptor.withLock({ $0.take() }) else { throw .wasAskedTwice }
            var output: [UInt8] = []
            try last.finish(into: &output)
            return output
        }
        // This takes long if several candidates are tried on the complete message.
        return isHeldBack
            ? try await pool.messages.run(isAdmitted: true, finish) : try finish(Cancellation())
    }

    private func prepare(_ header: Header?, isolation: isolated (any Actor)?)
        async throws(CryptorError)
    {
        guard let header, let source = try terms.keySource(for: header) else { return }
        try decryptor?.prepare(header, keys: try await pool.keys(from: source, isAdmitted: true))
    }
}
