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
        from input: inout MessageInput, _ progress: inout ProgressReporter,
        release: ([UInt8], inout ProgressReporter) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        var body = try BodyDecryptor(keys: keys, header: header)
        var segment: [UInt8] = []
        var plaintext: [UInt8] = []
        input.rewind()
        try input.read(header.byteCount, into: &segment, &progress)
        var position = 0
        var index = 0
        while position < ciphertextByteCount {
            let count = min(SegmentNotes.segmentByteCount, ciphertextByteCount - position)
            try input.read(count, into: &segment, &progress)
            guard segment.count == count else { throw .changedWhileRead(input.name) }
            plaintext.removeAll(keepingCapacity: true)
            try withRawSpan(of: segment) { (segment) throws(CryptorError) in
                try body.authenticate(segment)
                guard notes.matches(try body.codeSoFar(), at: index) else { throw .changedWhileRead(input.name) }
                try plaintext.appendBytes(capacity: count) { (output) throws(CryptorError) in
                    try body.decipher(segment, into: &output)
                }
            }
            try release(plaintext, &progress)
            position += count
            index += 1
        }
        try release(lastPlaintext, &progress)
    }
}
