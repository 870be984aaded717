import CryptorPrimitives

/// Reads what follows the header of one message: ciphertext in whole blocks, and the tail. It decides which reading of
/// a password was meant, whether the message is authentic, and what its last block holds. Only `KeyedCryptor`, for
/// short messages under keys, does without it.
struct MessageReader: ~Copyable, Sendable {
    /// What is done with the ciphertext.
    enum Purpose {
        /// The ciphertext becomes plaintext, **unverified**, as it comes. If the password has several readings, the
        /// ciphertext is kept for the end instead, up to the limit, because only the tag tells which reading was meant.
        case release(heldBackByteLimit: Int)
        /// The ciphertext is only hashed. A caller that has kept it may decrypt it afterwards.
        case verify
    }

    private let header: Header
    private let terms: ReadingTerms
    /// The candidate whose tag is compared first. Nil if the ciphertext is kept: all candidates are then tried at the
    /// end, one after the other.
    private var candidate: Optional<Candidate>
    /// More readings of the password, hashed side by side with `candidate`: the tag tells which one was meant.
    private let others: [OtherCandidate]
    /// Decrypts the ciphertext as it comes. Nil if the ciphertext is kept, or only verified.
    private var cipher: Optional<MessageCipher>
    private var heldBack: Optional<HeldBackCiphertext>
    private var help: StreamHelp
    /// The length of the ciphertext so far, without the last block.
    private(set) var ciphertextByteCount = 0
    /// The latest block of the ciphertext that was read, to which CBC chains the next one; at the start, the IV. Empty if
    /// there is a `cipher`, which remembers it.
    private var previousBlock: [UInt8]

    /// Derives the keys that are needed from the start.
    /// - Parameters:
    ///   - header: the header of a message that the terms allow.
    ///   - keys: the keys of the message, if they have been derived and the credential has only one reading.
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
            if case .release = purpose { cipher = try MessageCipher.make(.decrypt, for: header, keys: keys) }
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
        previousBlock = cipher == nil ? header.iv : []
        self.cipher = cipher
        self.heldBack = heldBack
        help = StreamHelp(concurrency)
    }

    /// How much ciphertext is kept for the end, in bytes.
    var heldBackByteCount: Int { heldBack?.bytes.count ?? 0 }

    /// Whether ciphertext becomes plaintext as it comes, instead of being kept for the end.
    var releasesAtOnce: Bool { heldBack == nil }

    // MARK: Ciphertext, in whole blocks without the last

    /// Appends the plaintext of `ciphertext`, **unverified**, unless the ciphertext is kept for the end.
    @_lifetime(output: copy output)
    mutating func read(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let place = help.place(forNext: ciphertext.byteCount)
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

    /// Hashes `ciphertext`, or has a helper do so while the caller reads it.
    /// - Returns: an array that is not needed any more, to be filled with the next ciphertext.
    mutating func hash(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError) -> [UInt8]? {
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
        previousBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
    }

    // MARK: The end

    /// Compares the tag, and only then looks at the padding. Called once.
    /// - Parameter tail: the last block, which version 0 lacks, and the tag.
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

    /// Calls `finish(_:)`, then appends the plaintext of the ciphertext that was kept and of the last block.
    @_lifetime(output: copy output)
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let message = try finish(tail)
        try output.requireRoom(for: heldBackByteCount + message.lastPlaintext.count)
        if let heldBack {
            var cipher = try MessageCipher.make(.decrypt, for: message.header, keys: message.keys)
            try withRawSpan(of: heldBack.bytes) { (ciphertext) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher.update(ciphertext, into: &output) }
            }
        }
        message.lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }

    /// The keys of the first candidate whose tag matches; nil if there is none. No key is derived before it is needed.
    private mutating func match(_ last: RawSpan, _ tag: RawSpan) throws(CryptorError) -> KeyPair? {
        guard let heldBack else {
            if let keys = try candidate?.keys(endingIn: last, ifMatching: tag) ?? nil { return keys }
            for other in others {
                if let keys = try other.candidate.keys(endingIn: last, ifMatching: tag) { return keys }
            }
            return nil
        }
        for reading in try terms.candidates(for: header) {
            var candidate = try Candidate(reading, header)
            try openSSL { () throws(OpenSSLError) in _ = try candidate.tag.update(heldBack.bytes, besideCaller: false) }
            if let keys = try candidate.keys(endingIn: last, ifMatching: tag) { return keys }
        }
        return nil
    }

    /// The plaintext of the last block, which has been authenticated. Version 0 has no last block, so `last` is empty.
    private mutating func plaintext(of last: RawSpan, _ keys: KeyPair) throws(CryptorError) -> SecretBytes {
        guard cipher == nil else {
            return try VerifiedMessage.plaintext(of: last) { (padded) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher?.update(last, into: &padded) }
            }
        }
        return try VerifiedMessage(
            header, keys, ciphertextByteCount: ciphertextByteCount, last: last, after: previousBlock
        ).lastPlaintext
    }
}

/// A message that was found authentic.
struct VerifiedMessage: Sendable {
    let header: Header
    let keys: KeyPair
    /// The length of the ciphertext without the last block.
    let ciphertextByteCount: Int
    /// The plaintext of the last block: 0 to 15 bytes.
    let lastPlaintext: SecretBytes

    var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }
}

extension VerifiedMessage {
    /// - Parameters:
    ///   - last: the last block, which has been authenticated; empty in version 0.
    ///   - previousBlock: the ciphertext block before it, or the IV.
    init(
        _ header: Header, _ keys: KeyPair, ciphertextByteCount: Int, last: RawSpan, after previousBlock: [UInt8]
    ) throws(CryptorError) {
        let lastPlaintext = try Self.plaintext(of: last) { (padded) throws(CryptorError) in
            let blockCount = ciphertextByteCount / FormatSize.block
            var cipher = try MessageCipher.make(
                .decrypt, for: header.beginning(atBlock: blockCount, after: previousBlock), keys: keys)
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

/// A reading of the credential that may have been meant, and the tag of the message under its HMAC key.
private struct Candidate: ~Copyable, Sendable {
    private let source: KeySource
    private let hmacKey: SecretBytes
    var tag: TrailingAuthenticator

    /// Derives the HMAC key, but not the encryption key, which only the right candidate needs.
    init(_ source: KeySource, _ header: Header) throws(CryptorError) {
        let hmacKey = try source.hmacKey()
        tag = try TrailingAuthenticator(hmacKey: hmacKey, header: header)
        self.source = source
        self.hmacKey = hmacKey
    }

    /// Adds the last block, and compares the tag in constant time. Nothing can be added afterwards.
    /// - Returns: both keys if the tag matches, otherwise nil.
    mutating func keys(endingIn last: RawSpan, ifMatching expected: RawSpan) throws(CryptorError) -> KeyPair? {
        let isRight = try openSSL { () throws(OpenSSLError) in
            try tag.update(last)
            return try tag.finishTag(matching: expected)
        }
        return isRight ? KeyPair(encryptionKey: try source.encryptionKey(), hmacKey: hmacKey) : nil
    }
}

/// A box, because arrays cannot hold what cannot be copied. Unchecked: only the reader that made it uses it.
private final class OtherCandidate: @unchecked Sendable {
    var candidate: Candidate

    init(_ candidate: consuming Candidate) { self.candidate = candidate }
}
