import CryptorPrimitives

/// The search for the credential that opens a message. Each candidate has an HMAC of the message under its own key, and
/// the tag tells which candidate was meant.
///
/// The HMACs are computed side by side while the ciphertext comes. If the ciphertext is kept, the candidates are tried
/// one after the other at the end instead, so that no key is derived before it is needed.
struct CandidateSearch: ~Copyable, Sendable {
    private let header: Header
    /// In the order in which they are tried.
    private let sources: [KeySource]
    /// The candidates that are hashed as the ciphertext comes: all of them, or none if the ciphertext is kept.
    private let hashed: [Candidate]
    /// The most ciphertext to keep, in bytes; nil to keep none.
    private let keptByteLimit: Int?
    /// The ciphertext that was kept, without the last block.
    private(set) var kept: [UInt8]

    /// - Parameter sources: what the keys of the message may come from, at least one.
    init(_ sources: [KeySource], _ header: Header, keptByteLimit: Int? = nil) throws(CryptorError) {
        var hashed: [Candidate] = []
        if keptByteLimit == nil { for source in sources { hashed.append(try Candidate(source, header)) } }
        self.header = header
        self.sources = sources
        self.hashed = hashed
        self.keptByteLimit = keptByteLimit
        kept = []
    }

    /// Whether the ciphertext is kept, so that nothing is known before the end.
    var keepsCiphertext: Bool { keptByteLimit != nil }

    // MARK: Ciphertext, in whole blocks without the last

    /// - Parameter besideCaller: whether a worker may hash a copy later.
    mutating func update(_ ciphertext: RawSpan, besideCaller: Bool) throws(OpenSSLError) {
        for candidate in hashed { try candidate.tag.update(ciphertext, besideCaller: besideCaller) }
    }

    /// Adds ciphertext, which a worker may hash while the caller reads it.
    /// - Returns: an array that is not needed any more, to be filled with other bytes; nil if there is none yet.
    mutating func update(_ ciphertext: [UInt8], besideCaller: Bool) throws(OpenSSLError) -> [UInt8]? {
        var unneeded: [UInt8]?
        for candidate in hashed { unneeded = try candidate.tag.update(ciphertext, besideCaller: besideCaller) }
        return unneeded
    }

    /// Has a worker hash the ciphertext for the only candidate, part by part, while `body` does something else with it.
    mutating func lead(
        _ ciphertext: RawSpan, _ body: (RawSpan) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        precondition(hashed.count == 1)
        try hashed[0].tag.lead(ciphertext, body)
    }

    mutating func keep(_ ciphertext: RawSpan) throws(CryptorError) {
        guard let keptByteLimit else { return }
        guard ciphertext.byteCount <= keptByteLimit - kept.count else {
            throw CryptorError(
                .messageTooLong,
                "The message is of an old version, and shortened readings of the password are accepted, so it is held "
                    + "back to its end, and it is longer than the limit of \(keptByteLimit) bytes. Raise the limit, "
                    + "decrypt it as a file, or give the password as the bytes that were used.")
        }
        kept.append(contentsOf: ciphertext)
    }

    // MARK: The end

    /// The keys of the first candidate whose HMAC equals `tag`, compared in constant time; nil if there is none.
    /// - Parameter last: the last block of the ciphertext, which version 0 lacks.
    mutating func keys(endingIn last: RawSpan, matching tag: RawSpan) throws(CryptorError) -> KeyPair? {
        for candidate in hashed {
            if let keys = try candidate.keys(endingIn: last, matching: tag) { return keys }
        }
        guard keepsCiphertext else { return nil }
        for source in sources {
            let candidate = try Candidate(source, header)
            try openSSL { () throws(OpenSSLError) in _ = try candidate.tag.update(kept, besideCaller: false) }
            if let keys = try candidate.keys(endingIn: last, matching: tag) { return keys }
        }
        return nil
    }
}

/// A credential that may have been meant, and the HMAC of the message under its key.
// A class, because arrays cannot hold what cannot be copied. Unchecked: only the search that made it uses it.
private final class Candidate: @unchecked Sendable {
    private let source: KeySource
    private let hmacKey: SecretBytes
    var tag: TrailingAuthenticator

    /// Derives the HMAC key, but not the encryption key, which only the right candidate needs.
    init(_ source: KeySource, _ header: Header) throws(CryptorError) {
        hmacKey = try source.hmacKey()
        tag = try TrailingAuthenticator(hmacKey: hmacKey, header: header)
        self.source = source
    }

    func keys(endingIn last: RawSpan, matching expected: RawSpan) throws(CryptorError) -> KeyPair? {
        let isRight = try openSSL { () throws(OpenSSLError) in
            try tag.update(last)
            return try tag.finishTag(matching: expected)
        }
        return isRight ? KeyPair(encryptionKey: try source.encryptionKey(), hmacKey: hmacKey) : nil
    }
}
