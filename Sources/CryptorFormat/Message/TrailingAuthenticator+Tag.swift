import CryptorPrimitives

// The tag of a message: 32 bytes. Its HMAC covers the ciphertext and, from version 2 on, the header.
extension TrailingAuthenticator {
    init(hmacKey: SecretBytes, header: Header) throws(CryptorError) {
        let rules = header.version.rules
        let authenticator = try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(rules.hash, key: hmacKey)
            if rules.authenticatesHeader { try authenticator.update(header.bytes) }
            return authenticator
        }
        self.init(authenticator)
    }

    /// Appends the tag. Nothing can be added afterwards.
    mutating func finishTag(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try finish(into: &output)
        for _ in hash.byteCount..<FormatSize.tag { output.append(0) }
    }

    /// Whether `tag` is the right one, compared in constant time. Nothing can be added afterwards.
    mutating func finishTag(matching tag: RawSpan) throws(OpenSSLError) -> Bool {
        let filling = tag.extracting(droppingFirst: hash.byteCount)
        let isFilled = filling.byteOffsets.allSatisfy { filling.byte(at: $0) == 0 }
        return try finish(matching: tag.extracting(first: hash.byteCount)) && isFilled
    }
}
