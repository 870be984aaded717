import CryptorPrimitives

/// A piece of a file on its way through cipher and HMAC.
struct FileChunk: Sendable {
    /// How much is read at a time.
    static let byteCount = 128 * 1024

    var input: [UInt8] = []
    var output: [UInt8] = []
}

/// Encrypts or decrypts the input into the output.
struct CipherStep: RelayStep, ~Copyable {
    var cipher: MessageCipher

    init(_ cipher: consuming MessageCipher) {
        self.cipher = cipher
    }

    mutating func process(_ chunk: inout FileChunk) throws(CryptorError) {
        try cipher.update(chunk.input, replacing: &chunk.output)
    }
}
