import CryptorPrimitives

/// One credential that may open a message.
struct Candidate: Sendable {
    enum Secret {
        case password(SecretBytes, iterations: Int)
        case keys(MessageKeys)
    }

    let secret: Secret
    /// Whether this is a shortened reading of a password: it is tried on the versions whose writers
    /// used them.
    var isShortened = false
    /// Its place in the keyring as the caller gave it: 0 for the primary.
    var index = 0

    var isPassword: Bool { if case .password = secret { true } else { false } }

    var iterations: Int { if case .password(_, let iterations) = secret { iterations } else { 0 } }

    /// Whether the message with this header may have been encrypted with this.
    func mayOpen(_ header: MessageHeader) -> Bool {
        isPassword == header.usesPassword && (!isShortened || header.version.passwordsWereTruncated)
    }

    /// The same candidate. Keys, if that is what it is, keep engines.
    var forManyMessages: Candidate {
        guard case .keys(let keys) = secret else { return self }
        return Candidate(secret: .keys(keys.forManyMessages), index: index)
    }

    /// Random salts for new messages; nil for keys.
    func freshSalts() throws(CryptorError) -> MessageHeader.Salts? {
        guard isPassword else { return nil }
        guard !isShortened else {
            throw CryptorError(
                .invalidCredential,
                """
                A shortened reading of a password cannot write messages, because it is easy to \
                guess. Use the whole password.
                """)
        }
        guard iterations >= Credential.standardIterations else {
            throw CryptorError(
                .invalidCredential,
                """
                The number of iterations is \(iterations), which is too weak for new messages. Use \
                \(Credential.standardIterations) or more to encrypt.
                """)
        }
        return try openSSL { () throws(OpenSSLError) in
            MessageHeader.Salts(
                encryption: try RandomBytes.bytes(count: FormatVersion.written.saltByteCount),
                hmac: try RandomBytes.bytes(count: FormatVersion.written.saltByteCount))
        }
    }

    // MARK: Keyrings

    func isEqual(to other: Candidate) -> Bool {
        switch (secret, other.secret) {
        case (.password(let one, _), .password(let two, _)):
            one.isEqual(to: two) && iterations == other.iterations
                && isShortened == other.isShortened
        case (.keys(let one), .keys(let two)):
            one.hmacKey.isEqual(to: two.hmacKey) && one.encryptionKey.isEqual(to: two.encryptionKey)
        default: false
        }
    }

    func sharesOnlyHMACKey(with other: Candidate) -> Bool {
        guard case (.keys(let one), .keys(let two)) = (secret, other.secret) else { return false }
        return one.hmacKey.isEqual(to: two.hmacKey)
            && !one.encryptionKey.isEqual(to: two.encryptionKey)
    }

    var shortenedReadings: [Candidate] {
        guard case .password(let password, let iterations) = secret, !isShortened else { return [] }
        return password.withRawSpan { bytes in
            Self.shortenedByteCounts(of: bytes).compactMap { count in
                let beginning = bytes.extracting(first: count)
                // To HMAC, zero bytes alone are the empty password, which is tried only by its
                // name.
                guard beginning.byteOffsets.reduce(0, { $0 | beginning.byte(at: $1) }) != 0 else {
                    return nil
                }
                let shortened = SecretBytes(byteCapacity: count) { output in
                    beginning.append(to: &output)
                }
                return Candidate(
                    secret: .password(shortened, iterations: iterations), isShortened: true)
            }
        }
    }

    /// The result depends on where characters begin, not on which characters they are.
    static func shortenedByteCounts(of utf8: RawSpan) -> [Int] {
        var codePoints = 0
        var codeUnits = 0
        for offset in utf8.byteOffsets {
            let byte = utf8.byte(at: offset)
            // All but the bytes 10xxxxxx begin a character, and 11110xxx begins one of two UTF-16
            // code units.
            let beginsCharacter = byte & 0xC0 != 0x80
            codePoints += beginsCharacter ? 1 : 0
            codeUnits += beginsCharacter ? (byte >= 0xF0 ? 2 : 1) : 0
        }
        // Bytes that are not UTF-8 may begin no character at all, or count as more code units than
        // there are bytes.
        let counts = codeUnits == codePoints ? [codeUnits] : [codeUnits, codePoints]
        return counts.filter { $0 > 0 && $0 < utf8.byteCount }
    }
}
