import CryptorPrimitives

/// The framing of one message that comes in chunks: header, ciphertext in whole blocks, tail. Knows no cipher.
struct MessageReader {
    private let credential: Credential
    private let messageByteCount: Int?
    private var headerReader = HeaderReader()
    private var holdback = TrailerHoldback(tailByteCount: FormatSize.tail, blockByteCount: FormatSize.block)

    /// Once it has come.
    private(set) var header: Header?

    /// - Parameters:
    ///   - credential: its kind must be the one that the header asks for.
    ///   - messageByteCount: the length of the whole message, if it is known: its shape is then checked with the header.
    init(for credential: Credential, messageByteCount: Int? = nil) {
        self.credential = credential
        self.messageByteCount = messageByteCount
    }

    /// A bound for the ciphertext that is released for so many more bytes; exact once the header has come.
    func maximumReleaseByteCount(adding count: Int) -> Int {
        if header != nil { return holdback.releasableByteCount(adding: count) }
        // What is longer than a header and still undecided is no message, and nothing of it is released.
        let prefixByteCount = min(headerReader.byteCount, FormatSize.passwordHeader)
        return max(0, prefixByteCount + count - FormatSize.keyHeader - FormatSize.tail)
    }

    /// Adds `chunk` and releases what is certain to be ciphertext before the last block, as spans of whole blocks.
    mutating func add(
        _ chunk: RawSpan, release: (Header, RawSpan) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        var rest = chunk
        if header == nil {
            guard let (header, byteCount) = try headerReader.read(chunk) else { return }
            try credential.check(against: header)
            if let messageByteCount { try header.checkMessageByteCount(messageByteCount) }
            self.header = header
            rest = chunk.extracting(byteCount..<chunk.byteCount)
        }
        guard let header else { return }
        try holdback.add(rest) { (ciphertext) throws(CryptorError) in try release(header, ciphertext) }
    }

    /// At the end of the message: its header and its tail of 48 bytes, the last block and the trailer.
    func finish() throws(CryptorError) -> (header: Header, tail: [UInt8]) {
        guard let header else { throw headerReader.finish() }
        // Whole blocks have gone, so the length of what is left decides as the length of the message would.
        try header.checkMessageByteCount(header.byteCount + holdback.held.count)
        return (header, holdback.held)
    }
}
