import CryptorPrimitives

/// Whole messages and files, in one call. Nothing unverified is ever released by these functions.
public enum Cryptor {
    /// Encrypts `plaintext` into a message of version 3 with fresh salts and a fresh IV.
    ///
    /// - Returns: the message: 66 to 82 bytes longer than the plaintext with a password, 50 to 66 with keys.
    /// - Throws: `randomnessUnavailable` or `cryptoLibraryFailure`.
    public static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        try encrypt(plaintext, with: credential, header: try credential.freshHeader())
    }

    /// For tests: the header, with salts and IV, is given.
    package static func encrypt(
        _ plaintext: some Collection<UInt8>, with credential: Credential, header: Header
    ) throws(CryptorError) -> [UInt8] {
        var encryptor = try Encryptor(credential, header: header)
        var message: [UInt8] = []
        message.reserveCapacity(Encryptor.maximumOutputByteCount(for: plaintext.count))
        try encryptor.update(plaintext, into: &message)
        try encryptor.finish(into: &message)
        return message
    }

    /// Decrypts a whole message. The shape is checked before keys are derived, the HMAC before the padding.
    ///
    /// - Returns: the plaintext, authentic.
    /// - Throws: `messageTooShort`, `invalidMessageLength`, `unsupportedVersion`, `unsupportedOptions`,
    ///   `looksBase64Encoded`, `credentialMismatch`, `authenticationFailed`, `corruptPadding` or `cryptoLibraryFailure`.
    public static func decrypt(
        _ message: some Collection<UInt8>, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        try withRawSpan(of: message) { (message) throws(CryptorError) in
            try decrypt(message, with: credential)
        }
    }

    /// Decrypts into memory that nobody else sees, and gives it away only once the HMAC has matched.
    private static func decrypt(_ message: RawSpan, with credential: Credential) throws(CryptorError) -> [UInt8] {
        let header = try HeaderReader.header(of: message)
        try credential.check(against: header)
        try header.checkMessageByteCount(message.byteCount)
        let body = message.extracting(header.byteCount..<message.byteCount)

        var decryptor = try BodyDecryptor(credential, header: header)
        var plaintext: [UInt8] = []
        try plaintext.appendBytes(capacity: body.byteCount - FormatSize.code) { (output) throws(CryptorError) in
            try decryptor.decrypt(body.extracting(droppingLast: FormatSize.tail), into: &output)
            try decryptor.finish(body.extracting(last: FormatSize.tail), into: &output)
        }
        return plaintext
    }
}
