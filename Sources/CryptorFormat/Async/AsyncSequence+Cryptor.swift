// Encrypted and decrypted streams of bytes. The compiler knows what they throw: only `CryptorError` if the source
// throws nothing or `CryptorError`, otherwise any error.
extension AsyncSequence where Element: Collection<UInt8> {
    /// Encrypts these bytes into a message of version 3 with fresh salts and a fresh IV, a new one for each iterator.
    ///
    /// Nothing is read or done before the consumer asks for it. The message is complete only when the sequence has
    /// ended. If the source ends because its task was cancelled, the sequence throws `cancelled` instead of ending.
    /// - Parameters:
    ///   - credential: a password, whose keys `pool` derives when the first bytes are asked for, or keys.
    ///   - pool: where keys are derived.
    /// - Returns: the message, in arrays of at most 64 KiB and 48 bytes, none of them empty.
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncEncryptedSequence<Self, any Error> {
        AsyncEncryptedSequence(
            base: self, credential: credential, pool: pool, failures: StreamFailures(source: { $0 }, cryptor: { $0 }))
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
    /// - Returns: the plaintext, in arrays of at most 64 KiB and 16 bytes, none of them empty.
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default, on pool: CryptorPool = .shared
    ) -> AsyncUnverifiedSequence<Self, any Error> {
        AsyncUnverifiedSequence(
            base: self, terms: ReadingTerms(credential: credential, accepting: accepting), pool: pool,
            failures: StreamFailures(source: { $0 }, cryptor: { $0 }))
    }
}

extension AsyncSequence where Element: Collection<UInt8>, Failure == Never {
    /// Encrypts these bytes: see ``encrypted(with:on:)``. Only `CryptorError` is thrown.
    /// - Parameters:
    ///   - credential: a password or keys.
    ///   - pool: where keys are derived.
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncEncryptedSequence<Self, CryptorError> {
        AsyncEncryptedSequence(base: self, credential: credential, pool: pool, failures: .ofTheCryptorAlone)
    }

    /// Decrypts these bytes: see ``decryptedUnverified(with:accepting:on:)``. Only `CryptorError` is
    /// thrown.
    /// - Parameters:
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - pool: where keys are derived.
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default, on pool: CryptorPool = .shared
    ) -> AsyncUnverifiedSequence<Self, CryptorError> {
        AsyncUnverifiedSequence(
            base: self, terms: ReadingTerms(credential: credential, accepting: accepting), pool: pool,
            failures: .ofTheCryptorAlone)
    }
}

extension AsyncSequence where Element: Collection<UInt8>, Failure == CryptorError {
    /// Encrypts these bytes: see ``encrypted(with:on:)``. Only `CryptorError` is thrown.
    /// - Parameters:
    ///   - credential: a password or keys.
    ///   - pool: where keys are derived.
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncEncryptedSequence<Self, CryptorError> {
        AsyncEncryptedSequence(
            base: self, credential: credential, pool: pool, failures: StreamFailures(source: { $0 }, cryptor: { $0 }))
    }

    /// Decrypts these bytes: see ``decryptedUnverified(with:accepting:on:)``. Only `CryptorError` is
    /// thrown.
    /// - Parameters:
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - pool: where keys are derived.
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default, on pool: CryptorPool = .shared
    ) -> AsyncUnverifiedSequence<Self, CryptorError> {
        AsyncUnverifiedSequence(
            base: self, terms: ReadingTerms(credential: credential, accepting: accepting), pool: pool,
            failures: StreamFailures(source: { $0 }, cryptor: { $0 }))
    }
}
