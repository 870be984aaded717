/// The framing of one message that comes in chunks: header, ciphertext in whole blocks, tail. It knows no cipher.
struct MessageFraming {
    let terms: ReadingTerms
    private var headerReader: HeaderReader
    private var body: (header: Header, holdback: TailHoldback)?

    init(_ terms: ReadingTerms) {
        self.terms = terms
        self.headerReader = HeaderReader(terms.expectation)
    }

    /// How much ciphertext `count` more bytes release at most. The number is exact once the header has come.
    func maximumReleaseByteCount(adding count: Int) -> Int {
        if let releasable = body?.holdback.releasableByteCount(adding: count) { return releasable }
        // Input that is longer than a header and still undecided is not a message, and none of it is released.
        let prefixByteCount = min(headerReader.byteCount, FormatSize.passwordHeader)
        return max(0, prefixByteCount + count - FormatSize.keyHeader - FormatSize.tag)
    }

    /// Takes the header off the start of the message.
    /// - Returns: how many bytes of `chunk` belong to the header, 0 once it has come; nil while it is incomplete.
    mutating func readHeader(_ chunk: RawSpan) throws(CryptorError) -> Int? {
        if body != nil { return 0 }
        guard let (header, byteCount) = try headerReader.read(chunk) else { return nil }
        try terms.check(header)
        body = (header, TailHoldback(header.version.rules.body))
        return byteCount
    }

    /// The header, if it has come and adding `count` bytes releases ciphertext.
    func headerIfReleasing(adding count: Int) -> Header? {
        guard let releasable = body?.holdback.releasableByteCount(adding: count), releasable > 0 else { return nil }
        return body?.header
    }

    /// Adds what follows the header and releases what is certain to be ciphertext before the last block, as spans of
    /// whole blocks.
    mutating func add(
        _ chunk: RawSpan, release: (RawSpan) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        try body?.holdback.add(chunk, release: release)
    }

    /// The header and the tail of a message that has ended: all that is still held back.
    func finish() throws(CryptorError) -> (header: Header, tail: [UInt8]) {
        guard let body else { throw headerReader.finish() }
        try body.header.checkMessage(
            ciphertextByteCount: body.holdback.releasedByteCount, tailByteCount: body.holdback.held.count)
        return (body.header, body.holdback.held)
    }
}
