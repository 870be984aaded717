/// The bytes that `encrypted(with:on:)` and `decryptedUnverified(with:accepting:on:)` make from a
/// sequence.
///
/// Nothing is read or done before the consumer asks for it. Each iterator reads the source again,
/// and writes or reads its own message. After an error, every later `next()` throws it again,
/// unless the error came before the source was touched, as `overloaded` does: then you may repeat
/// the call. Only one task at a time may use an iterator; if two do, both get `concurrentUse`.
public struct AsyncCryptorSequence<Base: AsyncSequence>: AsyncSequence
where Base.Element: Collection<UInt8> {
    let base: Base
    let makeWork: @Sendable () -> any StreamWork

    /// Begins a message.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core: StreamIterator(base, work: makeWork()))
    }

    /// Writes or reads one message.
    public struct Iterator: AsyncIteratorProtocol {
        let core: StreamIterator<Base>

        /// The next bytes; nil after the last. A plaintext is authentic only when this has returned
        /// nil.
        /// - Throws: a `CryptorError`, such as `concurrentUse` if another task is waiting for the
        ///   next bytes, or the error of the source. Once the source has been read from, later
        ///   calls throw the same error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await core.next(isolation: actor)
        }
    }
}

extension AsyncCryptorSequence: Sendable where Base: Sendable {}
