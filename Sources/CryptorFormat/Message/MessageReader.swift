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
    private var candidate: Optional<Candidate>
    /// More readings of the password, side by side with it: the tag tells which one was meant.
    private let others: [OtherCandidate]
    /// Where plaintext comes out on the way.
    private var cipher: Optional<MessageCipher>
    private var heldBack: Optional<HeldBackCiphertext>
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
        var candidate: Candidate?
        var others: [OtherCandidate] = []
        var cipher: MessageCipher?
        var heldBack: HeldBackCiphertext?
        let source = if let keys { KeySource?.some(.known(keys)) } else { try terms.keySource(for: header) }
        switch (source, purpose) {
        case (let source?, _):
            // Both keys at once take less time than one after the other.
            let keys = try source.keys()
            candidate = try Candidate(.known(keys), header)
            if case .release = purpose { cipher = try MessageCipher.make(.decrypt, keys, header) }
        case (nil, .release(let limit)):
            heldBack = HeldBackCiphertext(limit: limit)
        case (nil, .verify):
            let readings = try terms.candidates(for: header)
            candidate = try Candidate(readings[0], header)
            for reading in readings.dropFirst() { others.append(OtherCandidate(try Candidate(reading, header))) }
        }
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
        try output.requireRoom(for: heldBackByteCount + message.lastPlaintext.count)
        if let heldBack {
            var cipher = try MessageCipher.make(.decrypt, message.keys, message.header)
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
        for reading in try terms.candidates(for: header) {
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
            var cipher = try MessageCipher.make(
                .decrypt, keys, header.beginning(atBlock: blockCount, after: previousBlock))
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

    mutating func append(_ ciphertext: RawSpan) throws(CryptorError) {
        guard ciphertext.byteCount <= limit - bytes.count else { throw .messageTooLong(limit: limit) }
        bytes.append(contentsOf: ciphertext)
    }
}

/// What the keys of a message may come from, and the tag of the message under its HMAC key.
private struct Candidate: ~Copyable, Sendable {
    private let source: KeySource
    private let hmacKey: SecretBytes
    var tag: TrailingAuthenticator

    /// Derives the HMAC key, and not yet the encryption key.
    init(_ source: KeySource, _ header: Header) throws(CryptorError) {
        let hmacKey = try source.hmacKey()
        tag = try TrailingAuthenticator(hmacKey: hmacKey, header: header)
        self.source = source
        self.hmacKey = hmacKey
    }

    /// Adds the last block, and compares in constant time. Nothing can be added afterwards.
    /// - Returns: both keys, if this is the right one.
    mutating func keys(ifMatching last: RawSpan, _ expected: RawSpan) throws(CryptorError) -> KeyPair? {
        let isRight = try openSSL { () throws(OpenSSLError) in
            try tag.update(last)
            return try tag.finishTag(matching: expected)
        }
        return isRight ? KeyPair(encryptionKey: try source.encryptionKey(), hmacKey: hmacKey) : nil
    }
}

/// Arrays hold nothing that cannot be copied. Its reader is its only owner.
private final class OtherCandidate: @unchecked Sendable {
    var candidate: Candidate

    init(_ candidate: consuming Candidate) { self.candidate = candidate }
}
