package import CryptorPrimitives

/// The way from a password to the two keys of a message.
package enum KeyDerivation {
    /// The number of iterations, which the format fixes.
    package static let iterations = 10_000

    /// Both keys, derived independently and at the same time: PBKDF2-HMAC-SHA1, 10,000 iterations, 32 bytes.
    package static func keys(password: SecretBytes, salts: Header.Salts) throws(CryptorError) -> KeyPair {
        try keys(for: [.password(password, salts)])[0]
    }

    /// One key of 32 bytes, in more than half the time of both.
    package static func key(password: SecretBytes, salt: [UInt8]) throws(CryptorError) -> SecretBytes {
        try openSSL { () throws(OpenSSLError) in
            try PBKDF2.deriveKey(password: password, salt: salt, iterations: iterations)
        }
    }

    /// Both keys of many messages, in the order of the sources. Where the processor has AVX-512, a message takes less
    /// time than it would alone, if at least four are passed in, or a multiple of four.
    package static func keys(for sources: [KeySource]) throws(CryptorError) -> [KeyPair] {
        var requests: [PBKDF2.Request] = []
        for case .password(let password, let salts) in sources {
            for salt in [salts.encryption, salts.hmac] {
                requests.append(PBKDF2.Request(password: password, salt: salt))
            }
        }
        var derived: ArraySlice<SecretBytes> = []
        if !requests.isEmpty {
            derived = try openSSL { () throws(OpenSSLError) in
                try PBKDF2.deriveKeys(for: requests, iterations: iterations)
            }[...]
        }
        return sources.map { source in
            if case .known(let keys) = source { return keys }
            defer { derived = derived.dropFirst(2) }
            return KeyPair(encryptionKey: derived[derived.startIndex], hmacKey: derived[derived.startIndex + 1])
        }
    }
}

/// What the keys of one message come from.
package enum KeySource: Sendable {
    case known(KeyPair)
    case password(SecretBytes, Header.Salts)

    /// Whether the keys have to be derived, which takes milliseconds.
    package var isDerived: Bool { if case .password = self { true } else { false } }

    package func keys() throws(CryptorError) -> KeyPair {
        switch self {
        case .known(let keys): keys
        case .password(let password, let salts): try KeyDerivation.keys(password: password, salts: salts)
        }
    }

    func encryptionKey() throws(CryptorError) -> SecretBytes {
        switch self {
        case .known(let keys): keys.encryptionKey
        case .password(let password, let salts): try KeyDerivation.key(password: password, salt: salts.encryption)
        }
    }

    func hmacKey() throws(CryptorError) -> SecretBytes {
        switch self {
        case .known(let keys): keys.hmacKey
        case .password(let password, let salts): try KeyDerivation.key(password: password, salt: salts.hmac)
        }
    }
}
