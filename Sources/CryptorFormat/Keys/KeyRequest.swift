import CryptorPrimitives

/// What one candidate tries on one message: its keys. They are known if they were given, or a cache
/// has them; then the request is *answered*. Otherwise they are derived from a password and the
/// salts of the message, which takes milliseconds.
package struct KeyRequest: Sendable {
    private var secret: Candidate.Secret
    /// The candidate's place in the keyring: 0 for the primary.
    let credentialIndex: Int
    private let salts: MessageHeader.Salts?

    /// - Parameter salts: those of the message, if the candidate is a password.
    init(_ candidate: Candidate, _ salts: MessageHeader.Salts?) {
        secret = candidate.secret
        credentialIndex = candidate.index
        self.salts = salts
    }

    /// The keys, if they are known.
    package var answer: MessageKeys? { if case .keys(let keys) = secret { keys } else { nil } }

    func answered(by keys: MessageKeys) -> KeyRequest {
        var answered = self
        answered.secret = .keys(keys)
        return answered
    }

    /// Both keys: PBKDF2-HMAC-SHA1, 32 bytes each, under a salt of its own. The lanes derive them
    /// at the same time.
    package func keys() throws(CryptorError) -> MessageKeys {
        if let answer { answer } else { try Self.keys(for: [self])[0] }
    }

    /// Both keys of many messages, in the order of the requests. Where the processor has AVX-512,
    /// four messages with the same number of iterations, or a multiple of four, take less time
    /// together than one after the other. Nothing else derives keys.
    package static func keys(
        for requests: [KeyRequest]
    ) throws(CryptorError) -> [MessageKeys] {
        var found = requests.map(\.answer)
        for iterations in Set(requests.compactMap(\.iterations)) {
            let places = requests.indices.filter { requests[$0].iterations == iterations }
            let derivations = places.flatMap { requests[$0].derivations }
            let derived = try openSSL { () throws(OpenSSLError) in
                try PBKDF2.deriveKeys(for: derivations, iterations: iterations)
            }
            for (number, place) in places.enumerated() {
                found[place] = MessageKeys(
                    encryptionKey: derived[2 * number], hmacKey: derived[2 * number + 1])
            }
        }
        return found.map { keys in
            guard let keys else { preconditionFailure("each request is answered") }
            return keys
        }
    }

    /// The number of PBKDF2 iterations; nil if no key is derived.
    package var iterations: Int? {
        if case .password(_, let iterations) = secret { iterations } else { nil }
    }

    /// The derivation of the encryption key, and that of the HMAC key.
    private var derivations: [PBKDF2.Request] {
        guard case .password(let password, _) = secret else { return [] }
        guard let salts else { preconditionFailure("a password message has salts") }
        return [salts.encryption, salts.hmac].map { PBKDF2.Request(password: password, salt: $0) }
    }
}
