import CryptorSystem
public import CryptorFormat
public import CryptorFiles

// The functions of `Cryptor` for files, with the same parameters and errors. The work on a file
// takes one thread of the pool. If its task is cancelled, it stops soon, throws `cancelled` and
// leaves nothing behind. Only opening a FIFO and writing to a pipe wait for the other end.
extension CryptorPool {
    /// Encrypts a file: see `Cryptor.encryptFile(at:to:with:options:progress:)`.
    public func encryptFile(
        at source: some FileLocation, to destination: some FileLocation,
        with credential: Credential,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) {
        let source = try source.endpoint
        let destination = try destination.endpoint
        try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.encryptFile(
                at: source, to: destination, with: credential, options: options, progress: progress)
        }
    }

    /// Decrypts a message file: see `Cryptor.decryptFile(at:to:with:accepting:options:progress:)`.
    public func decryptFile(
        at source: some FileLocation, to destination: some FileLocation,
        with credential: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) {
        let source = try source.endpoint
        let destination = try destination.endpoint
        try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.decryptFile(
                at: source, to: destination, with: credential, accepting: accepting,
                options: options,
                progress: progress)
        }
    }

    /// Decrypts a message file and passes its plaintext on, chunk by chunk, once its HMAC has
    /// matched: see `Cryptor.decryptFile(at:with:accepting:options:progress:receive:)`.
    ///
    /// `receive` is called on a thread of the pool, which works on no other file meanwhile. To pass
    /// chunks on asynchronously, use ``verifiedFile(at:with:accepting:options:progress:)``. If the
    /// task is cancelled, no further chunk is passed on.
    public func decryptFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil,
        receive: @escaping @Sendable (_ verified: [UInt8]) throws -> Void
    ) async throws(CryptorError) {
        let source = try source.endpoint
        try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.decryptFile(
                at: source, with: credential, accepting: accepting, options: options,
                progress: progress, receive: receive)
        }
    }

    /// Verifies a message file: see `Cryptor.verifyFile(at:with:accepting:options:progress:)`.
    /// - Returns: the length of the plaintext in bytes.
    @discardableResult
    public func verifyFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) -> Int {
        let source = try source.endpoint
        return try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.verifyFile(
                at: source, with: credential, accepting: accepting, options: options,
                progress: progress)
        }
    }

    /// Re-encrypts a message file with another credential: see
    /// `Cryptor.rekeyFile(at:to:from:into:accepting:options:progress:)`.
    public func rekeyFile(
        at source: some FileLocation, to destination: some FileLocation, from old: Credential,
        into new: Credential,
        accepting: Acceptance = .default, options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) {
        let source = try source.endpoint
        let destination = try destination.endpoint
        try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.rekeyFile(
                at: source, to: destination, from: old, into: new, accepting: accepting,
                options: options,
                progress: progress)
        }
    }

    /// Re-encrypts a message file with the primary credential of a keyring: see
    /// `Cryptor.rotateFile(at:with:accepting:options:progress:)`.
    @discardableResult
    public func rotateFile(
        at file: some FileLocation, with keyring: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) -> Bool {
        let file = try file.endpoint
        return try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.rotateFile(
                at: file, with: keyring, accepting: accepting, options: options, progress: progress)
        }
    }

    /// Opens and verifies a message file: see
    /// `VerifiedFile(at:with:accepting:options:progress:)`. While it is open, it occupies no
    /// thread of the pool.
    public func verifiedFile(
        at source: some FileLocation, with credential: Credential, accepting: Acceptance = .default,
        options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) -> VerifiedFile {
        let source = try source.endpoint
        return try await work(progress) { (progress) throws(CryptorError) in
            try VerifiedFile(
                at: source, with: credential, accepting: accepting, options: options,
                progress: progress)
        }
    }

    /// Reads the header of a message and finds its length, without a credential: see
    /// `Cryptor.inspectFile(at:options:progress:)`.
    /// - Returns: the facts about the message. None of them has been authenticated.
    public func inspectFile(
        at source: some FileLocation, options: FileOptions = FileOptions(),
        progress: (@Sendable (FileProgress) throws -> Void)? = nil
    ) async throws(CryptorError) -> MessageInspection {
        let source = try source.endpoint
        return try await work(progress) { (progress) throws(CryptorError) in
            try Cryptor.inspectFile(at: source, options: options, progress: progress)
        }
    }

    private func work<Value: Sendable>(
        _ progress: (@Sendable (FileProgress) throws -> Void)?,
        _ body:
            @escaping @Sendable (@escaping (FileProgress) throws -> Void) throws(CryptorError) ->
            Value
    ) async throws(CryptorError) -> Value {
        try await files.run { (cancellation) throws(CryptorError) in
            try body { state in
                try cancellation.check(state)
                try progress?(state)
            }
        }
    }
}
