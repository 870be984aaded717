import CryptorPrimitives

/// The HMAC of a message, by its version: over header and ciphertext or the ciphertext only, in a trailer of 32 bytes.
struct MessageAuthenticator: ~Copyable, Sendable {
    var authenticator: HMACAuthenticator

    init(hmacKey: SecretBytes, header: Header) throws(OpenSSLError) {
        let rules = header.version.rules
        var authenticator = try HMACAuthenticator(rules.hash, key: hmacKey)
        if rules.authenticatesHeader { try authenticator.update(HeaderWriter.bytes(of: header)) }
        self.authenticator = authenticator
    }

    mutating func update(_ ciphertext: RawSpan) throws(OpenSSLError) {
        try authenticator.update(ciphertext)
    }

    /// Appends the trailer. Nothing can be added afterwards.
    mutating func finish(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try authenticator.finish(into: &output)
        for _ in authenticator.hash.byteCount..<FormatSize.code { output.append(0) }
    }

    /// Whether `trailer` is the right one, compared in constant time. Nothing can be added afterwards.
    mutating func finish(matching trailer: RawSpan) throws(OpenSSLError) -> Bool {
        // The right trailer of a forged message is what its forger is after: it is cleansed.
        let expected = try SecretBytes(count: FormatSize.code) { (output) throws(OpenSSLError) in
            try finish(into: &output)
        }
        return expected.withRawSpan { expected in constantTimeEqual(expected, trailer) }
    }
}
