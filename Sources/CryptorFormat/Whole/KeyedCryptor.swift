import CryptorPrimitives

/// Encrypts and decrypts many messages under one pair of keys: what OpenSSL needs is set up once and used again.
///
/// If the program turns FIPS mode on or off (`EVP_set_default_properties(3)`), each context notices it within 32 messages,
/// or a group of a batch that it has begun, and is replaced. All else in this library notices it at once.
///
/// Any number of threads may use one at the same time; none waits for another. What it does is what ``Cryptor`` does with
/// `.keys`, byte for byte and error for error.
public final class KeyedCryptor: Sendable {
    /// Longer messages take the way of ``Cryptor``, which may spread them over two threads.
    static let maximumByteCount = 256 * 1024

    let credential: Credential
    let pool: ContextPool
    #if MultiBuffer
    let multiBuffer: MultiBuffer?
    #endif

    /// Sets up the first contexts under these keys.
    /// - Throws: `cryptoLibraryFailure`.
    public init(_ keys: KeyPair) throws(CryptorError) {
        credential = .keys(keys)
        pool = ContextPool(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
        #if MultiBuffer
        multiBuffer = MultiBuffer(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
        #endif
        // The first context now, so that what is wrong with OpenSSL shows here.
        try openSSL { () throws(OpenSSLError) in try pool.withContext { _ in } }
    }

    /// The length of the message for a plaintext of so many bytes. A negative number counts as 0, and what would be more
    /// than `Int.max` is `Int.max`.
    public static func messageByteCount(for plaintextByteCount: Int) -> Int {
        FormatSize.messageByteCount(headerByteCount: FormatSize.keyHeader, plaintextByteCount: plaintextByteCount)
    }

    // MARK: Encryption

    /// Encrypts `plaintext` into a message of version 3 with a fresh IV.
    /// - Returns: the message: 51 to 66 bytes longer than the plaintext.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(_ plaintext: [UInt8]) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in try message(of: plaintext) }
    }

    /// Encrypts `plaintext` into a message of version 3 with a fresh IV.
    /// - Returns: the message: 51 to 66 bytes longer than the plaintext.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(_ plaintext: some Collection<UInt8>) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in try message(of: plaintext) }
    }

