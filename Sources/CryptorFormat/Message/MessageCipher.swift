package import CryptorPrimitives

/// The cipher of a message, by its version: one of two.
package struct MessageCipher: ~Copyable, Sendable {
    private var cbc: Optional<AESCipher> = nil
    private var repeatingCounter: Optional<RepeatingCounterCipher> = nil

    package static func make(
        _ direction: AESCipher.Direction, for header: Header, keys: KeyPair
    ) throws(CryptorError) -> MessageCipher {
        let key = keys.encryptionKey
        return try openSSL { () throws(OpenSSLError) in
            if header.version.usesCBC {
                .cbc(try AESCipher(direction, key: key, iv: header.iv))
            } else {
                MessageCipher(repeatingCounter: try RepeatingCounterCipher(key: key, iv: header.iv))
            }
        }
    }

    package static func cbc(_ cipher: consuming AESCipher) -> MessageCipher {
        MessageCipher(cbc: cipher)
    }

    /// How many bytes `update` appends for `inputByteCount` bytes.
    func outputByteCount(for inputByteCount: Int) -> Int {
        cbc?.outputByteCount(for: inputByteCount) ?? inputByteCount
    }

    /// Appends the blocks that are complete. Decryption takes only whole blocks; in version 0, any number of bytes.
    @_lifetime(output: copy output)
    package mutating func update(_ input: RawSpan, into output: inout OutputRawSpan)
        throws(OpenSSLError)
    {
        try cbc?.update(input, into: &output)
        repeatingCounter?.update(input, into: &output)
    }

    /// Appends the last, padded block. In version 0, which has no blocks, there is nothing to append.
    @_lifetime(output: copy output)
    mutating func finishEncryption(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try cbc?.finishEncryption(into: &output)
    }

    /// Replaces the contents of `output` with the blocks that are complete.
    package mutating func update(_ input: [UInt8], replacing output: inout [UInt8])
        throws(CryptorError)
    {
        output.removeAll(keepingCapacity: true)
        try output.appendBytes(capacity: outputByteCount(for: input.count)) {
            (output) throws(CryptorError) in
            try withRawSpan(of: input) { (input) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try update(input, into: &output) }
            }
        }
    }
}

extension Header {
    /// The header of a message that would begin with a later block of this message.
    /// - Parameter previousBlock: the ciphertext before that block.
    package func beginning(atBlock index: Int, after previousBlock: [UInt8]) -> Header {
        var iv = version.usesCBC ? previousBlock : iv
        // Only byte 0 of the counter counts.
        if !version.usesCBC { iv[0] &+= UInt8(truncatingIfNeeded: index) }
        return Header(version: version, salts: salts, iv: iv)
    }
}

// The tag of a message: 32 bytes. Its HMAC covers the ciphertext and, from version 2 on, the header.
extension TrailingAuthenticator {
    init(hmacKey: SecretBytes, header: Header) throws(CryptorError) {
        let version = header.version
        let authenticator = try openSSL { () throws(OpenSSLError) in
            var authenticator = try HMACAuthenticator(version.hash, key: hmacKey)
            if version.authenticatesHeader { try authenticator.update(header.bytes) }
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
