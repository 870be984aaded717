import CryptorSystem
public import CryptorFormat
import CryptorFiles
import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with one pair of keys,
// small messages never leave the caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext` without copying it: see `Cryptor.encrypt(_:with:)`.
    /// - Throws: the errors of that function, `cancelled`, or `overloaded` if the pool refuses it.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        try await message(of: plaintext, with: credential)
    }

    /// Decrypts a complete message without copying it: see
    /// `Cryptor.decrypt(_:with:accepting:)`. Its structure is checked before it waits for a thread.
    /// - Throws: the errors of that function, `cancelled`, or `overloaded` if the pool refuses it.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential,
        accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        try await open(message, with: credential, accepting: accepting).plaintext
    }

    /// Decrypts a complete message, and says which credential opened it: see
    /// `Cryptor.open(_:with:accepting:)`.
    /// - Throws: the errors of that function, `cancelled`, or `overloaded` if the pool refuses it.
    public func open(
        _ message: some Collection<UInt8> & Sendable, with keyring: Credential,
        accepting: Acceptance = .default
    ) async throws(CryptorError) -> OpenedMessage {
        OpenedMessage(try await opened(message, with: keyring, accepting: accepting))
    }

    /// Re-encrypts a message with the primary credential of a keyring, unless that already opens
    /// it: see `Cryptor.rotate(_:with:accepting:)`. The whole call is admitted or refused once.
    /// - Returns: a message of version 3; nil if the primary opens `message`, whatever its version.
    /// - Throws: the errors of that function, `cancelled`, or `overloaded` if the pool refuses it.
    public func rotate(
        _ message: some Collection<UInt8> & Sendable, with keyring: Credential,
        accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8]? {
        _ = try keyring.reading(ofWhole: message, accepting: accepting)
        return try await messages.run { (_) throws(CryptorError) in
            try Cryptor.rotate(message, with: keyring, accepting: accepting)
        }
    }

    /// Creates a `KeyedCryptor`. For a password, the keys that encrypt messages are derived on
    /// the pool, so that no thread of the caller waits; keys need no derivation.
    ///
    /// The cryptor itself works on the thread that calls it, and there derives the keys of password
    /// messages whose salts are new to it. To decrypt such messages on the pool, pass its
    /// `credential` to ``decrypt(_:with:accepting:)->[UInt8]``.
    /// - Parameter credential: a password, keys or a keyring.
    /// - Throws: the errors of `KeyedCryptor(_:)`, `cancelled`, or `overloaded` if the pool refuses
    ///   the work.
    public func keyedCryptor(for credential: Credential) async throws(CryptorError) -> KeyedCryptor
    {
        guard credential.password != nil else {
            if Task.isCancelled { throw .cancelled }
            return try KeyedCryptor(credential)
        }
        return try await messages.run { (_) throws(CryptorError) in try KeyedCryptor(credential) }
    }

    // MARK: For any kind of bytes

    // Inlined, because types that are made of type parameters are built at run time, which takes
    // 5% of a short message's time.

    @inline(__always)
    func message<Message: WrittenBytes & Sendable>(
        of plaintext: some Collection<UInt8> & Sendable, with credential: Credential
    ) async throws(CryptorError) -> Message {
        let (header, request) = try credential.newMessage()
        return try await perform(request, byteCount: plaintext.count) {
            (keys) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, header: header, keys: keys)
        }
    }

    /// - Parameter isAdmitted: whether the pool has admitted the call before.
    @inline(__always)
    func opened<Plaintext: WrittenBytes & Sendable>(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential,
        accepting: Acceptance, isAdmitted: Bool = false
    ) async throws(CryptorError) -> Opened<Plaintext> {
        let reading = try credential.reading(ofWhole: message, accepting: accepting)
        guard !reading.hasSeveralCandidates else {
            return try await messages.run(isAdmitted: isAdmitted) { (_) throws(CryptorError) in
                try Cryptor.open(message) { _ in reading }
            }
        }
        return try await perform(
            reading.requests[0], byteCount: message.count, isAdmitted: isAdmitted
        ) { (keys) throws(CryptorError) in
            try Cryptor.open(message) { _ in reading.answeringFirst(by: keys) }
        }
    }
}

// Common first attempts, and their replacements.
extension CryptorPool {
    /// Encrypt the bytes of the text.
    @available(
        *, unavailable,
        message: "Encrypt the bytes of the text: pool.encrypt(text.utf8, with: credential)"
    )
    public func encrypt(
        _ text: some StringProtocol, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// Decode base64 text first.
    @available(
        *, unavailable,
        message: """
            Decode base64 text first: \
            pool.decrypt(Cryptor.message(fromBase64: text.utf8), with: credential)
            """
    )
    public func decrypt(
        _ text: some StringProtocol, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public func encrypt(
        _ elements: some Collection, with credential: Credential
    ) async throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }

    /// The elements must be bytes.
    @available(*, unavailable, message: "The elements must be bytes (UInt8).")
    public func decrypt(
        _ elements: some Collection, with credential: Credential, accepting: Acceptance = .default
    ) async throws(CryptorError) -> [UInt8] {
        preconditionFailure("it is unavailable")
    }
}
