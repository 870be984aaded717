import CryptorFormat

/// A message through the streaming types, from memory into memory.
struct Streaming {
    let credential: Credential
    let isSerial: Bool
    /// The bytes of a chunk; nil to pass everything at once.
    var chunk: Int?

    /// - Parameter isSerial: whether all work is done by one thread.
    init(isSerial: Bool = false, chunk: Int? = nil) throws(BenchmarkError) {
        credential = try calling("KeyPair") { () throws(CryptorError) in try Keys.credential() }
        self.isSerial = isSerial
        self.chunk = chunk
    }

    /// Encrypts the same plaintext `times` times.
    func encrypt(_ plaintext: Memory, into message: Memory, times: Int = 1) throws(BenchmarkError) {
        Cryptor.usesSecondThread = !isSerial
        defer { Cryptor.usesSecondThread = true }
        try calling("Encryptor") { () throws(CryptorError) in
            for _ in 0..<times { try encrypt(plaintext.readable, into: message.bytes) }
        }
    }

    func decrypt(_ message: Memory, into plaintext: Memory, times: Int = 1) throws(BenchmarkError) {
        Cryptor.usesSecondThread = !isSerial
        defer { Cryptor.usesSecondThread = true }
        try calling("Decryptor") { () throws(CryptorError) in
            for _ in 0..<times { try decrypt(message.readable, into: plaintext.bytes) }
        }
    }

    private func encrypt(
        _ plaintext: UnsafeRawBufferPointer, into message: UnsafeMutableRawBufferPointer
    ) throws(CryptorError) {
        var encryptor = try Encryptor(credential)
        var output = OutputRawSpan(buffer: message, initializedCount: 0)
        for offset in stride(from: 0, to: plaintext.count, by: chunk ?? plaintext.count) {
            let end = min(offset + (chunk ?? plaintext.count), plaintext.count)
            try encryptor.update(UnsafeRawBufferPointer(rebasing: plaintext[offset..<end]).bytes, into: &output)
        }
        try encryptor.finish(into: &output)
    }

    private func decrypt(
        _ message: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer
    ) throws(CryptorError) {
        var decryptor = try Decryptor(credential)
        var output = OutputRawSpan(buffer: plaintext, initializedCount: 0)
        for offset in stride(from: 0, to: message.count, by: chunk ?? message.count) {
            let end = min(offset + (chunk ?? message.count), message.count)
            try decryptor.update(
                UnsafeRawBufferPointer(rebasing: message[offset..<end]).bytes, unverifiedInto: &output)
        }
        try decryptor.finish(into: &output)
    }
}
