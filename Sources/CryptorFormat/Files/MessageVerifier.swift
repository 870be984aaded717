import CryptorPrimitives

/// The first of two passes over a message: verifies it and releases nothing. It notes the running HMAC after every
/// segment, for ``VerifiedMessage`` to compare.
struct MessageVerifier: ~Copyable {
    private let credential: Credential
    private var reader: MessageReader
    /// One for each credential that may have been used, side by side: whichever matches at the end.
    private var candidates: [CandidateAuthenticator] = []
    private var ciphertextByteCount = 0
    private var lastCiphertextBlock: [UInt8] = []

    init(_ terms: ReadingTerms) {
        self.credential = terms.credential
        self.reader = MessageReader(terms)
    }

    mutating func add(_ chunk: [UInt8]) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try reader.add(chunk) { (header, ciphertext) throws(CryptorError) in
                if candidates.isEmpty { candidates = try Self.candidates(credential, header) }
                try Self.authenticate(ciphertext, candidates, &ciphertextByteCount)
                lastCiphertextBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
            }
        }
    }

    /// Compares the HMAC, then looks at the padding.
    consuming func finish() throws(CryptorError) -> VerifiedMessage {
        let (header, tail) = try reader.finish()
        if candidates.isEmpty { candidates = try Self.candidates(credential, header) }
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

    // Static, so that the closure above holds the fields it changes and not all of `self`.

    private static func candidates(
        _ credential: Credential, _ header: Header
    ) throws(CryptorError) -> [CandidateAuthenticator] {
        var candidates: [CandidateAuthenticator] = []
        for candidate in credential.candidates(for: header) {
            candidates.append(try CandidateAuthenticator(candidate, header: header))
        }
        return candidates
    }

    private static func authenticate(
        _ ciphertext: RawSpan, _ candidates: [CandidateAuthenticator], _ count: inout Int
    ) throws(CryptorError) {
        let segment = SegmentNotes.segmentByteCount
        var offset = 0
        while offset < ciphertext.byteCount {
            let piece = ciphertext.extracting(
                offset..<min(offset + segment - count % segment, ciphertext.byteCount))
            offset += piece.byteCount
            count += piece.byteCount
            for candidate in candidates {
                try candidate.update(piece)
                if count.isMultiple(of: segment) { try candidate.note() }
            }
        }
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
