import CryptorSystem
public import CryptorFormat
import CryptorFiles

extension AsyncSequence where Element: Collection<UInt8> {
    /// Encrypts these bytes into a message of version 3 with fresh salts and a fresh IV, a new one for each iterator.
    ///
    /// Nothing is read or done before the consumer asks for it. The message is complete only when the sequence has
    /// ended. If the source ends because its task was cancelled, the sequence throws `cancelled` instead of ending.
    /// - Parameters:
    ///   - credential: a password, whose keys `pool` derives when the first bytes are asked for, or keys.
    ///   - pool: where keys are derived.
    /// - Returns: the message, in arrays of at most 64 KiB and 48 bytes, none of them empty. It throws `cancelled`,
    ///   `overloaded` where the pool refuses, `cryptoLibraryFailure`, or what
    ///   the source throws.
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncCryptorSequence<Self> {
        AsyncCryptorSequence(base: self) { EncryptingStream(credential, pool) }
    }

    /// Decrypts a message from these bytes, and releases its plaintext **unverified**.
    ///
    /// The format has its HMAC at the end: do not act on the plaintext before the sequence has ended. If the sequence
    /// throws, discard the plaintext; the sequence never ends normally then.
    /// ``Cryptor/decrypt(collecting:upTo:with:accepting:on:isolation:)`` releases nothing unverified.
    ///
    /// Nothing is read or done before the consumer asks for it.
    /// - Parameters:
    ///   - credential: a password, whose keys `pool` derives once the header has come, or keys.
    ///   - accepting: the versions to read, and how. If shortened readings of the password are tried as well, the
    ///     plaintext of a message of version 2 or older comes out at the end, verified.
    ///   - pool: where keys are derived.
    /// - Returns: the plaintext, in arrays of at most 64 KiB and 16 bytes, none of them empty. It ends only if the HMAC
    ///   matched. Otherwise it throws `authenticationFailed` or whatever else ``Decryptor`` throws, `cancelled`,
    ///   `overloaded` where the pool refuses, or what the source throws.
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default, on pool: CryptorPool = .shared
    ) -> AsyncCryptorSequence<Self> {
        let terms = ReadingTerms(credential: credential, accepting: accepting)
        return AsyncCryptorSequence(base: self) { DecryptingStream(terms, pool) }
    }
}

/// The bytes that `encrypted(with:on:)` and `decryptedUnverified(with:accepting:on:)` make from a sequence.
///
/// Each iterator reads the source anew, and writes or reads a message of its own. After an error every later `next()`
/// throws it again. Only one task at a time may ask an iterator; if two do, both get `cancelled`.
public struct AsyncCryptorSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Collection<UInt8> {
    let base: Base
    let makeWork: @Sendable () -> any StreamWork

    /// Begins a message.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core: StreamIterator(base.makeAsyncIterator(), work: makeWork()))
    }

    /// Writes or reads one message.
    public struct Iterator: AsyncIteratorProtocol {
        let core: StreamIterator<Base>

        /// The next bytes; nil after the last. A plaintext is authentic only when this has returned nil.
        /// - Throws: a `CryptorError`, or what the source throws. Later calls throw the same error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await core.next(isolation: actor)
        }
    }
}

extension AsyncCryptorSequence: Sendable where Base: Sendable {}
