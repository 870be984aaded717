import CryptorPrimitives

/// Encrypts and decrypts many messages under one pair of keys. OpenSSL's contexts are set up once and reused.
///
/// Any number of threads may use one cryptor at the same time; none waits for another. It does what ``Cryptor`` does
/// with `.keys`, byte for byte and error for error.
public final class KeyedCryptor: Sendable {
    /// Longer messages do not use the pool's contexts, and may be spread over two threads.
    static let maximumByteCount = 256 * 1024

    let credential: Credential
    let pool: ContextPool

    /// Sets up the first contexts under these keys.
    /// - Throws: `cryptoLibraryFailure`.
    public init(_ keys: KeyPair) throws(CryptorError) {
        credential = .keys(keys)
        pool = ContextPool(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
        // The first context is made now, so that a failure of OpenSSL is thrown here.
        try openSSL { () throws(OpenSSLError) in try pool.withContext { _ in } }
    }

    /// The length of the message for a plaintext of this many bytes. A negative number counts as 0, and a length of
    /// more than `Int.max` is returned as `Int.max`.
    public static func messageByteCount(for plaintextByteCount: Int) -> Int {
        FormatSize.messageByteCount(headerByteCount: FormatSize.keyHeader, plaintextByteCount: plaintextByteCount)
    }

    // MARK: Encryption

    /// Encrypts `plaintext` into a message of version 3 with a fresh IV.
    /// - Returns: the message: 51 to 66 bytes longer than the plaintext.
    /// - Throws: `cryptoLibraryFailure`.
    public func encrypt(_ plaintext: some Collection<UInt8>) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in try message(of: plaintext) }
    }

    /// Encrypts `plaintext` and appends the message to `output`.
    /// - Throws: `outputTooSmall`, with nothing written, unless there is room for
    ///   `messageByteCount(for: plaintext.byteCount)` bytes; `cryptoLibraryFailure`, after
    ///   which `output` may hold an incomplete message if the plaintext has more than 256 KiB.
    @_lifetime(output: copy output)
    public func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try output.requireRoom(for: Self.messageByteCount(for: plaintext.byteCount))
        guard plaintext.byteCount <= Self.maximumByteCount else {
            var encryptor = try Encryptor(credential)
            try encryptor.update(plaintext, into: &output)
            return try encryptor.finish(into: &output)
        }
        try pool.encrypt(plaintext, into: &output)
    }

    func message<Message: WrittenBytes>(
        of plaintext: RawSpan
    ) throws(CryptorError) -> Message {
        guard plaintext.byteCount <= Self.maximumByteCount else {
            return try Cryptor.encrypt(plaintext, with: credential)
        }
        return try Message(byteCapacity: Self.messageByteCount(for: plaintext.byteCount)) {
            (output) throws(CryptorError) in try pool.encrypt(plaintext, into: &output)
        }
    }

    /// Encrypts each of `plaintexts` as ``encrypt(_:)-(Collection<UInt8>)`` would.
    /// - Returns: for each plaintext, in their order, its message or its error.
    public func encryptAll(
        _ plaintexts: some Collection<some Collection<UInt8>>
    ) -> [Result<[UInt8], CryptorError>] {
        plaintexts.map { plaintext in Result { () throws(CryptorError) in try encrypt(plaintext) } }
    }

    // MARK: Decryption

    /// Decrypts a key message of an accepted version (by default 3 or 2).
    /// - Returns: the authentic plaintext.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:)->[UInt8]`` throws.
    public func decrypt(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in
            try plaintext(of: message, accepting: accepting)
        }
    }

    /// Decrypts a key message of version 3 or 2 and appends the authentic plaintext to `output`.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:)->[UInt8]`` throws; `outputTooSmall`, with
    ///   nothing written, unless there is room for as many bytes as the ciphertext has: the message's length without
    ///   the 50 bytes of header and HMAC.
    @_lifetime(output: copy output)
    public func decrypt(_ message: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        guard Self.isShortKeyMessage(message) else {
            // Nothing is decrypted into the caller's memory here, because `Cryptor` decrypts while it verifies.
            let terms = ReadingTerms(credential: credential, accepting: .default)
            let header = try terms.header(of: message, messageByteCount: message.byteCount)
            try output.requireRoom(for: message.byteCount - header.byteCount - FormatSize.tag)
            let plaintext: [UInt8] = try Cryptor.decrypt(message, terms: terms)
            return withRawSpan(of: plaintext) { plaintext in plaintext.append(to: &output) }
        }
        try output.requireRoom(for: message.byteCount - Self.overheadByteCount)
        try pool.decrypt(message, into: &output)
    }

    func plaintext<Plaintext: WrittenBytes>(
        of message: RawSpan, accepting: Acceptance = .default
    ) throws(CryptorError) -> Plaintext {
        guard Self.isShortKeyMessage(message), accepting.accepted.contains(.v3) else {
            // `Cryptor` reads other versions and long messages, and throws the errors of malformed ones.
            return try Cryptor.decrypt(
                message, terms: ReadingTerms(credential: credential, accepting: accepting))
        }
        return try Plaintext(byteCapacity: message.byteCount - Self.overheadByteCount) {
            (output) throws(CryptorError) in try pool.decrypt(message, into: &output)
        }
    }

    /// Decrypts each of `messages` as ``decrypt(_:accepting:)`` would, with the same errors.
    /// - Returns: for each message, in their order, its authentic plaintext or its error.
    public func decryptAll(
        _ messages: some Collection<some Collection<UInt8>>, accepting: Acceptance = .default
    ) -> [Result<[UInt8], CryptorError>] {
        messages.map { message in
            Result { () throws(CryptorError) in try decrypt(message, accepting: accepting) }
        }
    }

    static let overheadByteCount = FormatSize.keyHeader + FormatSize.tag

    /// Whether `message` is a short key message of version 3 and of sound shape.
    static func isShortKeyMessage(_ message: RawSpan) -> Bool {
        let count = message.byteCount
        guard count >= FormatSize.keyHeader + FormatSize.tail, count <= maximumByteCount,
            (count - overheadByteCount).isMultiple(of: FormatSize.block)
        else { return false }
        return message.byte(at: 0) == FormatVersion.v3.rawValue && message.byte(at: 1) == 0
    }
}