    /// Encrypts `plaintext` and appends the message to `output`.
    /// - Throws: `outputTooSmall`, with nothing written, unless there is room for
    ///   `messageByteCount(for: plaintext.byteCount)` bytes; `randomnessUnavailable` or `cryptoLibraryFailure`, after which
    ///   what was appended of more than 256 KiB is no message.
    @_lifetime(output: copy output)
    public func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try output.requireRoom(for: Self.messageByteCount(for: plaintext.byteCount))
        guard plaintext.byteCount <= Self.maximumByteCount else {
            var encryptor = try Encryptor(credential)
            try encryptor.update(plaintext, into: &output)
            return try encryptor.finish(into: &output)
        }
        try pool.encrypt(plaintext, into: &output, isOneOfMany: true)
    }

    func message<Message: WrittenBytes>(of plaintext: RawSpan) throws(CryptorError) -> Message {
        try Message(byteCapacity: Self.messageByteCount(for: plaintext.byteCount)) { (output) throws(CryptorError) in
            try encrypt(plaintext, into: &output)
        }
    }

    // MARK: Decryption

    /// Decrypts a key message of version 3 or 2.
    /// - Returns: the plaintext, authentic.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws.
    public func decrypt(_ message: [UInt8]) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in try plaintext(of: message) }
    }

    /// Decrypts a key message of version 3 or 2, or of those that are accepted.
    /// - Returns: the plaintext, authentic.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws.
    public func decrypt(
        _ message: some Collection<UInt8>, accepting: Acceptance = .default
    ) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in
            try plaintext(of: message, accepting: accepting)
        }
    }

    /// Decrypts a key message of version 3 or 2 and appends the plaintext, authentic, to `output`.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws; `outputTooSmall`, with nothing
    ///   written, unless there is room for the ciphertext, which always suffices: the message's length without header and
    ///   HMAC, 50 bytes.
    @_lifetime(output: copy output)
    public func decrypt(_ message: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        guard Self.isPlain(message) else {
            // Not into the caller's memory: it is decrypted while it is verified.
            let terms = ReadingTerms(credential: credential, accepting: .default)
            let header = try terms.header(of: message, messageByteCount: message.byteCount)
            try output.requireRoom(for: message.byteCount - header.byteCount - FormatSize.tag)
            let plaintext: [UInt8] = try Cryptor.decrypt(message, terms: terms, concurrency: .automatic)
            return withRawSpan(of: plaintext) { plaintext in plaintext.append(to: &output) }
        }
        try output.requireRoom(for: message.byteCount - Self.overheadByteCount)
        try pool.decrypt(message, into: &output, isOneOfMany: true)
    }

    func plaintext<Plaintext: WrittenBytes>(
        of message: RawSpan, accepting: Acceptance = .default
    ) throws(CryptorError) -> Plaintext {
        guard Self.isPlain(message), accepting.accepted.contains(.v3) else {
            // Other versions, long messages and all errors of shape.
            return try Cryptor.decrypt(
                message, terms: ReadingTerms(credential: credential, accepting: accepting), concurrency: .automatic)
        }
        return try Plaintext(byteCapacity: message.byteCount - Self.overheadByteCount) {
            (output) throws(CryptorError) in try decrypt(message, into: &output)
        }
    }

    static let overheadByteCount = FormatSize.keyHeader + FormatSize.tag

    /// Whether `message` is a short key message of version 3 and of sound shape.
    static func isPlain(_ message: RawSpan) -> Bool {
        let count = message.byteCount
        guard count >= FormatSize.keyHeader + FormatSize.tail, count <= maximumByteCount,
            (count - overheadByteCount).isMultiple(of: FormatSize.block)
        else { return false }
        return message.byte(at: 0) == FormatVersion.v3.rawValue && message.byte(at: 1) == 0
    }
}

/// What a message that was read may be found to be.
enum MessageFault {
    case forged, badlyPadded

    var error: CryptorError { self == .forged ? .authenticationFailed : .corruptPadding }
}

extension ContextPool {
    /// Appends the message of a short plaintext, for which there is room; nothing if it throws.
    /// - Parameter isOneOfMany: whether it is asked now and then only if FIPS mode was turned on or off.
    @_lifetime(output: copy output)
    func encrypt(
        _ plaintext: RawSpan, into output: inout OutputRawSpan, isOneOfMany: Bool
    ) throws(CryptorError) {
        let start = output.byteCount
        do throws(OpenSSLError) {
            try callingOpenSSL { () throws(OpenSSLError) in
                try withContext(useCount: isOneOfMany ? 1 : KeyedContext.useCountToAsk) {
                    (context) throws(OpenSSLError) in try context.write(plaintext, into: &output)
                }
            }
        } catch {
            output.removeLast(output.byteCount - start)
            throw .openSSL(error)
        }
    }

    /// Appends the plaintext of a message that ``KeyedCryptor/isPlain(_:)``; nothing if it throws. There is room for its
    /// ciphertext.
    /// - Parameter isOneOfMany: see ``encrypt(_:into:isOneOfMany:)``.
    @_lifetime(output: copy output)
    func decrypt(
        _ message: RawSpan, into output: inout OutputRawSpan, isOneOfMany: Bool
    ) throws(CryptorError) {
        var fault: MessageFault?
        try openSSL { () throws(OpenSSLError) in
            try withContext(useCount: isOneOfMany ? 1 : KeyedContext.useCountToAsk) {
                (context) throws(OpenSSLError) in fault = try context.read(message, into: &output)
            }
        }
        if let fault { throw fault.error }
    }
}

// A short message of version 3. Their order is that of `MessageWriter` and `MessageReader`, which take several times as long to
// set up as a short message takes.
extension KeyedContext {
    /// Appends the message, for which there is room.
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

    /// Appends the plaintext of a message that ``KeyedCryptor/isPlain(_:)``. There is room for its ciphertext.
    /// - Returns: what is wrong with it, with nothing appended: nothing is decrypted before the tag matched.
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
