import CryptorPrimitives

/// Reads what follows the header of one message: ciphertext in whole blocks, and the tail. Which reading of a password was
/// meant, whether the message is authentic, and what its last block holds is decided here and nowhere else.
struct MessageReader: ~Copyable, Sendable {
    /// What is done with the ciphertext.
    enum Purpose {
        /// It becomes plaintext, **unverified**, as it comes; or, while nobody knows which reading of the password was meant,
        /// so much of it is kept for the end.
        case release(heldBackByteLimit: Int)
        /// It is looked at, and whoever has it may decrypt it afterwards.
        case verify
    }

    private let header: Header
    private let terms: ReadingTerms
    /// Whose tag is compared at the end. None while the ciphertext is kept: then it is time for them when the end has come,
    /// for one after the other.
    private var candidate: Candidate?
    /// More readings of the password, side by side with it: the tag tells which one was meant.
    private let others: [OtherCandidate]
    /// Where plaintext comes out on the way.
    private var cipher: MessageCipher?
    private var heldBack: HeldBackCiphertext?
    private var help: StreamHelp
    /// Without the last block.
    private(set) var ciphertextByteCount = 0
    /// Of what was only looked at; before that, the IV.
    private var lastBlock: [UInt8]

    /// Derives the keys that it takes.
    /// - Parameters:
    ///   - header: of a message that the terms allow.
    ///   - keys: of the message, if there is one reading of the credential and they have been derived.
    init(
        _ header: Header, terms: ReadingTerms, keys: KeyPair? = nil, for purpose: Purpose, concurrency: Concurrency
    ) throws(CryptorError) {
        let source = if let keys { KeySource?.some(.known(keys)) } else { try terms.keySource(for: header) }
        if let source {
            // Both keys at once take less time than one after the other.
            let keys = try source.keys()
            let candidate = try Candidate(keys, header)
            guard case .release = purpose else {
                self.init(header, terms: terms, candidate: candidate, concurrency: concurrency)
                return
            }
            let cipher = try MessageCipher.forDecryption(keys, header)
            self.init(header, terms: terms, candidate: candidate, cipher: cipher, concurrency: concurrency)
            return
        }
        if case .release(let limit) = purpose {
            self.init(header, terms: terms, heldBack: HeldBackCiphertext(limit: limit), concurrency: concurrency)
            return
        }
        let readings = terms.candidates(for: header)
        let candidate = try Candidate(readings[0], header)
        var others: [OtherCandidate] = []
        for reading in readings.dropFirst() { others.append(OtherCandidate(try Candidate(reading, header))) }
        self.init(header, terms: terms, candidate: candidate, others: others, concurrency: concurrency)
    }

    private init(
        _ header: Header, terms: ReadingTerms, candidate: consuming Candidate? = nil, others: [OtherCandidate] = [],
        cipher: consuming MessageCipher? = nil, heldBack: HeldBackCiphertext? = nil, concurrency: Concurrency
    ) {
        self.header = header
        self.terms = terms
        self.candidate = candidate
        self.others = others
        self.cipher = cipher
        self.heldBack = heldBack
        help = StreamHelp(concurrency)
        lastBlock = header.iv
    }

    /// How much ciphertext is kept for the end, in bytes.
    var heldBackByteCount: Int { heldBack?.bytes.count ?? 0 }

    /// Whether ciphertext becomes plaintext as it comes.
    var releasesAtOnce: Bool { heldBack == nil }

    // MARK: Ciphertext, in whole blocks without the last