/// What may be wrong with a message that was read.
enum MessageFault {
    case forged, badlyPadded

    var error: CryptorError { self == .forged ? .authenticationFailed : .corruptPadding }
}

extension ContextPool {
    /// Appends the message of a short plaintext; nothing if it throws. `output` must have room for the message.
    @_lifetime(output: copy output)
    func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let start = output.byteCount
        do throws(OpenSSLError) {
            try withContext { (context) throws(OpenSSLError) in try context.write(plaintext, into: &output) }
        } catch {
            output.removeLast(output.byteCount - start)
            throw .openSSL(error)
        }
    }

    /// Appends the plaintext of a message for which ``KeyedCryptor/isShortKeyMessage(_:)`` is true; nothing if it
    /// throws. `output` must have room for the ciphertext.
    @_lifetime(output: copy output)
    func decrypt(_ message: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        var fault: MessageFault?
        try openSSL { () throws(OpenSSLError) in
            try withContext { (context) throws(OpenSSLError) in fault = try context.read(message, into: &output) }
        }
        if let fault { throw fault.error }
    }
}

// Short messages of version 3. The order of steps is that of `MessageWriter` and `MessageReader`, whose setup takes
// several times as long as a short message.
extension KeyedContext {
    /// Appends the message. `output` must have room for it.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func write(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        let start = output.byteCount
        output.append(FormatVersion.v3.rawValue)
        output.append(0)
        try encrypt(plaintext, into: &output)
        try authenticate(output.bytes.extracting(droppingFirst: start))
        try authenticator.finish(into: &output)
        precondition(output.byteCount - start == KeyedCryptor.messageByteCount(for: plaintext.byteCount))
    }

    /// Appends the plaintext of a message for which ``KeyedCryptor/isShortKeyMessage(_:)`` is true. `output` must have
    /// room for the ciphertext. Nothing is decrypted before the tag has matched.
    /// - Returns: what is wrong with the message, with nothing appended; nil if nothing is wrong.
    @inline(__always)
    @_lifetime(output: copy output)
    mutating func read(_ message: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) -> MessageFault? {
        let (body, tag) = (message.extracting(droppingLast: FormatSize.tag), message.extracting(last: FormatSize.tag))
        try authenticate(body)
        guard try authenticator.finish(matching: tag) else { return .forged }
        let isPadded = try decrypt(
            body.extracting(droppingFirst: FormatSize.keyHeader), iv: body.extracting(2..<FormatSize.keyHeader),
            into: &output)
        return isPadded ? nil : .badlyPadded
    }
}
