import CryptorPrimitives

/// Decrypts one message of any length in chunks of any size, in constant memory unless it must be
/// held back: see below.
///
/// ```swift
/// var decryptor = try Decryptor(.password("correct horse battery staple"))
/// var plaintext: [UInt8] = []
/// for chunk in chunks { try decryptor.update(chunk, unverifiedInto: &plaintext) }
/// try decryptor.finish(into: &plaintext)
/// ```
/// - Important: The HMAC is at the end of the message. Plaintext from `update` is **unverified**:
///   anybody may have altered it. Do not act on it before ``finish(into:)-([UInt8])`` has returned.
///   If `finish` throws, discard that plaintext. ``Cryptor`` releases nothing unverified.
///
/// If several credentials of a keyring may open the message, only the HMAC at its end shows which
/// one does. Such a message is **held back** in memory, up to a limit, and `finish` releases all of
/// it, verified.
///
/// After any error except `outputTooSmall`, every later call throws that error again.
public struct Decryptor: ~Copyable, Sendable {
    private let heldBackByteLimit: Int
    private var framing: MessageFraming
    /// Nil until some bytes are certain to be ciphertext, so that a message that is too short
    /// derives no key.
    private var reader: MessageReader?
    /// All of the message so far, if it is held back.
    private var heldBack: [UInt8]?
    private var failure: CryptorError?

    /// Begins to read a message.
    /// - Parameters:
    ///   - credential: a password, whose keys are derived once the header has come (milliseconds),
    ///     keys, or a keyring.
    ///   - accepting: the versions to read.
    ///   - heldBackByteLimit: the maximum number of bytes to keep in memory of a message that
    ///     several credentials may open. A longer message throws `messageTooLong`.
    /// - Throws: nothing at present. A credential of the wrong kind shows in `update`, once the
    ///   header has come.
    public init(
        _ credential: Credential, accepting: Acceptance = .default,
        heldBackByteLimit: Int = 64 * 1024 * 1024
    ) throws(CryptorError) {
        self.heldBackByteLimit = max(0, heldBackByteLimit)
        framing = MessageFraming(credential, accepting: accepting)
    }

    /// The room that always suffices for the output of one call: `update` with `inputByteCount`
    /// bytes, or `finish` with 0. If a message is held back, `finish` needs room for as many bytes
    /// as the message has. A negative number counts as 0, and a result over `Int.max` becomes
    /// `Int.max`.
    public static func maximumOutputByteCount(for inputByteCount: Int) -> Int {
        Int(clamping: UInt(max(0, inputByteCount)) + UInt(FormatSize.block))
    }

    /// How much of the message is held back for ``finish(into:)-([UInt8])``, in bytes. `finish`
    /// then appends up to this many bytes. 0 unless several credentials may open the message.
    package var heldBackByteCount: Int { heldBack?.count ?? 0 }

    /// Decrypts `chunk` and appends **unverified** plaintext to `output`; the last 48 to 63 bytes
    /// stay held back.
    /// - Throws: `outputTooSmall`, with nothing consumed, if `output` might not have enough room;
    ///   `maximumOutputByteCount(for: chunk.byteCount)` always suffices. If something is wrong with
    ///   the header: `unsupportedVersion`, `versionNotAccepted`, `looksBase64Encoded`,
    ///   `credentialMismatch`. Otherwise `messageTooLong`, `cryptoLibraryFailure`.
    @_lifetime(output: copy output)
    public mutating func update(_ chunk: RawSpan, unverifiedInto output: inout OutputRawSpan)
        throws(CryptorError)
    {
        _ = try take(chunk, mayChange: true, deriving: true, unverifiedInto: &output)
    }