    /// Appends its plaintext, **unverified**, unless it is kept.
    @_lifetime(output: copy output)
    mutating func read(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let place = help.place(forNext: ciphertext.byteCount)
        // Once for all of it: small chunks are many, and OpenSSL's queue of reasons has its price.
        try openSSL { () throws(OpenSSLError) in
            if cipher != nil, place.hasHelper, ciphertext.byteCount >= StreamHelp.sharedByteCount {
                // A helper hashes the ciphertext while the caller decrypts it.
                try candidate?.tag.lead(ciphertext) { (piece) throws(OpenSSLError) in
                    try cipher?.update(piece, into: &output)
                }
                return
            }
            var offset = 0
            while offset < ciphertext.byteCount {
                let end = min(offset + StreamHelp.pieceByteCount, ciphertext.byteCount)
                let piece = ciphertext.extracting(offset..<end)
                try candidate?.tag.update(piece, besideCaller: place.hasHelper)
                try cipher?.update(piece, into: &output)
                offset = end
            }
        }
        note(ciphertext)
        try heldBack?.append(ciphertext)
    }

    /// Looks at it; a helper may hash it while the caller reads it.
    /// - Returns: an array that is not needed any more.
    mutating func verify(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError) -> [UInt8]? {
        withRawSpan(of: ciphertext) { ciphertext in note(ciphertext) }
        return try openSSL { () throws(OpenSSLError) in
            var unneeded = try candidate?.tag.update(ciphertext, besideCaller: besideCaller) ?? nil
            for other in others { unneeded = try other.candidate.tag.update(ciphertext, besideCaller: besideCaller) }
            return unneeded
        }
    }

    private mutating func note(_ ciphertext: RawSpan) {
        ciphertextByteCount += ciphertext.byteCount
        guard cipher == nil, ciphertext.byteCount > 0 else { return }
        lastBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
    }

    // MARK: The end

    /// Compares the tag, and only then looks at the padding. Called once.
    /// - Parameter tail: the last block, if there are blocks, and the tag.
    mutating func finish(_ tail: RawSpan) throws(CryptorError) -> VerifiedMessage {
        precondition(tail.byteCount == header.version.rules.tailByteCount)
        let last = tail.extracting(droppingLast: FormatSize.tag)
        guard let keys = try match(last, tail.extracting(last: FormatSize.tag)) else {
            throw terms.authenticationFailure(for: header.version)
        }
        return VerifiedMessage(
            header: header, keys: keys, ciphertextByteCount: ciphertextByteCount,
            lastPlaintext: try plaintext(of: last, keys))
    }

    /// The same; then appends what was kept, and the plaintext of the last block.
    @_lifetime(output: copy output)
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let message = try finish(tail)
        let needed = (heldBack?.bytes.count ?? 0) + message.lastPlaintext.count
        guard output.freeCapacity >= needed else {
            throw .outputTooSmall(needed: needed, available: output.freeCapacity)
        }
        if let heldBack {
            var cipher = try MessageCipher.forDecryption(message.keys, message.header)
            try withRawSpan(of: heldBack.bytes) { (ciphertext) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher.update(ciphertext, into: &output) }
            }
        }
        message.lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }

    /// The keys under which the tag is the one of the message. A key is derived for no more of them than it takes.
    private mutating func match(_ last: RawSpan, _ tag: RawSpan) throws(CryptorError) -> KeyPair? {
        guard let heldBack else {
            if let keys = try candidate?.keys(ifMatching: last, tag) ?? nil { return keys }
            for other in others {
                if let keys = try other.candidate.keys(ifMatching: last, tag) { return keys }
            }
            return nil
        }
        for reading in terms.candidates(for: header) {
            var candidate = try Candidate(reading, header)
            try openSSL { () throws(OpenSSLError) in _ = try candidate.tag.update(heldBack.bytes, besideCaller: false) }
            if let keys = try candidate.keys(ifMatching: last, tag) { return keys }
        }
        return nil
    }

    /// Of the last block, which has been authenticated. A version without blocks has none.
    private mutating func plaintext(of last: RawSpan, _ keys: KeyPair) throws(CryptorError) -> SecretBytes {
        guard cipher == nil else {
            return try VerifiedMessage.plaintext(of: last) { (padded) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher?.update(last, into: &padded) }
            }
        }
        return try VerifiedMessage(
            header, keys, ciphertextByteCount: ciphertextByteCount, last: last, after: lastBlock
        ).lastPlaintext
    }
}

