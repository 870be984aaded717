import CryptorPrimitives

/// The plaintext of a message, **unverified** until the sequence has ended. `decryptedUnverified(with:accepting:on:)`
/// makes it from a sequence.
///
/// It ends normally only if the HMAC matched. After an error every later `next()` throws it again. Only one task at a
/// time may ask an iterator; if two do, both get `askedTwice`.
public struct AsyncUnverifiedSequence<Base: AsyncSequence, Failure: Error>: AsyncSequence
where Base.Element: Collection<UInt8> {
    /// Bytes of the plaintext.
    public typealias Element = [UInt8]

    let base: Base
    let terms: ReadingTerms
    let pool: CryptorPool
    let failures: StreamFailures<Base.Failure, Failure>

    /// Begins to read the message.
    public func makeAsyncIterator() -> Iterator {
        let stream = DecryptingStream(terms, pool)
        return Iterator(core: StreamIterator(base.makeAsyncIterator(), work: stream, failures: failures))
    }

    /// Reads one message.
    public struct Iterator: AsyncIteratorProtocol {
        let core: StreamIterator<Base, DecryptingStream, Failure>

        /// The next bytes of the plaintext, **unverified**; nil when all that came before is authentic.
        /// - Throws: `authenticationFailed` and whatever else ``Decryptor`` throws, `cancelled`, `overloaded` where the
        ///   pool refuses, `askedTwice`, or what the source throws. Later calls throw the same error, and the plaintext
        ///   that came out must not be used.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
            try await core.next(isolation: actor)
        }
    }
}

extension AsyncUnverifiedSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncUnverifiedSequence.Iterator: Sendable {}

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

    /// The header is taken by itself, so that it is known before keys have to be derived.
    var nextByteCount: Int {
        let rest = FormatSize.passwordHeader - takenByteCount
        return rest > 0 ? rest : StreamPiece.maximumByteCount
    }

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        let byteCount = piece.count
        takenByteCount += byteCount
        try await prepare(decryptor?.headerToPrepare(adding: byteCount), isolation: isolation)
        var output: [UInt8] = []
        try decryptor?.update(piece, unverifiedInto: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        let header = try decryptor?.headerToPrepareAtEnd()
        try await prepare(header, isolation: isolation)
        guard let last = decryptor.take() else { throw .askedTwice }
        let hasSeveral = header.map { terms.hasSeveralCandidates(in: $0.version) } ?? (last.heldBackByteCount > 0)
        guard hasSeveral else { return try Self.finish(last) }
        // This takes long: keys are derived for one candidate after another, and the complete message is decrypted.
        let decryptor = Lock(Optional(last))
        return try await pool.messages.run { (_) throws(CryptorError) in
            guard let last = decryptor.withLock({ $0.take() }) else { throw .askedTwice }
            return try Self.finish(last)
        }
    }

    private func prepare(_ header: Header?, isolation: isolated (any Actor)?) async throws(CryptorError) {
        guard let header, let source = try terms.keySource(for: header) else { return }
        try decryptor?.take(try await pool.keys(from: source), of: header)
    }

    private static func finish(_ decryptor: consuming Decryptor) throws(CryptorError) -> [UInt8] {
        var output: [UInt8] = []
        try decryptor.finish(into: &output)
        return output
    }
}
