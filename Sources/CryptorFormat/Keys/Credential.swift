import CryptorPrimitives

/// What opens a message: a password or a pair of keys.
///
/// The bytes are kept once, cleansed when the last copy goes, and never printed.
public struct Credential: Sendable {
    enum Kind {
        case password(SecretBytes)
        case keys(KeyPair)
    }

    let kind: Kind

    /// A password, as the bytes of its UTF-8 text. Nothing is normalised: the composed and the decomposed spelling of
    /// an accented letter are different passwords, in every implementation of the format. All of the bytes count, in
    /// every version, unless `shortenedPasswords` of ``Acceptance`` says otherwise. Only zero bytes at the end of a
    /// password of up to 64 bytes make no difference: HMAC fills a key with them (RFC 2104, section 2).
    ///
    /// The format derives keys with 10,000 iterations of PBKDF2-HMAC-SHA1, far too few to protect a short password:
    /// use a long generated one, or keys. A `String` cannot be cleansed; ``password(utf8:)`` takes bytes, which can.
    /// - Throws: `invalidCredential` if it is empty.
    public static func password(_ text: String) throws(CryptorError) -> Credential {
        try password(utf8: text.utf8)
    }

    /// A password, as the bytes of its UTF-8 text.
    /// - Throws: `invalidCredential` if it is empty.
    public static func password(utf8 bytes: some Collection<UInt8>) throws(CryptorError) -> Credential {
        guard !bytes.isEmpty else {
            throw CryptorError(.invalidCredential, "The password is empty. Give a password of at least one byte.")
        }
        return Credential(kind: .password(SecretBytes.copy(of: bytes)))
    }

    /// A pair of keys.
    public static func keys(_ keys: KeyPair) -> Credential {
        Credential(kind: .keys(keys))
    }

    /// Whether this is a password, whose keys take milliseconds to derive, and not a pair of keys.
    package var isPassword: Bool {
        if case .password = kind { true } else { false }
    }

    /// The pair of keys; nil if this is a password.
    package var keys: KeyPair? { if case .keys(let keys) = kind { keys } else { nil } }

    /// A header for a new message, with a fresh IV and, for a password, fresh salts.
    package func freshHeader() throws(CryptorError) -> Header {
        try openSSL { () throws(OpenSSLError) in
            let salts: Header.Salts? = isPassword ? try .fresh() : nil
            return Header(salts: salts, iv: try RandomBytes.bytes(count: FormatSize.iv))
        }
    }

    /// What the keys of the message with this header come from.
    /// - Throws: `credentialMismatch` if this is the other kind of credential.
    package func keySource(for header: Header) throws(CryptorError) -> KeySource {
        switch (kind, header.salts) {
        case (.keys(let keys), nil): return .known(keys)
        case (.password(let password), let salts?): return .password(password, salts)
        case (.keys, _?):
            throw CryptorError(
                .credentialMismatch,
                "The message was encrypted with a password, and keys were given to open it. Give the password.")
        case (.password, nil):
            throw CryptorError(
                .credentialMismatch,
                "The message was encrypted with keys, and a password was given to open it. Give the two keys.")
        }
    }

    /// The keys of the message with this header. Deriving them from a password takes milliseconds.
    package func keys(for header: Header) throws(CryptorError) -> KeyPair { try keySource(for: header).keys() }
}

extension Header.Salts {
    /// Random salts for a new message.
    static func fresh() throws(OpenSSLError) -> Header.Salts {
        Header.Salts(
            encryption: try RandomBytes.bytes(count: FormatSize.salt),
            hmac: try RandomBytes.bytes(count: FormatSize.salt))
    }
}
