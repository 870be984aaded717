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
        framing = MessageFraming(MessageOpener(credential: credential, accepting: accepting))
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
        try update(chunk, mayChange: true, unverifiedInto: &output)
    }

    /// - Parameter mayChange: whether others may write to `chunk`, which is then read once.
    @_lifetime(output: copy output)
    private mutating func update(
        _ chunk: RawSpan, mayChange: Bool, unverifiedInto output: inout OutputRawSpan
    ) throws(CryptorError) {
        if let failure { throw failure }
        try output.requireRoom(for: maximumReleaseByteCount(for: chunk.byteCount))
        do throws(CryptorError) { try decrypt(chunk, mayChange: mayChange, into: &output) } catch {
            failure = error
            throw error
        }
    }

    /// Decrypts `chunk` and appends **unverified** plaintext to `plaintext`: see
    /// ``update(_:unverifiedInto:)-(RawSpan,_)``, which throws the same errors except
    /// `outputTooSmall`.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout [UInt8]
    ) throws(CryptorError) {
        let mayChange = mayChange(chunk)
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try plaintext.appendBytes(capacity: maximumReleaseByteCount(for: chunk.byteCount)) {
                (output) throws(CryptorError) in
                try update(chunk, mayChange: mayChange, unverifiedInto: &output)
            }
        }
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

    // MARK: For callers that derive the keys elsewhere

    /// The header, if it has come before, and `update` with `byteCount` bytes would set up the
    /// reader.
    package func headerToPrepare(adding byteCount: Int) -> MessageHeader? {
        reader != nil || heldBack != nil || failure != nil
            ? nil : framing.headerIfReleasing(adding: byteCount)
    }

    /// The header of the message, if `finish` would derive its keys.
    /// - Throws: the errors that `finish` would throw before it derives them.
    package mutating func headerToPrepareAtEnd() throws(CryptorError) -> MessageHeader? {
        if let failure { throw failure }
        return reader != nil || heldBack != nil ? nil : try framing.finish().header
    }

    /// Sets up the reader of the ciphertext, unless it is there already.
    /// - Parameter keys: nil to derive them here.
    package mutating func prepare(_ header: MessageHeader, keys: MessageKeys? = nil)
        throws(CryptorError)
    {
        guard reader == nil else { return }
        reader = try MessageReader(header, opener: framing.opener, keys: keys)
    }

    private func maximumReleaseByteCount(for count: Int) -> Int {
        heldBack != nil ? 0 : framing.maximumReleaseByteCount(adding: count)
    }

    @_lifetime(output: copy output)
    private mutating func decrypt(
        _ chunk: RawSpan, mayChange: Bool, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        if heldBack != nil { return try holdBack(chunk) }
        guard let headerByteCount = try framing.readHeader(chunk) else { return }
        let rest = chunk.extracting(droppingFirst: headerByteCount)
        if headerByteCount > 0, let header = framing.headerOfSeveralCandidates {
            heldBack = header.bytes
            return try holdBack(rest)
        }
        if reader == nil, let header = framing.headerIfReleasing(adding: rest.byteCount) {
            try prepare(header)
        }
        try framing.add(rest) { (ciphertext, isOfChunk) throws(CryptorError) in
            precondition(reader != nil)
            try reader?.read(ciphertext, mayChange: mayChange && isOfChunk, into: &output)
        }
    }

    private mutating func holdBack(_ chunk: RawSpan) throws(CryptorError) {
        guard chunk.byteCount <= heldBackByteLimit - heldBackByteCount else {
            heldBack = nil
            throw CryptorError(
                .messageTooLong,
                """
                Several credentials may open the message, so it has to be held back to its end, \
                but it is longer than the limit of \(heldBackByteLimit) bytes. Raise the limit, \
                decrypt it as a file, or pass only the credential that opens it.
                """)
        }
        heldBack?.append(contentsOf: chunk)
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        if let heldBack {
            try output.requireRoom(for: heldBack.count)
            try withRawSpan(of: heldBack) { (message) throws(CryptorError) in
                _ = try framing.opener.open(message, mayChange: false, into: &output)
            }
            return
        }
        let (header, tail) = try framing.finish()
        try prepare(header)
        guard var reader = reader.take() else { preconditionFailure("it was prepared") }
        try withRawSpan(of: tail) { (tail) throws(CryptorError) in
            try reader.finish(tail, into: &output)
        }
    }
}
