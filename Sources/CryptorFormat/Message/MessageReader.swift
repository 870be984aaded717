package import CryptorPrimitives
import CryptorSystem

/// Reads what follows the header of one message: ciphertext in whole blocks, and the tail. It decides whether the
/// message is authentic, and what its last block holds. Only `KeyedCryptor`, for short messages under keys, does
/// without it.
package struct MessageReader: ~Copyable, Sendable {
    /// What is done with the ciphertext.
    package enum Purpose {
        /// The ciphertext becomes plaintext, **unverified**, as it comes. If there are several candidates, the
        /// ciphertext is kept for the end instead, up to the limit, because only the tag tells which one was meant.
        case release(heldBackByteLimit: Int)
        /// The ciphertext is only hashed. A caller that has kept it may decrypt it afterwards.
        case verify
    }

    private let header: Header
    private let terms: ReadingTerms
    private var search: CandidateSearch
    /// Decrypts the ciphertext as it comes. Nil if the ciphertext is kept, or only verified.
    private var cipher: Optional<MessageCipher>
    private var secondThread = SecondThread()
    /// The length of the ciphertext so far, without the last block.
    package private(set) var ciphertextByteCount = 0
    /// The latest block of the ciphertext that was read, to which CBC chains the next one; at the start, the IV. Empty
    /// if there is a `cipher`, which remembers it.
    private var previousBlock: [UInt8]

    /// Derives the keys that are needed from the start.
    /// - Parameters:
    ///   - header: the header of a message that the terms allow.
    ///   - keys: the keys of the message, if they have been derived and there is only one candidate.
    package init(
        _ header: Header, terms: ReadingTerms, keys: KeyPair? = nil, for purpose: Purpose
    ) throws(CryptorError) {
        let sources = if let keys { [KeySource.known(keys)] } else { try terms.candidates(for: header) }
        let search: CandidateSearch
        var cipher: MessageCipher?
        switch (sources.count, purpose) {
        case (1, _):
            // Both keys at once take less time than one after the other.
            let keys = try sources[0].keys()
            search = try CandidateSearch([.known(keys)], header)
            if case .release = purpose { cipher = try MessageCipher.make(.decrypt, for: header, keys: keys) }
        case (_, .release(let limit)): search = try CandidateSearch(sources, header, keptByteLimit: limit)
        case (_, .verify): search = try CandidateSearch(sources, header)
        }
        self.header = header
        self.terms = terms
        self.search = search
        previousBlock = cipher == nil ? header.iv : []
        self.cipher = cipher
    }

    /// How much ciphertext is kept for the end, in bytes.
    var heldBackByteCount: Int { search.kept.count }

    /// Whether ciphertext becomes plaintext as it comes, instead of being kept for the end.
    var releasesAtOnce: Bool { !search.keepsCiphertext }

    // MARK: Ciphertext, in whole blocks without the last

    /// Appends the plaintext of `ciphertext`, **unverified**, unless the ciphertext is kept for the end.
    @_lifetime(output: copy output)
    mutating func read(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let cores = secondThread.reserveCores(forNext: ciphertext.byteCount)
        try openSSL { () throws(OpenSSLError) in
            if cipher != nil, cores.includeSecond, ciphertext.byteCount >= MessagePiece.sharedByteCount {
                // A worker hashes the ciphertext while the caller decrypts it.
                return try search.lead(ciphertext) { (piece) throws(OpenSSLError) in
                    try cipher?.update(piece, into: &output)
                }
            }
            var offset = 0
            while offset < ciphertext.byteCount {
                let end = min(offset + MessagePiece.byteCount, ciphertext.byteCount)
                let piece = ciphertext.extracting(offset..<end)
                try search.update(piece, besideCaller: cores.includeSecond)
                try cipher?.update(piece, into: &output)
                offset = end
            }
        }
        note(ciphertext)
        try search.keep(ciphertext)
    }

    /// Hashes `ciphertext`, or has a worker do so while the caller reads it.
    /// - Returns: an array that is not needed any more, to be filled with the next ciphertext.
    package mutating func hash(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError) -> [UInt8]? {
        withRawSpan(of: ciphertext) { ciphertext in note(ciphertext) }
        return try openSSL { () throws(OpenSSLError) in try search.update(ciphertext, besideCaller: besideCaller) }
    }

    private mutating func note(_ ciphertext: RawSpan) {
        ciphertextByteCount += ciphertext.byteCount
        guard cipher == nil, ciphertext.byteCount > 0 else { return }
        previousBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
    }

    // MARK: The end

    /// Compares the tag, and only then looks at the padding. Called once.
    /// - Parameter tail: the last block, which version 0 lacks, and the tag.
    package mutating func finish(_ tail: RawSpan) throws(CryptorError) -> VerifiedMessage {
        precondition(tail.byteCount == header.version.rules.tailByteCount)
        let last = tail.extracting(droppingLast: FormatSize.tag)
        guard let keys = try search.keys(endingIn: last, matching: tail.extracting(last: FormatSize.tag)) else {
            throw terms.authenticationFailure(for: header.version)
        }
        guard cipher != nil else {
            return try VerifiedMessage(
                header, keys, ciphertextByteCount: ciphertextByteCount, last: last, after: previousBlock)
        }
        let lastPlaintext = try VerifiedMessage.plaintext(of: last) { (padded) throws(CryptorError) in
            try openSSL { () throws(OpenSSLError) in try cipher?.update(last, into: &padded) }
        }
        return VerifiedMessage(
            header: header, keys: keys, ciphertextByteCount: ciphertextByteCount, lastPlaintext: lastPlaintext)
    }

    /// Calls `finish(_:)`, then appends the plaintext of the ciphertext that was kept and of the last block.
    @_lifetime(output: copy output)
    mutating func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let message = try finish(tail)
        try output.requireRoom(for: heldBackByteCount + message.lastPlaintext.count)
        if search.keepsCiphertext {
            var cipher = try MessageCipher.make(.decrypt, for: message.header, keys: message.keys)
            try withRawSpan(of: search.kept) { (ciphertext) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try cipher.update(ciphertext, into: &output) }
            }
        }
        message.lastPlaintext.withRawSpan { last in last.append(to: &output) }
    }
}

/// A message that was found authentic.
package struct VerifiedMessage: Sendable {
    package let header: Header
    package let keys: KeyPair
    /// The length of the ciphertext without the last block.
    package let ciphertextByteCount: Int
    /// The plaintext of the last block: 0 to 15 bytes.
    package let lastPlaintext: SecretBytes

    package var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }
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
