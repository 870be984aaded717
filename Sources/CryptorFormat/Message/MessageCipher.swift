package import CryptorPrimitives

extension AESCipher {
    /// The cipher of the message with this header.
    package init(
        _ direction: Direction, for header: Header, keys: KeyPair
    ) throws(OpenSSLError) {
        try self.init(direction, key: keys.encryptionKey, iv: header.iv)
    }

    /// Replaces the contents of `output` with the blocks that are complete.
    package mutating func update(
        _ input: [UInt8], replacing output: inout [UInt8]
    ) throws(OpenSSLError) {
        output.removeAll(keepingCapacity: true)
        try output.appendBytes(capacity: outputByteCount(for: input.count)) {
            (output) throws(OpenSSLError) in
            try update(input.rawSpan(input.indices), into: &output)
        }
    }
}

extension Header {
    /// The header of a message that would begin with a later block of this message.
    /// - Parameter previousBlock: the ciphertext before that block.
    package func beginning(after previousBlock: [UInt8]) -> Header {
        Header(version: version, salts: salts, iv: previousBlock)
    }
}

// The tag of a message. Its HMAC covers the ciphertext and, from version 2 on, the header.
extension TrailingAuthenticator {
    init(hmacKey: SecretBytes, header: Header) throws(CryptorError) {
        let authenticator = try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(key: hmacKey)
            if header.version.authenticatesHeader { try authenticator.update(header.bytes) }
            return authenticator
        }
        self.init(authenticator)
    }
}
