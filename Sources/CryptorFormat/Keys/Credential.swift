package import CryptorPrimitives

/// A password, a pair of keys, or a keyring of several of them.
///
/// The bytes are stored once, cleansed when the last copy is released, and never printed.
public struct Credential: Sendable {
    /// The default number of PBKDF2 iterations: 10,000.
    public static let standardIterations = FormatVersion.written.standardIterations

    static let maximumIterations = 10_000_000

    /// The candidates that decrypt messages, in the order in which they are tried: at least one.
    /// The first encrypts.
    let candidates: [Candidate]
    /// Where the keys of a ``KeyedCryptor/credential`` are; nil for any other.
    let cache: KeyCache?

    var primary: Candidate { candidates[0] }

    /// The password of the primary, and its iterations; nil for keys.
    package var password: (bytes: SecretBytes, iterations: Int)? {
        if case .password(let bytes, let iterations) = primary.secret {
            (bytes, iterations)
        } else {
            nil
        }
    }

    /// The pair of keys of the primary; nil for a password.
    package var messageKeys: MessageKeys? {
        if case .keys(let keys) = primary.secret { keys } else { nil }
    }

    init(_ candidates: [Candidate], cache: KeyCache? = nil) {
        self.candidates = candidates
        self.cache = cache
    }

    // MARK: Passwords

    /// A password, as the bytes of its UTF-8 text. It is not normalised: the composed and the
    /// decomposed spelling of an accented letter are different passwords, in every implementation
    /// of the format. All of the bytes count, in every version; see ``shortenedReadings``. Only
    /// zero bytes at the end of a password of up to 64 bytes make no difference: HMAC pads keys
    /// with them (RFC 2104, section 2).
    ///
    /// The format derives keys with 10,000 iterations of PBKDF2-HMAC-SHA1, far too few to protect a
    /// short password: use a long generated one, or keys. A `String` cannot be cleansed;
    /// ``password(utf8:iterations:)`` takes bytes, which you can cleanse.
    /// - Parameters:
    ///   - text: at least one character.
    ///   - iterations: the number of PBKDF2 iterations, 1 to 10,000,000. **A message does not
    ///     record it**: writer and reader must agree on the number; with any other, the password is
    ///     wrong. All other programs use 10,000 unless told otherwise. A million take 0.12 s where
    ///     the processor has instructions for SHA-1 (AMD EPYC, family 25, model 17). Encryption
    ///     requires 10,000 or more.
    /// - Throws: `invalidCredential` if the password is empty or the number out of range. Up to 64
    ///   zero bytes count as empty: they are the same key to HMAC.
    public static func password(
        _ text: String, iterations: Int = standardIterations
    ) throws(CryptorError) -> Credential {
        try password(utf8: text.utf8, iterations: iterations)
    }

    /// A password, as the bytes of its UTF-8 text: see ``password(_:iterations:)``.
    /// - Throws: `invalidCredential` if it is empty, is up to 64 zero bytes, or the number is out
    ///   of range.
    public static func password(
        utf8 bytes: some Collection<UInt8>, iterations: Int = standardIterations
    ) throws(CryptorError) -> Credential {
        // No branch depends on a single byte: nothing but the verdict shows in the time.
        guard bytes.count > 64 || bytes.reduce(0, |) != 0 else {
            throw CryptorError(
                .invalidCredential,
                "The password is empty or has only zero bytes.",
                advice: "'Credential.emptyPassword' is the empty one, which some programs use.")
        }
        guard 1...maximumIterations ~= iterations else {
            throw CryptorError(
                .invalidCredential,
                """
                The number of iterations is \(iterations), but must be from 1 to \
                \(maximumIterations). Use the number that the message was written with.
                """)
        }
        return Credential([
            Candidate(secret: .password(SecretBytes.copy(of: bytes), iterations: iterations))
        ])
    }

    /// The empty password, under which **anybody** can read and forge messages. The format's
    /// specification forbids it; a few programs use it anyway, for example Safe Exam Browser for
    /// its client settings.
    public static var emptyPassword: Credential {
        Credential([
            Candidate(secret: .password(SecretBytes.copy(of: []), iterations: standardIterations))
        ])
    }

    // MARK: Keys

    /// A pair of keys.
    public static func keys(_ keys: MessageKeys) -> Credential {
        Credential([Candidate(secret: .keys(keys))])
    }

    // MARK: Keyrings

