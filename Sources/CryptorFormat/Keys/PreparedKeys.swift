import CryptorPrimitives

/// The keys of messages to come, derived together. They are found by the salts that they were derived with: what was
/// prepared in vain costs time and nothing else.
final class PreparedKeys: Sendable {
    private let pairs: [Header.Salts: KeyPair]

    /// Of messages to be written that nobody has begun. Should a fork double them, nothing is lost: the IV is drawn when
    /// the message begins.
    private let freshSalts: Lock<[Header.Salts]>

    init(password: SecretBytes, salts: [Header.Salts], areFresh: Bool) throws(CryptorError) {
        let keys = try KeyDerivation.keys(for: salts.map { (password, $0) })
        pairs = Dictionary(zip(salts, keys)) { first, _ in first }
        freshSalts = Lock(areFresh ? salts : [])
    }

    init(_ keys: KeyPair, for salts: Header.Salts) {
        pairs = [salts: keys]
        freshSalts = Lock([])
    }

    subscript(salts: Header.Salts) -> KeyPair? { pairs[salts] }

    /// Salts for a message to be written, each given once; nil when all are gone.
    func takeFreshSalts() -> Header.Salts? {
        freshSalts.withLock { $0.popLast() }
    }
}

extension Credential {
    /// The same password with the keys of messages to be written, derived together: where the processor has AVX-512 that
    /// takes less time than one after the other. Four at a time are the least that is worth it, or a multiple.
    ///
    /// Whatever writes a message with the copy takes the keys of one, and derives its own when all are gone. They are
    /// cleansed with the last copy. Keys are returned as they are.
    /// - Parameter count: of messages. Of more than 1,024 the first 1,024 are prepared, so that a mistaken number costs
    ///   seconds and no more; for 0 and less, the credential is returned as it is.
    public func prepared(forNewMessages count: Int) -> Credential {
        let count = min(max(0, count), Self.maximumPreparedCount)
        // What fails here fails again, and is then thrown, where a message is written.
        let salts = (0..<count).compactMap { _ in try? Header.Salts.fresh() }
        return prepared(salts, areFresh: true)
    }

    private static let maximumPreparedCount = 1024

    /// The same password with the keys of messages with these headers.
    func prepared(for headers: [Header]) -> Credential {
        prepared(Array(Set(headers.compactMap(\.salts))), areFresh: false)
    }

    /// The same password with the keys of one message, which somebody has derived.
    func with(_ keys: KeyPair, for salts: Header.Salts) -> Credential {
        var credential = self
        credential.prepared = PreparedKeys(keys, for: salts)
        return credential
    }

    private func prepared(_ salts: [Header.Salts], areFresh: Bool) -> Credential {
        guard case .password(let password) = kind, !salts.isEmpty else { return self }
        var credential = self
        credential.prepared = try? PreparedKeys(password: password, salts: salts, areFresh: areFresh)
        return credential
    }
}