/// A message that was found authentic.
struct VerifiedMessage: Sendable {
    let header: Header
    let keys: KeyPair
    /// Without the last block.
    let ciphertextByteCount: Int
    /// Of the last block: 0 to 15 bytes.
    let lastPlaintext: SecretBytes

    var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }
}

extension VerifiedMessage {
    /// - Parameters:
    ///   - last: the last block, which has been authenticated; empty if there are no blocks.
    ///   - previousBlock: the one before it, or the IV.
    init(
        _ header: Header, _ keys: KeyPair, ciphertextByteCount: Int, last: RawSpan, after previousBlock: [UInt8]
    ) throws(CryptorError) {
        let lastPlaintext = try Self.plaintext(of: last) { (padded) throws(CryptorError) in
            let blockCount = ciphertextByteCount / FormatSize.block
            var cipher = try MessageCipher.forDecryption(
                keys, header.beginning(atBlock: blockCount, after: previousBlock))
            try openSSL { () throws(OpenSSLError) in try cipher.update(last, into: &padded) }
        }
        self.init(
            header: header, keys: keys, ciphertextByteCount: ciphertextByteCount, lastPlaintext: lastPlaintext)
    }

    fileprivate static func plaintext(
        of last: RawSpan, _ decrypt: (inout OutputRawSpan) throws(CryptorError) -> Void
    ) throws(CryptorError) -> SecretBytes {
        guard last.byteCount > 0 else { return SecretBytes(copying: last) }
        let padded = try SecretBytes(count: last.byteCount, initializer: decrypt)
        return try padded.withRawSpan { (padded) throws(CryptorError) in
            guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: padded) else { throw .corruptPadding }
            return SecretBytes(copying: padded.extracting(first: count))
        }
    }
}

/// Ciphertext that waits for the end of its message.
private struct HeldBackCiphertext {
    let limit: Int
    private(set) var bytes: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    mutating func append(_ ciphertext: RawSpan) throws(CryptorError) {
        guard ciphertext.byteCount <= limit - bytes.count else { throw .messageTooLong(limit: limit) }
        bytes.append(contentsOf: ciphertext)
    }
}

/// A credential that may be the one of a message, and the tag of the message under its keys.
private struct Candidate: ~Copyable, Sendable {
    private let hmacKey: SecretBytes
    private let encryptionKey: @Sendable () throws(CryptorError) -> SecretBytes
    var tag: MessageAuthenticator

    private init(
        hmacKey: SecretBytes, _ header: Header,
        encryptionKey: @escaping @Sendable () throws(CryptorError) -> SecretBytes
    ) throws(CryptorError) {
        // First: Swift 6.2 does not compile it otherwise.
        let tag = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: hmacKey, header: header)
        }
        self.hmacKey = hmacKey
        self.encryptionKey = encryptionKey
        self.tag = tag
    }

    init(_ keys: KeyPair, _ header: Header) throws(CryptorError) {
        try self.init(hmacKey: keys.hmacKey, header) { keys.encryptionKey }
    }

    /// Derives the HMAC key, and not yet the encryption key.
    init(_ reading: Credential, _ header: Header) throws(CryptorError) {
        let source = try reading.keySource(for: header)
        try self.init(hmacKey: try source.hmacKey(), header) { () throws(CryptorError) in try source.encryptionKey() }
    }

    /// Adds the last block, and compares in constant time. Nothing can be added afterwards.
    /// - Returns: both keys, if this is the right one.
    mutating func keys(ifMatching last: RawSpan, _ expected: RawSpan) throws(CryptorError) -> KeyPair? {
        let isRight = try openSSL { () throws(OpenSSLError) in
            try tag.update(last)
            return try tag.finish(matching: expected)
        }
        return isRight ? KeyPair(encryptionKey: try encryptionKey(), hmacKey: hmacKey) : nil
    }
}

/// Arrays hold nothing that cannot be copied. Its reader is its only owner.
private final class OtherCandidate: @unchecked Sendable {
    var candidate: Candidate

    init(_ candidate: consuming Candidate) { self.candidate = candidate }
}
