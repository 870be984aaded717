import CryptorPrimitives

/// Verifies the ciphertext of a message and releases nothing.
struct MessageVerifier: ~Copyable {
    private let credential: Credential
    private let header: Header
    /// One for each credential that may have been used, side by side: whichever matches at the end.
    private let candidates: [CandidateAuthenticator]
    private var ciphertextByteCount = 0
    /// Of what was added; before that, the IV.
    private var lastCiphertextBlock: [UInt8]

    /// Derives what keys it takes to verify.
    init(_ credential: Credential, header: Header) throws(CryptorError) {
        let credentials = credential.candidates(for: header)
        guard credentials.count > 1 else {
            // Both keys at once take less time than one after the other.
            try self.init(credential, keys: try credential.keys(for: header), header: header)
            return
        }
        var candidates: [CandidateAuthenticator] = []
        for candidate in credentials {
            candidates.append(try CandidateAuthenticator(candidate, header: header))
        }
        self.init(credential, header, candidates)
    }

    /// - Parameter keys: those of the credential for this message, which has no other candidate.
    init(_ credential: Credential, keys: KeyPair, header: Header) throws(CryptorError) {
        self.init(credential, header, [try CandidateAuthenticator(keys, header: header)])
    }

    private init(_ credential: Credential, _ header: Header, _ candidates: [CandidateAuthenticator]) {
        self.credential = credential
        self.header = header
        self.candidates = candidates
        lastCiphertextBlock = header.iv
    }

    /// Adds whole blocks, not the last, which a helper may hash while the caller reads them.
    /// - Returns: an array that is not needed any more.
    mutating func add(_ ciphertext: [UInt8], besideCaller: Bool) throws(CryptorError) -> [UInt8]? {
        var unneeded: [UInt8]?
        for candidate in candidates { unneeded = try candidate.update(ciphertext, besideCaller: besideCaller) }
        ciphertextByteCount += ciphertext.count
        if !ciphertext.isEmpty { lastCiphertextBlock = Array(ciphertext.suffix(FormatSize.block)) }
        return unneeded
    }

    /// Compares the HMAC, then looks at the padding.
    /// - Parameter tail: the last block, if there are blocks, and the trailer.
    consuming func finish(_ tail: [UInt8]) throws(CryptorError) -> VerifiedMessage {
        let lastBlock = Array(tail.dropLast(FormatSize.code))
        guard let match = try Self.match(candidates, lastBlock, trailer: Array(tail.suffix(FormatSize.code))) else {
            throw credential.authenticationFailure(for: header.version)
        }
        let keys = try match.keys()
        let blockCount = ciphertextByteCount / FormatSize.block
        var body = try BodyDecryptor(
            keys: keys, header: header.beginning(atBlock: blockCount, after: lastCiphertextBlock))
        var lastPlaintext: [UInt8] = []
        try lastPlaintext.appendBytes(capacity: FormatSize.block) { (output) throws(CryptorError) in
            try withRawSpan(of: lastBlock) { (lastBlock) throws(CryptorError) in
                try body.decipherLast(lastBlock, into: &output)
            }
        }
        return VerifiedMessage(
            header: header, keys: keys, ciphertextByteCount: ciphertextByteCount, lastPlaintext: lastPlaintext)
    }

    private static func match(
        _ candidates: [CandidateAuthenticator], _ lastBlock: [UInt8], trailer: [UInt8]
    ) throws(CryptorError) -> CandidateAuthenticator? {
        for candidate in candidates {
            let isMatch = try withRawSpan(of: lastBlock) { (lastBlock) throws(CryptorError) in
                try candidate.update(lastBlock)
                return try withRawSpan(of: trailer) { (trailer) throws(CryptorError) in
                    try candidate.matches(trailer)
                }
            }
            if isMatch { return candidate }
        }
        return nil
    }
}
