import CryptorPrimitives

// Complete messages. A password costs a derivation on the pool's threads; with keys, small messages never leave the
// caller's thread.
extension CryptorPool {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Parameters:
    ///   - plaintext: any number of bytes. It is not copied.
    ///   - credential: a password or keys.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the message: 67 to 82 bytes longer than the plaintext with a password, 51 to 66 with keys.
    /// - Throws: `cancelled`, `overloaded` where the pool refuses, `randomnessUnavailable` or `cryptoLibraryFailure`.
    public func encrypt(
        _ plaintext: some Collection<UInt8> & Sendable, with credential: Credential,
        concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> [UInt8] {
        try await message(of: plaintext, with: credential, concurrency)
    }

    /// Decrypts a complete message. Its shape is checked before it waits for a thread, its HMAC before its padding.
    ///
    /// - Parameters:
    ///   - message: a message of a version that is accepted, 3 or 2 by default. It is not copied.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read, and how.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the plaintext, authentic.
    /// - Throws: `cancelled`, `overloaded` where the pool refuses, or what
    ///   ``Cryptor/decrypt(_:with:accepting:concurrency:)->[UInt8]`` throws.
    public func decrypt(
        _ message: some Collection<UInt8> & Sendable, with credential: Credential,
        accepting: Acceptance = .default, concurrency: Concurrency = .automatic
    ) async throws(CryptorError) -> [UInt8] {
        try await plaintext(of: message, ReadingTerms(credential: credential, accepting: accepting), concurrency)
    }

    func message<Message: WrittenBytes & Sendable>(
        of plaintext: some Collection<UInt8> & Sendable, with credential: Credential, _ concurrency: Concurrency
    ) async throws(CryptorError) -> Message {
        if let keys = credential.keys {
            return try await perform(.known(keys), byteCount: plaintext.count) { (_) throws(CryptorError) in
                try withRawSpan(of: plaintext) { (plaintext) throws(CryptorError) in
                    try Cryptor.encrypt(plaintext, with: credential, concurrency: concurrency)
                }
            }
        }
        let header = try credential.freshHeader()
        return try await perform(try credential.keySource(for: header), byteCount: plaintext.count) {
            (keys) throws(CryptorError) in
            try Cryptor.encrypt(plaintext, header: header, keys: keys, concurrency: concurrency)
        }
    }

    func plaintext<Plaintext: WrittenBytes & Sendable>(
        of message: some Collection<UInt8> & Sendable, _ terms: ReadingTerms, _ concurrency: Concurrency
    ) async throws(CryptorError) -> Plaintext {
        guard let source = try terms.keySource(for: try terms.header(ofWhole: message)) else {
            return try await run { () throws(CryptorError) in
                try Cryptor.decrypt(message, terms: terms, concurrency: concurrency)
            }
        }
        return try await perform(source, byteCount: message.count) { (keys) throws(CryptorError) in
            try Cryptor.decrypt(message, terms: terms, keys: keys, concurrency: concurrency)
        }
    }
}
