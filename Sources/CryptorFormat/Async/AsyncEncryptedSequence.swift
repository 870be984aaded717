/// The bytes of a message of version 3, which `encrypted(with:on:)` makes from a sequence.
///
/// Each iterator writes a message of its own, with fresh salts and a fresh IV. After an error every later `next()`
/// throws it again. Only one task at a time may ask an iterator; if two do, both get `askedTwice`.
public struct AsyncEncryptedSequence<Base: AsyncSequence, Failure: Error>: AsyncSequence
where Base.Element: Collection<UInt8> {
    /// Bytes of the message.
    public typealias Element = [UInt8]

    let base: Base
    let credential: Credential
    let pool: CryptorPool
    let failures: StreamFailures<Base.Failure, Failure>

    /// Begins a message.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            core: StreamIterator(base.makeAsyncIterator(), work: EncryptingStream(credential, pool), failures: failures)
        )
    }

    /// Writes one message.
    public struct Iterator: AsyncIteratorProtocol {
        let core: StreamIterator<Base, EncryptingStream, Failure>

        /// The next bytes of the message; nil after its last.
        /// - Throws: `cancelled`, `overloaded` where the pool refuses, `askedTwice`, `randomnessUnavailable`,
        ///   `cryptoLibraryFailure`, or what the source throws. Later calls throw the same error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> [UInt8]? {
            try await core.next(isolation: actor)
        }
    }
}

extension AsyncEncryptedSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension AsyncEncryptedSequence.Iterator: Sendable {}

/// Turns plaintext into a message.
final class EncryptingStream: StreamWork {
    private let credential: Credential
    private let pool: CryptorPool
    private var encryptor: Encryptor?

    init(_ credential: Credential, _ pool: CryptorPool) {
        self.credential = credential
        self.pool = pool
    }

    let nextByteCount = StreamPiece.maximumByteCount

    func update(
        _ piece: some Collection<UInt8>, isolation: isolated (any Actor)?
    ) async throws(CryptorError) -> [UInt8] {
        try await begin(isolation: isolation)
        var output: [UInt8] = []
        try encryptor?.update(piece, into: &output)
        return output
    }

    func finish(isolation: isolated (any Actor)?) async throws(CryptorError) -> [UInt8] {
        try await begin(isolation: isolation)
        guard let last = encryptor.take() else { throw .askedTwice }
        var output: [UInt8] = []
        try last.finish(into: &output)
        return output
    }

    private func begin(isolation: isolated (any Actor)?) async throws(CryptorError) {
        guard encryptor == nil else { return }
        let header = try credential.freshHeader()
        encryptor = try Encryptor(header, keys: try await pool.keys(from: try credential.keySource(for: header)))
    }
}
