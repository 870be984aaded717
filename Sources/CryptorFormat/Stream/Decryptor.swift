import CryptorPrimitives

/// Decrypts one message of any length in chunks of any size, in constant memory.
///
/// ```swift
/// var decryptor = try Decryptor(.password("correct horse battery staple"))
/// var plaintext: [UInt8] = []
/// for chunk in chunks { try decryptor.update(chunk, unverifiedInto: &plaintext) }
/// try decryptor.finish(into: &plaintext)
/// ```
/// - Important: The format has its HMAC at the end. What `update` releases is **unverified**: anybody may have altered
///   it, and nobody may act on it, until ``finish(into:)-([UInt8])`` returned. If `finish` throws, throw that plaintext away.
///   ``Cryptor`` releases nothing unverified.
///
/// Messages of version 2 and older are an exception if shortened readings of a password are accepted that is not ASCII (see
/// ``Acceptance/shortenedPasswords``): only the HMAC at the end tells which reading was meant. They are held back
/// in memory, up to a limit, and released by `finish`.
///
/// After any error but `outputTooSmall` every later call throws that error again.
public struct Decryptor: ~Copyable, Sendable {
    private let terms: ReadingTerms
    private let concurrency: Concurrency
    private var framing: MessageFraming
    /// Set up when the first ciphertext is certain to be ciphertext: a message that is too short derives no key.
    private var reader: MessageReader?
    /// Whether plaintext comes out at the end only.
    private var isHeldBack = false
    private var failure: CryptorError?

    /// Begins to read a message.
    /// - Parameters:
    ///   - credential: a password, whose keys are derived once the header has come (milliseconds), or keys.
    ///   - accepting: the versions to read, and how.
    ///   - concurrency: whether large chunks may be spread over two threads.
    /// - Throws: nothing at present: what is wrong with the credential shows when the header has come.
    public init(
        _ credential: Credential, accepting: Acceptance = .default, concurrency: Concurrency = .automatic
    ) throws(CryptorError) {
        self.init(ReadingTerms(credential: credential, accepting: accepting), concurrency)
    }

    init(_ terms: ReadingTerms, _ concurrency: Concurrency = .automatic) {
        self.terms = terms
        self.concurrency = concurrency
        framing = MessageFraming(terms)
    }

    /// Room that always suffices for the output of one call: of `update` with `inputByteCount` bytes, and of `finish`
    /// with 0. A negative number counts as 0, and what would be more than `Int.max` is `Int.max`.
    public static func maximumOutputByteCount(for inputByteCount: Int) -> Int {
        let (sum, isTooLarge) = max(0, inputByteCount).addingReportingOverflow(FormatSize.block)
        return isTooLarge ? .max : sum
    }

    /// How much ciphertext is held back for ``finish(into:)-([UInt8])``, in bytes: it then appends up to so many more bytes than
    /// `maximumOutputByteCount(for: 0)`. Always 0 but for messages of version 2 or older where shortened
    /// passwords are accepted, under a password that is not ASCII.
    public private(set) var heldBackByteCount = 0

    /// Decrypts `chunk` and appends **unverified** plaintext to `output`; the last 48 to 63 bytes, of version 0 the last
    /// 32, stay held back.
    /// - Throws: `outputTooSmall`, with nothing consumed, if `output` may not suffice;
    ///   `maximumOutputByteCount(for: chunk.byteCount)` always does. What is wrong with the header: `unsupportedVersion`,
    ///   `versionNotAccepted`, `unsupportedOptions`, `looksBase64Encoded`, `credentialMismatch`. `messageTooLong`,
    ///   `cryptoLibraryFailure`.
    @_lifetime(output: copy output)
    public mutating func update(_ chunk: RawSpan, unverifiedInto output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        try output.requireRoom(for: maximumReleaseByteCount(for: chunk.byteCount))
        do throws(CryptorError) {
            try decrypt(chunk, into: &output)
        } catch {
            failure = error
            throw error
        }
    }

