import CryptorPrimitives

/// The first of two passes over a message: verifies it and releases nothing. It notes the running HMAC after every
/// segment, for ``VerifiedMessage`` to compare.
struct MessageVerifier: ~Copyable {
    private let credential: Credential
    private var reader: MessageReader
    private var keys: KeyPair?
    private var body: BodyDecryptor?
    private var notes = SegmentNotes()
    private var ciphertextByteCount = 0
    private var lastCiphertextBlock: [UInt8] = []

    /// - Parameter messageByteCount: the length of the whole message, if it is known: its shape is then checked first.
    init(_ credential: Credential, messageByteCount: Int?) {
        self.credential = credential
        self.reader = MessageReader(for: credential, messageByteCount: messageByteCount)
    }

    mutating func add(_ chunk: [UInt8]) throws(CryptorError) {
        try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
            try reader.add(chunk) { (header, ciphertext) throws(CryptorError) in
                try Self.prepare(&body, &keys, credential, header)
                try Self.authenticate(ciphertext, &body, &notes, &ciphertextByteCount)
                lastCiphertextBlock = Array(copying: ciphertext.extracting(last: FormatSize.block))
            }
        }
    }

    /// Compares the HMAC, then looks at the padding.
    consuming func finish() throws(CryptorError) -> VerifiedMessage {
        let (header, tail) = try reader.finish()
        try Self.prepare(&body, &keys, credential, header)
        guard let keys else { preconditionFailure("the keys are prepared") }
        if !ciphertextByteCount.isMultiple(of: SegmentNotes.segmentByteCount), let code = try body?.codeSoFar() {
            notes.append(code)
        }
        let lastPlaintext = try withRawSpan(of: tail) { (tail) throws(CryptorError) in
            try body?.verify(tail)
            let iv = lastCiphertextBlock.isEmpty ? header.iv : lastCiphertextBlock
            var lastBlock = try BodyDecryptor(keys: keys, header: Header(salts: nil, iv: iv))
            var plaintext: [UInt8] = []
            try plaintext.appendBytes(capacity: FormatSize.block) { (output) throws(CryptorError) in
                try lastBlock.appendPlaintext(ofLastBlock: tail.extracting(first: FormatSize.block), to: &output)
            }
            return plaintext
        }
        return VerifiedMessage(
            header: header, keys: keys, notes: notes, ciphertextByteCount: ciphertextByteCount,
            lastPlaintext: lastPlaintext)
    }

    // Static, so that the closure above holds the fields it changes and not all of `self`.

    private static func prepare(
        _ body: inout BodyDecryptor?, _ keys: inout KeyPair?, _ credential: Credential, _ header: Header
    ) throws(CryptorError) {
        guard body == nil else { return }
        let derived = try credential.keys(for: header)
        body = try BodyDecryptor(keys: derived, header: header)
        keys = derived
    }

    private static func authenticate(
        _ ciphertext: RawSpan, _ body: inout BodyDecryptor?, _ notes: inout SegmentNotes, _ count: inout Int
    ) throws(CryptorError) {
        let segment = SegmentNotes.segmentByteCount
        var offset = 0
        while offset < ciphertext.byteCount {
            let piece = ciphertext.extracting(
                offset..<min(offset + segment - count % segment, ciphertext.byteCount))
            try body?.authenticate(piece)
            offset += piece.byteCount
            count += piece.byteCount
            if count.isMultiple(of: segment), let code = try body?.codeSoFar() { notes.append(code) }
        }
    }
}

/// The running HMACs of a message, one a segment, each cut to 16 bytes: enough to compare (RFC 2104, section 5), and no
/// trailer for a shortened message. 16 bytes of memory for 1 MiB of message.
struct SegmentNotes {
    /// The plaintext that is held until it is vouched for, at a time.
    static let segmentByteCount = 1024 * 1024

    private static let noteByteCount = 16
    private var bytes: [UInt8] = []

    mutating func append(_ code: SecretBytes) {
        code.withRawSpan { code in bytes.append(contentsOf: code.extracting(first: Self.noteByteCount)) }
    }

    func matches(_ code: SecretBytes, at index: Int) -> Bool {
        let start = index * Self.noteByteCount
        return withRawSpan(of: bytes) { bytes in
            code.withRawSpan { code in
                constantTimeEqual(
                    code.extracting(first: Self.noteByteCount),
                    bytes.extracting(start..<start + Self.noteByteCount))
            }
        }
    }
}
