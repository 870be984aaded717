import CryptorPrimitives

/// Whole messages and files, in one call. Nothing unverified is ever released by these functions.
public enum Cryptor {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Parameters:
    ///   - plaintext: any number of bytes.
    ///   - credential: a password or keys.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the message: 66 to 82 bytes longer than the plaintext with a password, 50 to 66 with keys.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential, concurrency: Concurrency = .automatic
    ) throws(CryptorError) -> [UInt8] {
        try encrypt(
            plaintext, with: credential, header: try credential.freshHeader(), concurrency: concurrency)
    }

    /// For tests: the header, with salts and IV, is given.
    package static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential, header: Header,
        concurrency: Concurrency = .automatic
    ) throws(CryptorError) -> [UInt8] {
        var encryptor = try Encryptor(credential, header: header, concurrency: concurrency)
        var message: [UInt8] = []
        message.reserveCapacity(Encryptor.maximumOutputByteCount(for: plaintext.count))
        try encryptor.update(plaintext, into: &message)
        try encryptor.finish(into: &message)
        return message
    }

    /// Decrypts a whole message. The shape is checked before keys are derived, the HMAC before the padding.
    ///
    /// - Parameters:
    ///   - message: of version 3 or 2, or of those that are accepted.
    ///   - credential: a password or keys.
    ///   - accepting: the versions to read. Those before 2 are accepted by names that say what is wrong with them.
    ///   - concurrency: whether large work may be spread over two threads.
    /// - Returns: the plaintext, authentic.
    /// - Throws: `messageTooShort`, `invalidMessageLength`, `unsupportedVersion`, `versionNotAccepted`,
    ///   `unsupportedOptions`, `looksBase64Encoded`, `credentialMismatch`, `authenticationFailed`, `corruptPadding` or
    ///   `cryptoLibraryFailure`.
    public static func decrypt(
        _ message: some Collection<UInt8>, with credential: Credential, accepting: Set<FormatVersion> = [.v3, .v2],
        concurrency: Concurrency = .automatic
    ) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in
            let terms = ReadingTerms(
                credential: credential, accepting: accepting, messageByteCount: message.byteCount)
            return try decrypt(message, terms, concurrency)
        }
    }

    /// Decrypts into memory that nobody else sees, and gives it away only once the HMAC has matched.
    private static func decrypt(
        _ message: RawSpan, _ terms: ReadingTerms, _ concurrency: Concurrency
    ) throws(CryptorError) -> [UInt8] {
        let header = try terms.header(of: message)
        let tailByteCount = header.version.rules.tailByteCount
        let ciphertext = message.extracting(header.byteCount..<message.byteCount - tailByteCount)
        let tail = message.extracting(last: tailByteCount)
        let candidates = terms.credential.candidates(for: header)

        var plaintext: [UInt8] = []
        try plaintext.appendBytes(capacity: ciphertext.byteCount + FormatSize.block) {
            (output) throws(CryptorError) in
            if candidates.count == 1 {
                var body = try BodyDecryptor(terms.credential, header: header, concurrency: concurrency)
                try body.decrypt(ciphertext, into: &output)
                try body.finish(tail, into: &output)
            } else {
                try HeldBackCiphertext.decrypt(
                    ciphertext, tail, header: header, candidates: candidates, into: &output)
            }
        }
        return plaintext
    }
}
