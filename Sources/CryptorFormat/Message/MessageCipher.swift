import CryptorPrimitives

/// The cipher of a message, by its version.
struct MessageCipher: ~Copyable, Sendable {
    /// How many bytes come after the ciphertext of what is complete: the last block and the tag.
    let tailByteCount: Int

    // One of the two is there.
    private var cbc: AESCipher?
    private var counter: RepeatingCounterCipher?

    static func forEncryption(_ keys: KeyPair, _ header: Header) throws(CryptorError) -> MessageCipher {
        try openSSL { () throws(OpenSSLError) in try MessageCipher(.encrypt, keys.encryptionKey, header) }
    }

    static func forDecryption(_ keys: KeyPair, _ header: Header) throws(CryptorError) -> MessageCipher {
        try openSSL { () throws(OpenSSLError) in try MessageCipher(.decrypt, keys.encryptionKey, header) }
    }

    private init(
        _ direction: AESCipher.Direction, _ key: SecretBytes, _ header: Header
    ) throws(OpenSSLError) {
        tailByteCount = header.version.rules.tailByteCount
        switch header.version.rules.cipher {
        case .cbc: cbc = try AESCipher(direction, key: key, iv: header.iv)
        case .repeatingCounter: counter = try RepeatingCounterCipher(key: key, iv: header.iv)
        }
    }

    /// How many bytes `update` appends for `inputByteCount` bytes.
    func outputByteCount(for inputByteCount: Int) -> Int {
        cbc?.outputByteCount(for: inputByteCount) ?? inputByteCount
    }

    /// Appends what is complete. Decryption takes whole blocks, where there are blocks.
    @_lifetime(output: copy output)
    mutating func update(_ input: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try cbc?.update(input, into: &output)
        counter?.update(input, into: &output)
    }

    /// Replaces what `output` holds by what is complete.
    mutating func update(_ input: [UInt8], replacing output: inout [UInt8]) throws(CryptorError) {
        output.removeAll(keepingCapacity: true)
        try output.appendBytes(capacity: outputByteCount(for: input.count)) { (output) throws(CryptorError) in
            try withRawSpan(of: input) { (input) throws(CryptorError) in
                try openSSL { () throws(OpenSSLError) in try update(input, into: &output) }
            }
        }
    }

    /// Appends the last, padded block, where there are blocks.
    mutating func finishEncryption(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try cbc?.finishEncryption(into: &output)
    }
}

extension Header {
    /// The header of a message whose first block is a later one of this message.
    /// - Parameter previousBlock: the ciphertext before that block.
    func beginning(atBlock index: Int, after previousBlock: [UInt8]) -> Header {
        var iv = iv
        switch version.rules.cipher {
        case .cbc: iv = previousBlock
        // The counter of which only byte 0 counts.
        case .repeatingCounter: iv[0] &+= UInt8(truncatingIfNeeded: index)
        }
        return Header(version: version, salts: salts, iv: iv)
    }
}
