import CryptorPrimitives

/// Encrypts one message of any length in chunks of any size, in constant memory.
///
/// ```swift
/// var encryptor = try Encryptor(.password("correct horse battery staple"))
/// var message: [UInt8] = []
/// for chunk in chunks { try encryptor.update(chunk, into: &message) }
/// try encryptor.finish(into: &message)
/// ```
/// Writes version 3 with fresh salts and a fresh IV. The message is whole only after ``finish(into:)-([UInt8])``, which consumes
/// the encryptor. After any error but `outputTooSmall` every later call throws that error again.
public struct Encryptor: ~Copyable, Sendable {
    private var cipher: MessageCipher
    private var authenticator: MessageAuthenticator
    /// The header, until the first output.
    private var unwrittenHeader: [UInt8]
    private var help: StreamHelp
    private var failure: Optional<CryptorError>

    /// Begins a message.
    /// - Parameters:
    ///   - credential: a password, whose keys are derived here (milliseconds), or keys.
    ///   - concurrency: whether large chunks may be spread over two threads.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public init(_ credential: Credential, concurrency: Concurrency = .automatic) throws(CryptorError) {
        try self.init(credential, header: try credential.freshHeader(), concurrency: concurrency)
    }

    /// For tests: the header, with version, salts and IV, is given.
    package init(
        _ credential: Credential, header: Header, concurrency: Concurrency = .automatic
    ) throws(CryptorError) {
        let keys = try credential.keys(for: header)
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.encrypt, key: keys.encryptionKey, header: header)
        }
        let authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: keys.hmacKey, header: header)
        }
        self.cipher = cipher
        self.authenticator = authenticator
        help = StreamHelp(concurrency)
        self.unwrittenHeader = HeaderWriter.bytes(of: header)
        failure = nil
    }

    /// Room that always suffices for the output of one call: of `update` with `inputByteCount` bytes, and of `finish`
    /// with 0. Also the length of a whole password message of so many bytes; a key message is 16 bytes shorter. A negative
    /// number counts as 0, and what would be more than `Int.max` is `Int.max`.
    public static func maximumOutputByteCount(for inputByteCount: Int) -> Int {
        FormatSize.messageByteCount(headerByteCount: FormatSize.passwordHeader, plaintextByteCount: inputByteCount)
    }

    /// Encrypts `chunk` and appends what is complete to `output`: the header before all else, then whole blocks.
    /// - Throws: `outputTooSmall`, with nothing consumed, if what this call would append does not fit;
    ///   `maximumOutputByteCount(for: chunk.byteCount)` always does. `cryptoLibraryFailure`.
    @_lifetime(output: copy output)
    public mutating func update(_ chunk: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        let needed = outputByteCount(for: chunk.byteCount)
        guard output.freeCapacity >= needed else {
            throw .outputTooSmall(needed: needed, available: output.freeCapacity)
        }
        do throws(CryptorError) {
            writeHeader(into: &output)
            try encrypt(chunk, into: &output)
        } catch {
            failure = error
            throw error
        }
    }

    /// Encrypts `chunk` and appends what is complete to `message`.
    /// - Throws: `cryptoLibraryFailure`.
    public mutating func update(
        _ chunk: some Collection<UInt8>, into message: inout [UInt8]
    ) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try message.appendBytes(capacity: outputByteCount(for: chunk.byteCount)) { (output) throws(CryptorError) in
                try update(chunk, into: &output)
            }
        }
    }

    /// Appends the rest of the message: the last block and the HMAC, at most `maximumOutputByteCount(for: 0)` bytes.
    /// - Throws: `outputTooSmall`, and the message stays incomplete; `cryptoLibraryFailure`.
    public consuming func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        try appendEnd(to: &output)
    }

    /// Appends the rest of the message: the last block and the HMAC.
    /// - Throws: `cryptoLibraryFailure`.
    public consuming func finish(into message: inout [UInt8]) throws(CryptorError) {
        try message.appendBytes(capacity: Self.maximumOutputByteCount(for: 0)) { (output) throws(CryptorError) in
            try appendEnd(to: &output)
        }
    }

    /// What `update` appends for so many bytes, exactly.
    private func outputByteCount(for inputByteCount: Int) -> Int {
        unwrittenHeader.count + cipher.outputByteCount(for: inputByteCount)
    }

    private mutating func writeHeader(into output: inout OutputRawSpan) {
        guard !unwrittenHeader.isEmpty else { return }
        withRawSpan(of: unwrittenHeader) { header in header.append(to: &output) }
        unwrittenHeader = []
    }

    @_lifetime(output: copy output)
    private mutating func encrypt(_ chunk: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let place = help.place(forNext: chunk.byteCount)
        try openSSL { () throws(OpenSSLError) in
            try Self.encrypt(chunk, into: &output, &cipher, &authenticator, hasHelper: place.hasHelper)
        }
    }

    @_lifetime(output: copy output)
    private static func encrypt(
        _ chunk: RawSpan, into output: inout OutputRawSpan, _ cipher: inout MessageCipher,
        _ authenticator: inout MessageAuthenticator, hasHelper: Bool
    ) throws(OpenSSLError) {
        var offset = 0
        func next() -> Range<Int> {
            let start = offset
            offset = min(offset + StreamHelp.pieceByteCount, chunk.byteCount)
            return start..<offset
        }
        if hasHelper, chunk.byteCount >= StreamHelp.sharedByteCount {
            return try authenticator.follow(&output) { (output) throws(OpenSSLError) in
                try cipher.update(chunk.extracting(next()), into: &output)
                return offset < chunk.byteCount
            }
        }
        while offset < chunk.byteCount {
            let start = output.byteCount
            try cipher.update(chunk.extracting(next()), into: &output)
            try authenticator.update(
                output.bytes.extracting(start..<output.byteCount), besideCaller: hasHelper)
        }
    }

    private mutating func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        let needed = unwrittenHeader.count + cipher.tailByteCount
        guard output.freeCapacity >= needed else {
            throw .outputTooSmall(needed: needed, available: output.freeCapacity)
        }
        writeHeader(into: &output)
        try openSSL { () throws(OpenSSLError) in
            try cipher.finishEncryption(into: &output, &authenticator)
        }
    }
}