    /// Decrypts `chunk` and appends **unverified** plaintext to `plaintext`: see
    /// ``update(_:unverifiedInto:)-(RawSpan,_)``, which throws the same errors except
    /// `outputTooSmall`.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout [UInt8]
    ) throws(CryptorError) {
        _ = try take(chunk, deriving: true, unverifiedInto: &plaintext)
    }

    /// Compares the HMAC, and only then appends the last plaintext: 0 to 15 bytes, or all of it if
    /// the message was held back. When this returns, all plaintext that was released is authentic.
    /// - Throws: `authenticationFailed`, `corruptPadding`, `invalidMessageLength`,
    ///   `outputTooSmall`, `cryptoLibraryFailure`, for a short input `unsupportedVersion` or
    ///   `looksBase64Encoded`, or the error that was thrown before. Do not use any released
    ///   plaintext then.
    public consuming func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        try appendEnd(to: &output)
    }

    /// Compares the HMAC, and only then appends the last plaintext: see
    /// ``finish(into:)-(OutputRawSpan)``, which throws the same errors except `outputTooSmall`.
    public consuming func finish(into plaintext: inout [UInt8]) throws(CryptorError) {
        try plaintext.appendBytes(capacity: Self.maximumOutputByteCount(for: 0) + heldBackByteCount)
        {
            (output) throws(CryptorError) in
            try appendEnd(to: &output)
        }
    }

    // MARK: For drivers that derive the keys elsewhere

    /// The reading of the message, once its header has come.
    package var reading: Reading? { framing.reading }

    /// The reading of a message that has ended, if `finish` would derive its keys.
    /// - Throws: the errors that `finish` would throw before it derives them.
    package func unansweredReadingAtEnd() throws(CryptorError) -> Reading? {
        if let failure { throw failure }
        return reader != nil || heldBack != nil ? nil : try framing.finish().reading
    }

    /// Goes on with the keys.
    package mutating func begin(_ answered: Reading) throws(CryptorError) {
        reader = try MessageReader(answered)
    }

    /// Decrypts `chunk` as `update` does.
    /// - Parameter deriving: whether keys are derived here.
    /// - Returns: how many bytes were taken: fewer than all only if `begin` has to be called before
    ///   the others are.
    @inline(__always)
    package mutating func take(
        _ chunk: some Collection<UInt8>, deriving: Bool, unverifiedInto plaintext: inout [UInt8]
    ) throws(CryptorError) -> Int {
        let mayChange = mayChange(chunk)
        return try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            var taken = 0
            try plaintext.appendBytes(capacity: maximumReleaseByteCount(for: chunk.byteCount)) {
                (output) throws(CryptorError) in
                taken = try take(
                    chunk, mayChange: mayChange, deriving: deriving, unverifiedInto: &output)
            }
            return taken
        }
    }

    /// - Parameter mayChange: whether others may write to `chunk`, which is then read once.
    @_lifetime(output: copy output)
    private mutating func take(
        _ chunk: RawSpan, mayChange: Bool, deriving: Bool,
        unverifiedInto output: inout OutputRawSpan
    ) throws(CryptorError) -> Int {
        if let failure { throw failure }
        try output.requireRoom(for: maximumReleaseByteCount(for: chunk.byteCount))
        do throws(CryptorError) {
            let taken = try decrypt(chunk, mayChange: mayChange, into: &output)
            guard taken < chunk.byteCount, deriving, let reading else { return taken }
            try begin(try reading.answered())
            let rest = chunk.extracting(droppingFirst: taken)
            return taken + (try decrypt(rest, mayChange: mayChange, into: &output))
        } catch {
            failure = error
            throw error
        }
    }

    private func maximumReleaseByteCount(for count: Int) -> Int {
        heldBack != nil ? 0 : framing.maximumReleaseByteCount(adding: count)
    }

    /// - Returns: how many bytes were taken: fewer than all only if the keys are needed before.
    @_lifetime(output: copy output)
    private mutating func decrypt(
        _ chunk: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) -> Int {
        if heldBack != nil {
            try holdBack(chunk)
            return chunk.byteCount
        }
        guard let headerByteCount = try framing.readHeader(chunk), let reading else {
            return chunk.byteCount
        }
        let rest = chunk.extracting(droppingFirst: headerByteCount)
        if reading.hasSeveralCandidates {
            heldBack = reading.header.bytes
            try holdBack(rest)
            return chunk.byteCount
        }
        if reader == nil, framing.releases(adding: rest.byteCount) { return headerByteCount }
        try framing.add(rest) { (ciphertext, isOfChunk) throws(CryptorError) in
            precondition(reader != nil)
            try reader?.read(ciphertext, mayChange: mayChange && isOfChunk, into: &output)
        }
        return chunk.byteCount
    }

    private mutating func holdBack(_ chunk: RawSpan) throws(CryptorError) {
        guard chunk.byteCount <= heldBackByteLimit - heldBackByteCount else {
            heldBack = nil
            throw CryptorError(
                .messageTooLong,
                """
                Several credentials may open the message, so it has to be held back to its end, \
                but it is longer than the limit of \(heldBackByteLimit.counted("byte")). Raise the \
                limit, decrypt it as a file, or pass only the credential that opens it.
                """)
        }
        heldBack?.append(contentsOf: chunk)
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        if let heldBack, let reading = framing.reading {
            try output.requireRoom(for: heldBack.count)
            return try withRawSpan(of: heldBack) { (message) throws(CryptorError) in
                _ = try reading.open(message, mayChange: false, into: &output)
            }
        }
        let (reading, tail) = try framing.finish()
        if reader == nil { try begin(try reading.answered()) }
        guard var reader = reader.take() else { preconditionFailure("it has begun") }
        try withRawSpan(of: tail) { (tail) throws(CryptorError) in
            try reader.finish(tail, into: &output)
        }
    }
}
