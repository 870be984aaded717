import CryptorSystem
public import CryptorFormat
public import CryptorFiles
import CryptorPrimitives

extension AsyncSequence where Element: Collection<UInt8> {
    /// Encrypts these bytes into a message of version 3 with fresh salts and a fresh IV, a new one
    /// for each iterator.
    ///
    /// The message is complete only when the sequence has ended. If the source ends because its
    /// task was cancelled, the sequence throws `cancelled` instead of ending.
    /// - Parameters:
    ///   - credential: a password, whose keys `pool` derives when the first bytes are requested, or
    ///     keys.
    ///   - pool: where keys are derived.
    /// - Returns: the message, in arrays of at most 64 KiB + 48 bytes, none of them empty. It
    ///   throws `cancelled`, `overloaded` if the pool refuses the work (before it reads from this
    ///   sequence), `invalidCredential` if the credential can only decrypt, `cryptoLibraryFailure`,
    ///   or the error of the source.
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncCryptorSequence<Self> {
        AsyncCryptorSequence(base: self) { EncryptingStream(credential, pool) }
    }

    /// Decrypts a message from these bytes, and releases its plaintext **unverified**.
    ///
    /// The HMAC is at the end of the message: do not act on the plaintext before the sequence has
    /// ended. If the sequence throws, discard the plaintext; the sequence then never ends normally.
    /// ``CryptorFormat/Cryptor/decrypt(collecting:upTo:with:accepting:on:isolation:)`` releases
    /// nothing unverified.
    ///
    /// - Parameters:
    ///   - credential: a password, whose keys `pool` derives once the header has come, or keys.
    ///   - accepting: the versions to read. If several credentials may open a message, its
    ///     plaintext comes out at the end, verified.
    ///   - pool: where keys are derived.
    /// - Returns: the plaintext, in arrays of at most 64 KiB + 16 bytes, none of them empty. It
    ///   ends only if the HMAC matched. Otherwise it throws `authenticationFailed` or another error
    ///   of `Decryptor`, `cancelled`, `overloaded` if the pool refuses the work (before it reads
    ///   from this sequence), or the error of the source.
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default,
        on pool: CryptorPool = .shared
    ) -> AsyncCryptorSequence<Self> {
        AsyncCryptorSequence(base: self) {
            DecryptingStream(credential, accepting: accepting, pool)
        }
    }
}

// They return a sequence, so that a loop over it adds no error of its own to the message.
extension AsyncSequence {
    /// The elements must be collections of bytes.
    @available(
        *, unavailable,
        message: "Elements must be collections of bytes, such as [UInt8], not single bytes."
    )
    public func encrypted(
        with credential: Credential, on pool: CryptorPool = .shared
    ) -> AsyncStream<[UInt8]> {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be collections of bytes.
    @available(
        *, unavailable,
        message: "Elements must be collections of bytes, such as [UInt8], not single bytes."
    )
    public func decryptedUnverified(
        with credential: Credential, accepting: Acceptance = .default,
        on pool: CryptorPool = .shared
    ) -> AsyncStream<[UInt8]> {
        preconditionFailure("it is unavailable")
    }
}

extension Cryptor {
    /// The elements must be collections of bytes.
    @available(
        *, unavailable,
        message: "Elements must be collections of bytes, such as [UInt8], not single bytes."
    )
    public static func decrypt(
        collecting source: some AsyncSequence, upTo byteCount: Int, with credential: Credential,
        accepting: Acceptance = .default, on pool: CryptorPool = .shared
    ) async throws -> [UInt8] {
        preconditionFailure("it is unavailable")
    }
}

extension CryptorPool {
    /// The elements must be collections of bytes.
    @available(
        *, unavailable,
        message: "Elements must be collections of bytes, such as [UInt8], not single bytes."
    )
    public func encryptFile(
        from source: some AsyncSequence, to destination: some FileLocation,
        with credential: Credential, options: FileOptions = FileOptions()
    ) async throws {
        preconditionFailure("it is unavailable")
    }
}

extension Cryptor {
    /// Collects a message from a stream and decrypts it. Nothing is released before its HMAC has
    /// matched.
    ///
    /// A message that is too long, or whose header is not accepted, is refused as soon as that is
    /// known, and no more of it is read.
    /// - Parameters:
    ///   - source: the message, in chunks of any size.
    ///   - byteCount: the maximum length of the message in bytes. The message and its plaintext,
    ///     which is shorter, are in memory at the same time.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read.
    ///   - pool: where keys are derived, and large messages decrypted.
    ///   - isolation: the caller's, on which the source is read.
    /// - Returns: the authentic plaintext.
    /// - Throws: `messageTooLong`, `cancelled`, `overloaded` if the pool refuses the work (before
    ///   it reads from the source), the errors of `Cryptor.decrypt(_:with:accepting:)`, or the
    ///   error of the source.
    public static func decrypt<Source: AsyncSequence>(
        collecting source: Source, upTo byteCount: Int, with credential: Credential,
        accepting: Acceptance = .default, on pool: CryptorPool = .shared,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [UInt8] where Source.Element: Collection<UInt8> {
        try pool.admit(with: credential, upTo: byteCount)
        var hasHeader = false
        var message: [UInt8] = []
        var chunks = source.makeAsyncIterator()
        while let chunk = try await chunks.next(isolation: isolation) {
            if Task.isCancelled { throw CryptorError.cancelled }
            guard chunk.count <= byteCount - message.count else {
                throw CryptorError(
                    .messageTooLong,
                    """
                    The message is longer than the limit of \(byteCount.counted("byte")) for \
                    collecting it. Raise the limit, or decrypt it as a file.
                    """)
            }
            message.append(contentsOf: chunk)
            if !hasHeader {
                let start = message.rawSpan(message.indices)
                hasHeader = try credential.reading(startOf: start, accepting: accepting) != nil
            }
        }
        // A cancelled source may end as if the message were complete.
        if Task.isCancelled { throw CryptorError.cancelled }
        return try await pool.opened(
            message, with: credential, accepting: accepting, isAdmitted: true
        ).plaintext
    }
}
