import CryptorPrimitives

// Whole messages. A password costs a derivation on the pool's threads; with keys, small messages never leave the caller's.
extension CryptorPool {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Parameters:
    ///   - plaintext: any number of bytes. It is not copied.
    ///   - credential: a password or keys.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the message: 66 to 82 bytes longer than the plaintext with a password, 50 to 66 with keys.
    /// - Throws: `cancelled`, `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential,
        concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> [UInt8] {
        let header = try credential.freshHeader()
        return try await perform(credential, header, byteCount: plaintext.count) { (credential) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: concurrency)
        }
    }

    /// Decrypts a whole message. The shape is checked before it waits, the HMAC before the padding.
    ///
    /// - Parameters:
    ///   - message: of version 3 or 2, or of those that are accepted. It is not copied.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the plaintext, authentic.
    /// - Throws: `cancelled`, or what ``Cryptor/decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential,
        accepting: Set<FormatVersion> = [.v3, .v2], concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> [UInt8] {
        let header = try Self.header(of: message, with: credential, accepting)
        return try await perform(credential, header, byteCount: message.count) { (credential) throws(CryptorError) in
            try Cryptor.decrypt(message, with: credential, accepting: accepting, concurrency: concurrency)
        }
    }

    /// The header of a whole message whose shape is sound.
    static func header(
        of message: some Collection<UInt8>, with credential: Credential, _ accepting: Set<FormatVersion>
    ) throws(CryptorError) -> Header {
        let terms = ReadingTerms(credential: credential, accepting: accepting, messageByteCount: message.count)
        return try withRawSpan(of: message.prefix(HeaderReader.base64ProbeByteCount)) {
            (start) throws(CryptorError) in
            try terms.header(of: start)
        }
    }
}
