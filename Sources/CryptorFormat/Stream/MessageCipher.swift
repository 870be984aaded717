import CryptorPrimitives

/// The cipher of a message, by its version.
struct MessageCipher: ~Copyable, Sendable {
    /// How many bytes `finishEncryption` appends.
    let tailByteCount: Int

    // One of the two is there.
    private var cbc: AESCipher?
    private var counter: RepeatingCounterCipher?

    init(_ direction: AESCipher.Direction, key: SecretBytes, header: Header) throws(OpenSSLError) {
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

    /// Appends the tail of the message: the last, padded block, where there are blocks, and the HMAC.
    mutating func finishEncryption(
        into output: inout OutputRawSpan, _ authenticator: inout MessageAuthenticator
    ) throws(OpenSSLError) {
        let start = output.byteCount
        try cbc?.finishEncryption(into: &output)
        try authenticator.update(output.bytes.extracting(start..<output.byteCount))
        try authenticator.finish(into: &output)
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
