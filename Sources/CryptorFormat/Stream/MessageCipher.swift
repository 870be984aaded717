import CryptorPrimitives

/// The cipher of a message, by its version.
struct MessageCipher: ~Copyable, Sendable {
    // One of the two is there.
    private var cbc: AESCipher?
    private var counter: RepeatingCounterCipher?

    init(_ direction: AESCipher.Direction, key: SecretBytes, header: Header) throws(OpenSSLError) {
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
    mutating func update(_ input: RawSpan, into output: inout OutputRawSpan) throws(OpenSSLError) {
        try cbc?.update(input, into: &output)
        counter?.update(input, into: &output)
    }

    /// Appends the last, padded block, where there are blocks.
    mutating func finishEncryption(into output: inout OutputRawSpan) throws(OpenSSLError) {
        try cbc?.finishEncryption(into: &output)
    }
}
