import CryptorPrimitives

/// A message that a ``MessageVerifier`` found authentic, ready for the second pass.
struct VerifiedMessage {
    let header: Header
    let keys: KeyPair
    let notes: SegmentNotes
    /// Without the last block.
    let ciphertextByteCount: Int
    /// Of the last block: 0 to 15 bytes.
    let lastPlaintext: [UInt8]

    var plaintextByteCount: Int { ciphertextByteCount + lastPlaintext.count }

    /// Reads the message again and releases its plaintext segment by segment, each only after the running HMAC equals
    /// the one that the first pass noted there: a file that changed in between releases nothing false.
    func readAgain(
        from input: inout MessageInput, _ concurrency: Concurrency, _ progress: inout ProgressReporter,
        release: ([UInt8], ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        let cipher = try openSSL { () throws(OpenSSLError) in
            try MessageCipher(.decrypt, key: keys.encryptionKey, header: header)
        }
        let reading = try SecondReading(of: self, named: input.name)
        var relay = Relay(reading, then: CipherStep(cipher), depth: 3, isSerial: concurrency == .serial)
        var segment = FileChunk()
        input.rewind()
        try input.append(header.byteCount, to: &segment.input, &progress)
        var position = 0
        while position < ciphertextByteCount {
            let count = min(SegmentNotes.segmentByteCount, ciphertextByteCount - position)
            segment.input.removeAll(keepingCapacity: true)
            try input.append(count, to: &segment.input, &progress)
            guard segment.input.count == count else { throw .changedWhileRead(input.name) }
            position += count
            if let vouchedFor = try relay.pass(segment) {
                try release(vouchedFor.output, progress)
                segment = vouchedFor
            } else {
                segment = FileChunk()
            }
        }
        while let vouchedFor = try relay.next() { try release(vouchedFor.output, progress) }
        try release(lastPlaintext, progress)
    }
}

/// Compares segment after segment with what the first pass noted.
private struct SecondReading: RelayStep, ~Copyable {
    private var authenticator: MessageAuthenticator
    private let notes: SegmentNotes
    private let name: String
    private var index = 0

    init(of message: VerifiedMessage, named name: String) throws(CryptorError) {
        self.notes = message.notes
        self.name = name
        self.authenticator = try openSSL { () throws(OpenSSLError) in
            try MessageAuthenticator(hmacKey: message.keys.hmacKey, header: message.header)
        }
    }

    mutating func process(_ segment: inout FileChunk) throws(CryptorError) {
        let code = try openSSL { () throws(OpenSSLError) in
            try withRawSpan(of: segment.input) { (segment) throws(OpenSSLError) in try authenticator.update(segment) }
            return try authenticator.codeSoFar()
        }
        guard notes.matches(code, at: index) else { throw .changedWhileRead(name) }
        index += 1
    }
}
