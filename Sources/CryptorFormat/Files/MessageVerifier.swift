import CryptorPrimitives

/// Verifies the ciphertext of a message and releases nothing. It notes the running HMAC after every segment, for
/// ``VerifiedMessage`` to compare.
struct MessageVerifier: RelayStep, ~Copyable {
    private let header: Header
    /// One for each credential that may have been used, side by side: whichever matches at the end.
    private let candidates: [CandidateAuthenticator]
    private var ciphertextByteCount = 0
    private var lastCiphertextBlock: [UInt8] = []

    /// Derives what keys it takes to verify.
    init(_ credential: Credential, header: Header) throws(CryptorError) {
        self.header = header
        let credentials = credential.candidates(for: header)
        guard credentials.count > 1 else {
            // Both keys at once take less time than one after the other.
            candidates = [try CandidateAuthenticator(try credential.keys(for: header), header: header)]
            return
        }
        var candidates: [CandidateAuthenticator] = []
        for candidate in credentials {
            candidates.append(try CandidateAuthenticator(candidate, header: header))
        }
        self.candidates = candidates
    }

    /// With keys that have been derived.
    init(_ keys: KeyPair, header: Header) throws(CryptorError) {
        self.header = header
        self.candidates = [try CandidateAuthenticator(keys, header: header)]
    }

    /// Adds whole blocks, not the last.
    mutating func process(_ chunk: inout FileChunk) throws(CryptorError) {
        try withRawSpan(of: chunk.input) { (ciphertext) throws(CryptorError) in
            let segment = SegmentNotes.segmentByteCount
            var offset = 0
            while offset < ciphertext.byteCount {
                let missing = segment - ciphertextByteCount % segment
                let piece = ciphertext.extracting(offset..<min(offset + missing, ciphertext.byteCount))
                offset += piece.byteCount
                ciphertextByteCount += piece.byteCount
                for candidate in candidates {
                    try candidate.update(piece)
                    if piece.byteCount == missing { try candidate.note() }
                }
            }
            if offset > 0 { lastCiphertextBlock = Array(copying: ciphertext.extracting(last: FormatSize.block)) }
        }
    }

    /// Compares the HMAC, then looks at the padding.
    /// - Parameter tail: the last block, if there are blocks, and the trailer.
    consuming func finish(_ tail: [UInt8]) throws(CryptorError) -> VerifiedMessage {
        if !ciphertextByteCount.isMultiple(of: SegmentNotes.segmentByteCount) {
            for candidate in candidates { try candidate.note() }
        }
        let lastBlock = Array(tail.dropLast(FormatSize.code))
        let match = try Self.match(candidates, lastBlock, trailer: Array(tail.suffix(FormatSize.code)))
        let keys = try match.keys()
        // In CBC mode a block is decrypted with the one before it as IV.
        let iv = lastCiphertextBlock.isEmpty || lastBlock.isEmpty ? header.iv : lastCiphertextBlock
        var body = try BodyDecryptor(keys: keys, header: Header(version: header.version, salts: header.salts, iv: iv))
        var lastPlaintext: [UInt8] = []
        try lastPlaintext.appendBytes(capacity: FormatSize.block) { (output) throws(CryptorError) in
            try withRawSpan(of: lastBlock) { (lastBlock) throws(CryptorError) in
                try body.decipherLast(lastBlock, into: &output)
            }
        }
        return VerifiedMessage(
            header: header, keys: keys, notes: match.notes, ciphertextByteCount: ciphertextByteCount,
            lastPlaintext: lastPlaintext)
    }

    private static func match(
        _ candidates: [CandidateAuthenticator], _ lastBlock: [UInt8], trailer: [UInt8]
    ) throws(CryptorError) -> CandidateAuthenticator {
        for candidate in candidates {
            let isMatch = try withRawSpan(of: lastBlock) { (lastBlock) throws(CryptorError) in
                try candidate.update(lastBlock)
                return try withRawSpan(of: trailer) { (trailer) throws(CryptorError) in
                    try candidate.matches(trailer)
                }
            }
            if isMatch { return candidate }
        }
        throw .authenticationFailed
    }
}
