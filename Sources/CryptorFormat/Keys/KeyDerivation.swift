package import CryptorPrimitives

/// The way from a password to the two keys of a message.
package enum KeyDerivation {
    /// Both keys of many messages, in the order of the sources. Where the processor has AVX-512, a message takes less
    /// time than it would alone, if at least four with the same number of iterations are passed in, or a multiple of
    /// four.
    package static func keys(for sources: [KeySource]) throws(CryptorError) -> [KeyPair] {
        var keys = sources.map { source in
            if case .known(let keys) = source { keys } else { KeyPair?.none }
        }
        while let iterations = zip(sources, keys).first(where: { $1 == nil })?.0.iterations {
            var requests: [PBKDF2.Request] = []
            var places: [Int] = []
            for case (let place, .password(let password, iterations, let salts))
                in sources.enumerated()
            {
                places.append(place)
                for salt in [salts.encryption, salts.hmac] {
                    requests.append(PBKDF2.Request(password: password, salt: salt))
                }
            }
            let derived = try openSSL { () throws(OpenSSLError) in
                try PBKDF2.deriveKeys(for: requests, iterations: iterations)
            }
            for (number, place) in places.enumerated() {
                keys[place] = KeyPair(
                    encryptionKey: derived[2 * number], hmacKey: derived[2 * number + 1])
            }
        }
        return keys.compactMap(\.self)
    }
}

/// What the keys of one message come from.
package enum KeySource: Sendable {
    case known(KeyPair)
    case password(SecretBytes, iterations: Int, Header.Salts)

    /// How often PBKDF2 iterates; nil if no key is derived.
    var iterations: Int? {
        if case .password(_, let iterations, _) = self { iterations } else { nil }
    }

    /// Whether the keys have to be derived, which takes milliseconds.
    package var isDerived: Bool { iterations != nil }

    /// Both keys, which are derived independently and at the same time: PBKDF2-HMAC-SHA1, 32 bytes.
    package func keys() throws(CryptorError) -> KeyPair {
        if case .known(let keys) = self { keys } else { try KeyDerivation.keys(for: [self])[0] }
    }
}