    /// The current credential and previous ones: messages are encrypted with `primary`, and
    /// decrypted with any.
    ///
    /// A message does not name its key. So the credentials of its kind (password or keys) are tried
    /// in order, `primary` first, until the HMAC matches; each costs an HMAC over the message and,
    /// for a password, a key derivation. **The time shows which one matched.** A file is read once
    /// for all of them, after their keys are derived. If several may open a message, a stream
    /// releases nothing before its end: see ``Decryptor``.
    /// - Parameters:
    ///   - primary: a password or keys.
    ///   - previous: passwords and keys, in any mixture, in the order in which they are tried. A
    ///     duplicate counts once.
    /// - Throws: `invalidKeyring`
    ///   - if there are more than 32, each counted once;
    ///   - if one of them is itself a keyring of several;
    ///   - if `primary` is a shortened reading;
    ///   - if two pairs of keys share only their HMAC key: the HMAC could not tell which was meant;
    ///   - if the passwords have more than 20,000,000 iterations in all: one forged message costs
    ///     that many, for each of two keys.
    public static func keyring(primary: Credential, previous: [Credential]) throws(CryptorError)
        -> Credential
    {
        let given = [primary] + previous
        guard given.allSatisfy({ $0.candidates.count == 1 }) else {
            throw .invalidKeyring(
                "One of the credentials is itself a keyring. List its credentials instead.")
        }
        guard !primary.primary.isShortened else {
            throw .invalidKeyring(
                """
                The primary credential is a shortened reading of a password, which cannot write \
                messages.
                """)
        }
        var candidates: [Candidate] = []
        for (index, var candidate) in given.lazy.map(\.primary).enumerated() {
            candidate.index = index
            if !candidates.contains(where: { $0.isEqual(to: candidate) }) {
                candidates.append(candidate)
            }
        }
        guard candidates.count <= 32 else {
            throw .invalidKeyring(
                """
                There are \(candidates.count) passwords and keys to try, but the limit is 32. \
                Leave out old ones.
                """)
        }
        let hasCollision = candidates.contains { one in
            candidates.contains { one.sharesOnlyHMACKey(with: $0) }
        }
        guard !hasCollision else {
            throw .invalidKeyring(
                """
                Two pairs of keys have the same HMAC key but different encryption keys, so it is \
                unclear which of them opens a message. Use random keys.
                """)
        }
        let iterations = candidates.reduce(0) { $0 + $1.iterations }
        guard iterations <= 20_000_000 else {
            throw .invalidKeyring(
                """
                The passwords have \(iterations) iterations in all, but the limit is 20000000. \
                Leave out old ones.
                """)
        }
        return Credential(candidates)
    }

    /// The shortened passwords that some writers of versions 2, 1 and 0 used instead of a non-ASCII
    /// password: its first n bytes, where n is its number of characters (UTF-16 code units in
    /// Objective-C, code points in PHP and Ruby). Empty for an ASCII password, and for keys.
    ///
    /// Pass them to ``keyring(primary:previous:)`` to read such messages. They are tried on
    /// versions 2 to 0 only, and never encrypt. **Anybody who guesses these few bytes can forge a
    /// message of version 2**: for a single emoji such as 🔑 it is the byte `F0` alone; for 密碼, two
    /// bytes out of six; for Cyrillic or Greek letters, half of the bytes. So use them only for
    /// messages from a place that nobody else can write to, such as your own archive, and
    /// re-encrypt these.
    public var shortenedReadings: [Credential] {
        candidates.flatMap { $0.shortenedReadings }.map { Credential([$0]) }
    }

    // MARK: Keys of messages

    /// Whether a password encrypts messages; its keys take milliseconds to derive.
    package var writesUnderPassword: Bool { primary.isPassword }

    /// The header of a new message, and the request for its keys. The IV is fresh; the salts, for a
    /// password, are fresh ones or those of a `KeyedCryptor`, whose request is answered.
    package func newMessage() throws(CryptorError) -> (header: MessageHeader, request: KeyRequest) {
        let own = cache?.own
        let salts = if let own { own.place.salts } else { try primary.freshSalts() }
        let header = try openSSL { () throws(OpenSSLError) in
            MessageHeader(salts: salts, iv: try RandomBytes.bytes(count: FormatSize.iv))
        }
        let request = KeyRequest(primary, salts)
        return (header, own.map { request.answered(by: $0.keys) } ?? request)
    }

    /// The headers of new messages, and their keys, which are derived together.
    package func newMessages(
        count: Int
    ) throws(CryptorError) -> [(header: MessageHeader, keys: MessageKeys)] {
        var (headers, requests): ([MessageHeader], [KeyRequest]) = ([], [])
        for _ in 0..<count {
            let (header, request) = try newMessage()
            headers.append(header)
            requests.append(request)
        }
        return Array(zip(headers, try KeyRequest.keys(for: requests)))
    }
}

extension CryptorError {
    fileprivate static func invalidKeyring(_ what: String) -> CryptorError {
        // A user of the command has named several secrets, and no keyring.
        CryptorError(.invalidKeyring, what)
    }
}
