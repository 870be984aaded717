import CryptorPrimitives

// Version 0, of summer 2012, has its own cipher and its own hash, no padding, and a header that
// does not say whether a password was used. It is decrypted here and nowhere else: everything else
// in this library refuses a message that starts with a byte of 0.

extension Cryptor {
    /// Decrypts a whole message of version 0, which no other function reads. Re-encrypt the
    /// plaintext.
    ///
    /// The HMAC-SHA1 covers the ciphertext only, and the cipher is a counter mode whose keystream
    /// repeats every 4,096 bytes. **An attacker can replace the IV or the encryption salt**: all of
    /// the plaintext then becomes garbage, and the HMAC still matches. A message longer than 4,096
    /// bytes reveals, even without the key, how its parts differ from each other.
    /// - Parameters:
    ///   - message: 50 bytes or more under keys, 66 or more under a password.
    ///   - credential: a password, keys, or a keyring. The message does not say which kind it was
    ///     encrypted with, so all credentials of a keyring are tried, in order.
    /// - Returns: the authentic plaintext.
    /// - Throws: `unsupportedVersion` or `looksBase64Encoded` if it does not start with two zero
    ///   bytes; `invalidMessageLength`, `authenticationFailed` or `cryptoLibraryFailure`.
    public static func decryptVersion0(
        _ message: some Collection<UInt8>, with credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        let mayChange = mayChange(message)
        return try withRawSpan(of: message) { (message) throws(CryptorError) in
            try withStableSpan(of: message, mayChange: mayChange) {
                (message) throws(CryptorError) in
                try plaintext(of: message, under: credential)
            }
        }
    }

    /// - Parameter message: two bytes of zero, under a password the two salts, the IV, the
    ///   ciphertext, and 32 bytes of tag: the HMAC and twelve zeros.
    private static func plaintext(
        of message: RawSpan, under credential: Credential
    ) throws(CryptorError) -> [UInt8] {
        let start = message.extracting(first: 2)
        guard start.byteOffsets.allSatisfy({ start.byte(at: $0) == 0 }) else {
            throw try refusalOfAnotherStart(message)
        }
        let candidates = credential.candidates.filter { candidate in
            message.byteCount >= minimum(usingPassword: candidate.isPassword)
        }
        guard !candidates.isEmpty else {
            let usingPassword = credential.candidates.allSatisfy(\.isPassword)
            throw .messageTooShort(
                byteCount: message.byteCount, minimum: minimum(usingPassword: usingPassword))
        }
        guard MessageHeader.mayBeVersion0(byteCount: message.byteCount, end: message) else {
            throw .authenticationFailed
        }
        for candidate in candidates {
            if let plaintext = try plaintext(of: message, under: candidate) { return plaintext }
        }
        throw .authenticationFailed
    }

    /// The error for a message that does not start with two zero bytes: it says what the input is.
    private static func refusalOfAnotherStart(
        _ message: RawSpan
    ) throws(CryptorError) -> CryptorError {
        let header = try MessageHeader.read(
            from: message, messageByteCount: nil, end: RawSpan())
        return CryptorError(
            .unsupportedVersion,
            "The message has version \(header.version.rawValue), not version 0.",
            advice: "'Cryptor.decrypt(_:with:)' reads it.")
    }

    /// - Returns: nil if the message is not authentic under this candidate.
    private static func plaintext(
        of message: RawSpan, under candidate: Candidate
    ) throws(CryptorError) -> [UInt8]? {
        let headerByteCount = MessageHeader.version0HeaderByteCount(
            usingPassword: candidate.isPassword)
        let header = message.extracting(first: headerByteCount)
        let ciphertext = message.extracting(
            headerByteCount..<message.byteCount - MessageHeader.decidingEndByteCount)
        let salts = candidate.isPassword ? MessageHeader.Salts(ofHeader: header) : nil
        let keys = try KeyRequest(candidate, salts).keys()
        return try openSSL { () throws(OpenSSLError) -> [UInt8]? in
            let expected = message.extracting(last: MessageHeader.decidingEndByteCount)
                .extracting(first: Version0Algorithms.hmacByteCount)
            let hmac = try Version0Algorithms.hmac(of: ciphertext, key: keys.hmacKey)
            guard hmac.withRawSpan({ constantTimeEqual($0, expected) }) else { return nil }
            return try Array(byteCapacity: ciphertext.byteCount) { (output) throws(OpenSSLError) in
                try Version0Algorithms.cipher(
                    ciphertext, key: keys.encryptionKey,
                    iv: header.extracting(last: FormatSize.iv), into: &output)
            }
        }
    }

    /// The length of the shortest message.
    private static func minimum(usingPassword: Bool) -> Int {
        MessageHeader.version0HeaderByteCount(usingPassword: usingPassword)
            + MessageHeader.decidingEndByteCount
    }

    /// The range in which the length of the plaintext of a message of version 0 lies, in bytes: the
    /// header does not say how long it is itself. Nil if it is no such message.
    package static func version0PlaintextByteCount(
        ofMessage message: [UInt8]
    ) -> ClosedRange<Int>? {
        guard message.starts(with: [0, 0]),
            MessageHeader.mayBeVersion0(
                byteCount: message.count, end: message.rawSpan(message.indices))
        else { return nil }
        let underKeys = message.count - minimum(usingPassword: false)
        let underPassword = message.count - minimum(usingPassword: true)
        return (underPassword >= 0 ? underPassword : underKeys)...underKeys
    }
}
