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
///   it, and nobody may act on it, until ``finish(into:)`` returned. If `finish` throws, throw that plaintext away.
///   ``Cryptor`` releases nothing unverified.
///
/// After any error but `outputTooSmall` every later call throws that error again.
public struct Decryptor: ~Copyable, Sendable {
    private let credential: Credential
    private var reader: MessageReader
    /// Set up when the first ciphertext is certain to be ciphertext; a message that is too short derives no key.
    private var body: BodyDecryptor?
    private var failure: CryptorError?

    /// - Parameter credential: a password, whose keys are derived once the header has come (milliseconds), or keys.
    public init(_ credential: Credential) throws(CryptorError) {
        self.init(credential, messageByteCount: nil)
    }

    /// - Parameter messageByteCount: the length of the whole message, if it is known: its shape is then checked first.
    init(_ credential: Credential, messageByteCount: Int?) {
        self.credential = credential
        self.reader = MessageReader(for: credential, messageByteCount: messageByteCount)
    }

    /// Room that always suffices for the output of one call: of `update` with `inputByteCount` bytes, and of `finish`
    /// with 0.
    public static func maximumOutputByteCount(for inputByteCount: Int) -> Int {
        inputByteCount + FormatSize.block
    }

    /// Decrypts `chunk` and appends **unverified** plaintext to `output`; the last 48 to 63 bytes stay held back.
    /// - Throws: `outputTooSmall`, with nothing consumed, if `output` may not suffice;
    ///   `maximumOutputByteCount(for: chunk.byteCount)` always does. What is wrong with the header: `unsupportedVersion`,
    ///   `unsupportedOptions`, `looksBase64Encoded`, `credentialMismatch`. `cryptoLibraryFailure`.
    public mutating func update(_ chunk: RawSpan, unverifiedInto output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        let needed = reader.maximumReleaseByteCount(adding: chunk.byteCount)
        guard output.freeCapacity >= needed else {
            throw .outputTooSmall(needed: needed, available: output.freeCapacity)
        }
        do throws(CryptorError) {
            try decrypt(chunk, into: &output)
        } catch {
            failure = error
            throw error
        }
    }

    /// Decrypts `chunk` and appends **unverified** plaintext to `plaintext`; the last 48 to 63 bytes stay held back.
    /// - Throws: what is wrong with the header: `unsupportedVersion`, `unsupportedOptions`, `looksBase64Encoded`,
    ///   `credentialMismatch`. `cryptoLibraryFailure`.
    public mutating func update(
        _ chunk: some Collection<UInt8>, unverifiedInto plaintext: inout [UInt8]
    ) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try plaintext.appendBytes(capacity: reader.maximumReleaseByteCount(adding: chunk.byteCount)) {
                (output) throws(CryptorError) in
                try update(chunk, unverifiedInto: &output)
            }
        }
    }

    /// Compares the HMAC, and only then appends the last plaintext: 0 to 15 bytes. When this returns, all that was
    /// released is authentic.
    /// - Throws: `authenticationFailed`, `corruptPadding`, `messageTooShort`, `invalidMessageLength`, `outputTooSmall`,
    ///   `cryptoLibraryFailure`, or what was thrown before: nothing that was released may be used.
    public consuming func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        try appendEnd(to: &output)
    }

    /// Compares the HMAC, and only then appends the last plaintext: 0 to 15 bytes. When this returns, all that was
    /// released is authentic.
    /// - Throws: `authenticationFailed`, `corruptPadding`, `messageTooShort`, `invalidMessageLength`,
    ///   `cryptoLibraryFailure`, or what was thrown before: nothing that was released may be used.
    public consuming func finish(into plaintext: inout [UInt8]) throws(CryptorError) {
        try plaintext.appendBytes(capacity: Self.maximumOutputByteCount(for: 0)) { (output) throws(CryptorError) in
            try appendEnd(to: &output)
        }
    }

    private mutating func decrypt(_ chunk: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try reader.add(chunk) { (header, ciphertext) throws(CryptorError) in
            if body == nil { body = try BodyDecryptor(credential, header: header) }
            try body?.decrypt(ciphertext, into: &output)
        }
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        let (header, tail) = try reader.finish()
        if body == nil { body = try BodyDecryptor(credential, header: header) }
        try withRawSpan(of: tail) { (tail) throws(CryptorError) in try body?.finish(tail, into: &output) }
    }
}
