package import CryptorPrimitives

/// The source of the keys of one message.
package enum KeySource: Sendable {
    case given(MessageKeys)
    case password(SecretBytes, iterations: Int, MessageHeader.Salts)

    /// The number of PBKDF2 iterations; nil if no key is derived.
    private var iterations: Int? {
        if case .password(_, let iterations, _) = self { iterations } else { nil }
    }

    /// Whether the keys must be derived, which takes milliseconds.
    package var isDerived: Bool { iterations != nil }

    /// Both keys: PBKDF2-HMAC-SHA1, 32 bytes each, under a salt of its own. The lanes derive them
    /// at the same time.
    package func keys() throws(CryptorError) -> MessageKeys {
        if case .given(let keys) = self { keys } else { try Self.keys(from: [self])[0] }
    }

    /// Both keys of many messages, in the order of the sources. Where the processor has AVX-512,
    /// four messages with the same number of iterations, or a multiple of four, take less time
    /// together than one after the other.
    package static func keys(from sources: [KeySource]) throws(CryptorError) -> [MessageKeys] {
        var found: [MessageKeys?] = sources.map { source in
            if case .given(let keys) = source { keys } else { nil }
        }
        for iterations in Set(sources.compactMap(\.iterations)) {
            let places = sources.indices.filter { sources[$0].iterations == iterations }
            let requests = places.flatMap { sources[$0].requests }
            let derived = try openSSL { () throws(OpenSSLError) in
                try PBKDF2.deriveKeys(for: requests, iterations: iterations)
            }
            for (number, place) in places.enumerated() {
                found[place] = MessageKeys(
                    encryptionKey: derived[2 * number], hmacKey: derived[2 * number + 1])
            }
        }
        return found.map { keys in
            guard let keys else { preconditionFailure("each source has keys") }
            return keys
        }
    }

    /// The derivation of the encryption key, and that of the HMAC key.
    private var requests: [PBKDF2.Request] {
        guard case .password(let password, _, let salts) = self else { return [] }
        return [salts.encryption, salts.hmac].map {
            PBKDF2.Request(password: password, salt: $0)
        }
    }
}
