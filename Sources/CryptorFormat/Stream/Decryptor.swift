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
    private var headerReader = HeaderReader()
    private var header: Header?
    private var holdback = TrailerHoldback(tailByteCount: FormatSize.tail, blockByteCount: FormatSize.block)
    /// Set up when the first ciphertext is certain to be ciphertext; a message that is too short derives no key.
    private var body: BodyDecryptor?
    private var failure: CryptorError?

    /// - Parameter credential: a password, whose keys are derived once the header has come (milliseconds), or keys.
    public init(_ credential: Credential) throws(CryptorError) {
        self.credential = credential
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
        let needed = maximumReleaseByteCount(for: chunk.byteCount)
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
            try plaintext.appendBytes(capacity: maximumReleaseByteCount(for: chunk.byteCount)) {
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

    /// A bound for what `update` releases for so many bytes; exact once the header has been read.
    private func maximumReleaseByteCount(for inputByteCount: Int) -> Int {
        if header != nil { return holdback.releasableByteCount(adding: inputByteCount) }
        // What is longer than a header and still undecided is no message, and nothing of it is released.
        let prefixByteCount = min(headerReader.byteCount, FormatSize.passwordHeader)
        return max(0, prefixByteCount + inputByteCount - FormatSize.keyHeader - FormatSize.tail)
    }

    private mutating func decrypt(_ chunk: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        var rest = chunk
        if header == nil {
            guard let (header, byteCount) = try headerReader.read(chunk) else { return }
            try credential.check(against: header)
            self.header = header
            rest = chunk.extracting(byteCount..<chunk.byteCount)
        }
        guard let header else { return }
        try holdback.add(rest) { (ciphertext) throws(CryptorError) in
            if body == nil { body = try BodyDecryptor(credential, header: header) }
            try body?.decrypt(ciphertext, into: &output)
        }
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        guard let header else { throw headerReader.finish() }
        // Of the body only the end is still here, and only its length modulo the block matters.
        try header.checkMessageByteCount(header.byteCount + holdback.held.count)
        if body == nil { body = try BodyDecryptor(credential, header: header) }
        try withRawSpan(of: holdback.held) { (tail) throws(CryptorError) in
            try body?.finish(tail, into: &output)
        }
    }
}
