import CryptorPrimitives

/// What follows the header, of a known header: ciphertext in whole blocks, then the tail of last block and HMAC.
struct BodyDecryptor: ~Copyable, Sendable {
    private var cipher: MessageCipher
    private var authenticator: MessageAuthenticator
    private let version: FormatVersion
    private var help: StreamHelp

    /// - Parameter credential: of the kind that the header asks for. A password costs milliseconds here.
    init(_ credential: Credential, header: Header, concurrency: Concurrency) throws(CryptorError) {
        try self.init(keys: try credential.keys(for: header), header: header, concurrency: concurrency)
    }

    init(keys: KeyPair, header: Header, concurrency: Concurrency = .serial) throws(CryptorError) {
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.decrypt, key: keys.encryptionKey, header: header)
        }
        let authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: keys.hmacKey, header: header)
        }
        self.cipher = cipher
        self.authenticator = authenticator
        self.version = header.version
        help = StreamHelp(concurrency)
    }

    /// Appends the plaintext of whole blocks that are not the last, **unverified**.
    @_lifetime(output: copy output)
    mutating func decrypt(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        let place = help.place(forNext: ciphertext.byteCount)
        try openSSL { () throws(OpenSSLError) in
            try Self.decrypt(ciphertext, into: &output, &cipher, &authenticator, hasHelper: place.hasHelper)
        }
    }

    @_lifetime(output: copy output)
    private static func decrypt(
        _ ciphertext: RawSpan, into output: inout OutputRawSpan, _ cipher: inout MessageCipher,
        _ authenticator: inout MessageAuthenticator, hasHelper: Bool
    ) throws(OpenSSLError) {
        if hasHelper, ciphertext.byteCount >= StreamHelp.sharedByteCount {
            return try authenticator.lead(ciphertext) { (piece) throws(OpenSSLError) in
                try cipher.update(piece, into: &output)
            }
        }
        var offset = 0
        while offset < ciphertext.byteCount {
            let piece = ciphertext.extracting(
                offset..<min(offset + StreamHelp.pieceByteCount, ciphertext.byteCount))
            try authenticator.update(piece, besideCaller: hasHelper)
            try cipher.update(piece, into: &output)
            offset += piece.byteCount
        }
    }

    /// The first half of `decrypt`: adds ciphertext to the HMAC.
    mutating func authenticate(_ ciphertext: RawSpan) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in try authenticator.update(ciphertext) }
    }

    /// The second half of `decrypt`: appends the plaintext of ciphertext that has been authenticated.
    @_lifetime(output: copy output)
    mutating func decipher(_ ciphertext: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try openSSL { () throws(OpenSSLError) in
            try cipher.update(ciphertext, into: &output)
        }
    }

    /// Compares the HMAC, then looks at the padding, then appends the last plaintext.
    /// - Parameters:
    ///   - tail: the last block, if there are blocks, and the trailer.
    ///   - credential: whose keys these are: it knows the error for a HMAC that does not match.
    @_lifetime(output: copy output)
    mutating func finish(
        _ tail: RawSpan, of credential: Credential, into output: inout OutputRawSpan
    ) throws(CryptorError) {
        precondition(tail.byteCount == version.rules.tailByteCount)
        let lastBlock = tail.extracting(droppingLast: FormatSize.code)
        let isAuthentic = try openSSL { () throws(OpenSSLError) in
            try authenticator.update(lastBlock)
            return try authenticator.finish(matching: tail.extracting(last: FormatSize.code))
        }
        guard isAuthentic else { throw credential.authenticationFailure(for: version) }
        try decipherLast(lastBlock, into: &output)
    }

    /// Looks at the padding of the last block, which has been authenticated, and appends what is before it. A version
    /// without blocks has none, and nothing is done.
    @_lifetime(output: copy output)
    mutating func decipherLast(_ block: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        guard block.byteCount > 0 else { return }
        let padded = try openSSL { () throws(OpenSSLError) in
            try SecretBytes(count: block.byteCount) { (padded) throws(OpenSSLError) in
                try cipher.update(block, into: &padded)
            }
        }
        try padded.withRawSpan { (padded) throws(CryptorError) in
            guard let count = PKCS7Padding.plaintextByteCount(ofLastBlock: padded) else { throw .corruptPadding }
            guard output.freeCapacity >= count else {
                throw .outputTooSmall(needed: count, available: output.freeCapacity)
            }
            padded.extracting(first: count).append(to: &output)
        }
    }
}
