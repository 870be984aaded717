import CryptorPrimitives

/// Encrypts and decrypts many messages under one pair of keys: what OpenSSL needs is set up once and used again.
///
/// Any number of threads may use one at the same time; none waits for another. What it does is what ``Cryptor`` does with
/// `.keys`, byte for byte and error for error.
public final class KeyedCryptor: Sendable {
    /// Longer messages take the way of ``Cryptor``, which may spread them over two threads.
    private static let maximumByteCount = 256 * 1024

    private let credential: Credential
    private let pool: ContextPool

    /// - Throws: `cryptoLibraryFailure`.
    public init(_ keys: KeyPair) throws(CryptorError) {
        credential = .keys(keys)
        pool = ContextPool(encryptionKey: keys.encryptionKey, hmacKey: keys.hmacKey)
        // The first context now, so that what is wrong with OpenSSL shows here.
        try use { _ throws(KeyedContextError) in }
    }

    /// Encrypts `plaintext` into a message of version 3 with a fresh IV.
    /// - Returns: the message: 50 to 66 bytes longer than the plaintext.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(_ plaintext: some Collection<UInt8>) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
            guard plaintext.byteCount <= Self.maximumByteCount else {
                return try Cryptor.encrypt(Array(copying: plaintext), with: credential)
            }
            var message: [UInt8] = []
            try message.appendBytes(capacity: Self.messageByteCount(for: plaintext.byteCount)) {
                (output) throws(CryptorError) in
                try append(plaintext, to: &output)
            }
            return message
        }
    }

    /// Encrypts `plaintext` and appends the message to `output`.
    /// - Throws: `outputTooSmall`, with nothing written, unless there is room for
    ///   `messageByteCount(for: plaintext.byteCount)` bytes; `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(_ plaintext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let needed = Self.messageByteCount(for: plaintext.byteCount)
        guard output.freeCapacity >= needed else {
            throw .outputTooSmall(needed: needed, available: output.freeCapacity)
        }
        guard plaintext.byteCount <= Self.maximumByteCount else {
            var encryptor = try Encryptor(credential)
            try encryptor.update(plaintext, into: &output)
            return try encryptor.finish(into: &output)
        }
        try append(plaintext, to: &output)
    }

    /// Decrypts a key message of version 3 or 2, or of those that are accepted.
    /// - Returns: the plaintext, authentic.
    /// - Throws: what ``Cryptor/decrypt(_:with:accepting:concurrency:)`` throws.
    public func decrypt(
        _ message: some Collection<UInt8>, accepting: Set<FormatVersion> = [.v3, .v2]
    ) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in
            guard isPlain(message, accepting) else {
                return try Cryptor.decrypt(Array(copying: message), with: credential, accepting: accepting)
            }
            return try decryptPlain(message)
        }
    }

    /// The length of the message for a plaintext of so many bytes.
    public static func messageByteCount(for plaintextByteCount: Int) -> Int {
        FormatSize.keyHeader + (plaintextByteCount / FormatSize.block + 1) * FormatSize.block + FormatSize.code
    }

    private func append(_ plaintext: RawSpan, to output: inout OutputRawSpan) throws(CryptorError) {
        try use { (context) throws(KeyedContextError) in
            try context.appendMessage(start: Self.start, plaintext, to: &output)
        }
    }

    /// Version and options of what is written.
    private static let start: [UInt8] = [FormatVersion.v3.rawValue, 0]

    /// Whether `message` is a short key message of version 3 and of sound shape. All else, errors too, goes the general way.
    private func isPlain(_ message: RawSpan, _ accepting: Set<FormatVersion>) -> Bool {
        let count = message.byteCount
        guard count >= FormatSize.keyHeader + FormatSize.tail, count <= Self.maximumByteCount,
            (count - FormatSize.keyHeader - FormatSize.code).isMultiple(of: FormatSize.block)
        else { return false }
        return message.byte(at: 0) == FormatVersion.v3.rawValue && message.byte(at: 1) == 0 && accepting.contains(.v3)
    }

    private func decryptPlain(_ message: RawSpan) throws(CryptorError) -> [UInt8] {
        let authenticated = message.extracting(droppingLast: FormatSize.code)
        let ciphertext = authenticated.extracting(droppingFirst: FormatSize.keyHeader)
        var plaintext: [UInt8] = []
        let isAuthentic = try use { (context) throws(KeyedContextError) in
            guard try context.isAuthentic(authenticated, message.extracting(last: FormatSize.code)) else {
                return false
            }
            try plaintext.appendBytes(capacity: ciphertext.byteCount) { (output) throws(KeyedContextError) in
                let iv = message.extracting(2..<FormatSize.keyHeader)
                try context.appendPlaintext(iv: iv, ciphertext, to: &output)
            }
            return true
        }
        guard isAuthentic else { throw .authenticationFailed }
        let lastCount = withRawSpan(of: plaintext) { plaintext in
            PKCS7Padding.plaintextByteCount(ofLastBlock: plaintext.extracting(last: FormatSize.block))
        }
        guard let lastCount else { throw .corruptPadding }
        plaintext.removeLast(FormatSize.block - lastCount)
        return plaintext
    }

    private func use<Result>(
        _ body: (KeyedContext) throws(KeyedContextError) -> Result
    ) throws(CryptorError) -> Result {
        do throws(KeyedContextError) {
            return try pool.withContext(body)
        } catch {
            switch error {
            case .noRandomness(let error): throw .randomnessUnavailable(error)
            case .failure(let error): throw .cryptoLibraryFailure(error)
            }
        }
    }
}
