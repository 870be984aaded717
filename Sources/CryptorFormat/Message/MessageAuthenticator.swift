import CryptorPrimitives

/// The HMAC of a message, by its version: over header and ciphertext or the ciphertext only, in a tag of 32 bytes.
struct MessageAuthenticator: ~Copyable, Sendable {
    private var authenticator: TrailingAuthenticator

    init(hmacKey: SecretBytes, header: Header) throws(OpenSSLError) {
        let rules = header.version.rules
        var authenticator = try HMACAuthenticator(rules.hash, key: hmacKey)
        if rules.authenticatesHeader { try authenticator.update(header.bytes) }
        self.authenticator = TrailingAuthenticator(authenticator)
    }

    /// - Parameter besideCaller: whether a helper may do that, later.
    mutating func update(_ ciphertext: RawSpan, besideCaller: Bool = false) throws(OpenSSLError) {
        try authenticator.update(ciphertext, besideCaller: besideCaller)
    }

    /// Adds ciphertext, which a helper may hash while the caller reads it.
    /// - Returns: an array that is not needed any more.
    mutating func update(_ ciphertext: [UInt8], besideCaller: Bool) throws(OpenSSLError) -> [UInt8]? {
        try authenticator.update(ciphertext, besideCaller: besideCaller)
    }

    /// Adds what `encrypt` appends, part after part, while it makes the next: see ``TrailingAuthenticator``.
    mutating func follow(
        _ output: inout OutputRawSpan, _ encrypt: (inout OutputRawSpan) throws(OpenSSLError) -> Bool
    ) throws(OpenSSLError) {
        try authenticator.follow(&output, encrypt)
    }

    /// Adds ciphertext, part after part, while `decrypt` does the same with each.
    mutating func lead(
        _ ciphertext: RawSpan, _ decrypt: (RawSpan) throws(OpenSSLError) -> Void
    ) throws(OpenSSLError) {
        try authenticator.lead(ciphertext, decrypt)
    }

    /// Appends the tag. Nothing can be added afterwards.
    mutating func finish(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try authenticator.finish(into: &output)
        for _ in authenticator.hash.byteCount..<FormatSize.tag { output.append(0) }
    }

    /// Whether `tag` is the right one, compared in constant time. Nothing can be added afterwards.
    mutating func finish(matching tag: RawSpan) throws(OpenSSLError) -> Bool {
        let byteCount = authenticator.hash.byteCount
        let filling = tag.extracting(droppingFirst: byteCount)
        let isFilled = filling.byteOffsets.allSatisfy { filling.byte(at: $0) == 0 }
        return try authenticator.finish(matching: tag.extracting(first: byteCount)) && isFilled
    }
}
