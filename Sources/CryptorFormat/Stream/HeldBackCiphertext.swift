import CryptorPrimitives

/// The ciphertext of a message that cannot be decrypted before its end, since only the HMAC tells which of several
/// passwords was meant.
struct HeldBackCiphertext {
    let header: Header
    let credential: Credential
    private(set) var ciphertext: [UInt8] = []

    init(_ credential: Credential, header: Header) {
        self.header = header
        self.credential = credential
    }

    mutating func append(_ bytes: RawSpan, limit: Int) throws(CryptorError) {
        guard ciphertext.count + bytes.byteCount <= limit else { throw .messageTooLong(limit: limit) }
        ciphertext.append(contentsOf: bytes)
    }

    /// Appends the whole plaintext, verified.
    @_lifetime(output: copy output)
    func finish(_ tail: RawSpan, into output: inout OutputRawSpan) throws(CryptorError) {
        try withRawSpan(of: ciphertext) { (ciphertext) throws(CryptorError) in
            try Self.decrypt(ciphertext, tail, with: credential, header: header, into: &output)
        }
    }

    /// Finds the candidate whose HMAC matches, and only then decrypts, with it. A key is derived for no more candidates
    /// than it takes.
    /// - Parameters:
    ///   - ciphertext: whole blocks, without the last.
    ///   - tail: the last block, if there are blocks, and the trailer.
    @_lifetime(output: copy output)
    static func decrypt(
        _ ciphertext: RawSpan, _ tail: RawSpan, with credential: Credential, header: Header,
        into output: inout OutputRawSpan
    ) throws(CryptorError) {
        guard output.freeCapacity >= ciphertext.byteCount else {
            throw .outputTooSmall(needed: ciphertext.byteCount, available: output.freeCapacity)
        }
        let lastBlock = tail.extracting(droppingLast: FormatSize.code)
        for candidate in credential.candidates(for: header) {
            let authenticator = try CandidateAuthenticator(candidate, header: header)
            try authenticator.update(ciphertext)
            try authenticator.update(lastBlock)
            guard try authenticator.matches(tail.extracting(last: FormatSize.code)) else { continue }
            var body = try BodyDecryptor(keys: try authenticator.keys(), header: header)
            try body.decipher(ciphertext, into: &output)
            return try body.decipherLast(lastBlock, into: &output)
        }
        throw credential.authenticationFailure(for: header.version)
    }
}
