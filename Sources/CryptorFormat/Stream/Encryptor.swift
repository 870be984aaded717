import CryptorPrimitives
import CryptorSystem

/// Encrypts one message of any length in chunks of any size, in constant memory.
///
/// ```swift
/// var encryptor = try Encryptor(.password("correct horse battery staple"))
/// var message: [UInt8] = []
/// for chunk in chunks { try encryptor.update(chunk, into: &message) }
/// try encryptor.finish(into: &message)
/// ```
/// It writes version 3 with fresh salts and a fresh IV. The message is complete only after
/// ``finish(into:)-([UInt8])``, which consumes the encryptor. After any error except
/// `outputTooSmall`, every later call throws that error again.
public struct Encryptor: ~Copyable, Sendable {
    private var engine: SplitEngine
    /// The header until it has been written, then empty.
    private var unwrittenHeader: [UInt8]
    private var work = LargeWork()
    private var failure: Optional<CryptorError>

    /// Begins a message.
    /// - Parameters:
    ///   - credential: a password, whose keys are derived here (milliseconds), or keys.
    /// - Throws: `cryptoLibraryFailure`; `invalidCredential` for a credential that can only
    ///   decrypt.
    public init(_ credential: Credential) throws(CryptorError) {
        let (header, request) = try credential.newMessage()
        try self.init(header, keys: try request.keys())
    }

    package init(_ header: MessageHeader, keys: MessageKeys) throws(CryptorError) {
        engine = try openSSL { () throws(OpenSSLError) in
            try SplitEngine(.encrypt, for: header, keys: keys)
        }
        unwrittenHeader = header.bytes
        failure = nil
    }

    /// The room that always suffices for the output of one call: `update` with `inputByteCount`
    /// bytes, or `finish` with 0. It is also the length of a complete password message with
    /// `inputByteCount` bytes of plaintext; a key message is 16 bytes shorter. A negative number
    /// counts as 0, and a result over `Int.max` becomes `Int.max`.
    public static func maximumOutputByteCount(for inputByteCount: Int) -> Int {
        FormatVersion.written.messageByteCount(
            usingPassword: true, plaintextByteCount: inputByteCount)
    }

    /// Encrypts `chunk` and appends the complete part of the message to `output`: first the header,
    /// then whole blocks.
    /// - Throws: `outputTooSmall`, with nothing consumed, if the output of this call does not fit;
    ///   `maximumOutputByteCount(for: chunk.byteCount)` always suffices. Otherwise
    ///   `cryptoLibraryFailure`.
    @_lifetime(output: copy output)
    public mutating func update(_ chunk: RawSpan, into output: inout OutputRawSpan)
        throws(CryptorError)
    {
        if let failure { throw failure }
        try output.requireRoom(for: outputByteCount(for: chunk.byteCount))
        writeHeader(into: &output)
        let cores = work.reserveCores(forNext: chunk.byteCount)
        do throws(CryptorError) {
            try openSSL { () throws(OpenSSLError) in
                try engine.seal(chunk, into: &output, besideCaller: cores.includeSecond)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// Encrypts `chunk` and appends the complete part of the message to `message`.
    /// - Throws: `cryptoLibraryFailure`; bytes appended before that stay.
    public mutating func update(
        _ chunk: some Collection<UInt8>, into message: inout [UInt8]
    ) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try message.appendBytes(capacity: outputByteCount(for: chunk.byteCount)) {
                (output) throws(CryptorError) in
                try update(chunk, into: &output)
            }
        }
    }

    /// Appends the rest of the message: the last block and the HMAC, at most
    /// `maximumOutputByteCount(for: 0)` bytes.
    /// - Throws: `outputTooSmall`, which leaves the message incomplete; `cryptoLibraryFailure`.
    public consuming func finish(into output: inout OutputRawSpan) throws(CryptorError) {
        try appendEnd(to: &output)
    }

    /// Appends the rest of the message: the last block and the HMAC.
    /// - Throws: `cryptoLibraryFailure`.
    public consuming func finish(into message: inout [UInt8]) throws(CryptorError) {
        // A closure cannot consume what it captures, but it can take it.
        var encryptor: Encryptor? = consume self
        try message.appendBytes(capacity: Self.maximumOutputByteCount(for: 0)) {
            (output) throws(CryptorError) in
            guard let encryptor = encryptor.take() else { preconditionFailure("it ends once") }
            try encryptor.appendEnd(to: &output)
        }
    }

    private consuming func appendEnd(to output: inout OutputRawSpan) throws(CryptorError) {
        if let failure { throw failure }
        try output.requireRoom(for: unwrittenHeader.count + FormatVersion.written.heldBackByteCount)
        writeHeader(into: &output)
        try openSSL { () throws(OpenSSLError) in
            try engine.finishSealing(unhashedFrom: output.byteCount, into: &output)
        }
    }

    /// Exactly how many bytes `update` appends for a chunk of this length.
    private func outputByteCount(for chunkByteCount: Int) -> Int {
        unwrittenHeader.count + engine.outputByteCount(for: chunkByteCount)
    }

    private mutating func writeHeader(into output: inout OutputRawSpan) {
        guard !unwrittenHeader.isEmpty else { return }
        withRawSpan(of: unwrittenHeader) { header in header.append(to: &output) }
        unwrittenHeader = []
    }
}