    /// Decrypts `chunk` and appends **unverified** plaintext to `plaintext`; the last 48 to 63 bytes, of version 0 the last
    /// 32, stay held back.
    /// - Throws: what is wrong with the header: `unsupportedVersion`, `versionNotAccepted`, `unsupportedOptions`,
    ///   `looksBase64Encoded`, `credentialMismatch`. `messageTooLong`, `cryptoLibraryFailure`.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout [UInt8]
    ) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try plaintext.appendBytes(capacity: maximumReleaseByteCount(for: chunk.byteCount)) {
                (output) throws(CryptorError) in
                try update(chunk, unverifiedInto: &output)
            }
        }
    }

    /// Compares the HMAC, and only then appends the last plaintext: 0 to 15 bytes. When this returns, all that was
    /// released is authentic.
    /// - Throws: `authenticationFailed`, `corruptPadding`, `messageTooShort`, `invalidMessageLength`, `outputTooSmall`,
    ///   `cryptoLibraryFailure`, of a short input `unsupportedVersion` or `looksBase64Encoded`, or what was thrown before:
    ///   nothing that was released may be used.
    public consuming func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        try appendEnd(to: &output)
    }

    /// Compares the HMAC, and only then appends the last plaintext: 0 to 15 bytes. When this returns, all that was
    /// released is authentic.
    /// - Throws: `authenticationFailed`, `corruptPadding`, `messageTooShort`, `invalidMessageLength`,
    ///   `cryptoLibraryFailure`, of a short input `unsupportedVersion` or `looksBase64Encoded`, or what was thrown before:
    ///   nothing that was released may be used.
    public consuming func finish(into plaintext: inout [UInt8]) throws(CryptorError) {
        try plaintext.appendBytes(capacity: Self.maximumOutputByteCount(for: 0) + heldBackByteCount) {
            (output) throws(CryptorError) in
            try appendEnd(to: &output)
        }
    }

    // MARK: For those who derive keys elsewhere

    /// The header of the message, if `update` with so many bytes would derive its keys.
    func headerToPrepare(adding byteCount: Int) -> Header? {
        reader != nil || failure != nil ? nil : framing.headerIfReleasing(adding: byteCount)
    }

    /// The header of the message, if `finish` would derive its keys.
    /// - Throws: what `finish` would before that.
    mutating func headerToPrepareAtEnd() throws(CryptorError) -> Header? {
        if let failure { throw failure }
        return reader != nil ? nil : try framing.finish().header
    }

    /// Sets up what reads the ciphertext, if the header has come.
    mutating func take(_ keys: KeyPair, of header: Header) throws(CryptorError) {
        if reader == nil { try prepare(header, keys) }
    }

    private func maximumReleaseByteCount(for count: Int) -> Int {
        isHeldBack ? 0 : framing.maximumReleaseByteCount(adding: count)
    }

    @_lifetime(output: copy output)
    private mutating func decrypt(_ chunk: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        guard let headerByteCount = try framing.readHeader(chunk) else { return }
        let rest = chunk.extracting(droppingFirst: headerByteCount)
        if reader == nil, let header = framing.headerIfReleasing(adding: rest.byteCount) { try prepare(header) }
        try framing.add(rest) { (ciphertext) throws(CryptorError) in try reader?.read(ciphertext, into: &output) }
        if isHeldBack { heldBackByteCount = reader?.heldBackByteCount ?? 0 }
    }

    private mutating func prepare(_ header: Header, _ keys: KeyPair? = nil) throws(CryptorError) {
        reader = try MessageReader(
            header, terms: terms, keys: keys, for: .release(heldBackByteLimit: terms.accepting.heldBackByteLimit),
            concurrency: concurrency)
        isHeldBack = reader?.releasesAtOnce == false
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        let (header, tail) = try framing.finish()
        if reader == nil { try prepare(header) }
        try withRawSpan(of: tail) { (tail) throws(CryptorError) in
            try reader?.finish(tail, into: &output)
        }
    }
}
