import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

/// A decryption in chunks needs room only for what comes out, and none if nothing does.
@Suite struct StreamRoomTests {
    private let plaintext = LongBytes.bytes(200)

    /// Chunks of more than 50 bytes would need room in advance: they may hold a header and ciphertext that is released.
    @Test(arguments: [1, 5, 16, 17, 40, 50])
    func aDecryptorAsksForNoMoreThanItAppends(chunkSize: Int) throws {
        let keys = Credential.keys(try .random())
        let message = try Cryptor.encrypt(plaintext, with: keys)
        var reference = try Decryptor(keys)
        var decryptor = try Decryptor(keys)
        var read: [UInt8] = []
        for chunk in Chunking.fixed(chunkSize).chunks(of: message) {
            var expected: [UInt8] = []
            try reference.update(chunk, unverifiedInto: &expected)
            try withRoom(for: expected.count, appendingTo: &read) { (output) throws(CryptorError) in
                try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                    try decryptor.update(chunk, unverifiedInto: &output)
                }
            }
        }
        try decryptor.finish(into: &read)
        #expect(read == plaintext)
    }

    /// If the plaintext is held back, all of it comes out at the end, which needs exactly that much room.
    @Test(arguments: [0, 16, 192, 199, 200])
    func whatIsHeldBackNeedsRoomAtTheEndOnly(room: Int) throws {
        let password = try Credential.password("p\u{e4}ssword")
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let header = Header(version: .v2, salts: salts, iv: Array(16..<32))
        let message = try Cryptor.encrypt(plaintext, with: password, header: header)
        var decryptor = try Decryptor(password, accepting: .default.withShortenedPasswords())
        var read: [UInt8] = []
        // After this many bytes, one block is held back.
        try decryptor.update(message.prefix(100), unverifiedInto: &read)
        #expect(decryptor.heldBackByteCount == 16)
        for chunk in Chunking.fixed(30).chunks(of: Array(message.dropFirst(100))) {
            try withRoom(for: 0, appendingTo: &read) { (output) throws(CryptorError) in
                try withRawSpan(of: chunk) { (chunk) throws(CryptorError) in
                    try decryptor.update(chunk, unverifiedInto: &output)
                }
            }
        }
        var ending = Optional(decryptor)
        var error: CryptorError?
        do throws(CryptorError) {
            try withRoom(for: room, appendingTo: &read) { (output) throws(CryptorError) in
                try ending.take()?.finish(into: &output)
            }
        } catch let thrown {
            error = thrown
        }
        guard room < plaintext.count else {
            #expect(error == nil && read == plaintext)
            return
        }
        #expect(error?.code == .outputTooSmall && read.isEmpty, "wrote \(read.shortHex)")
        let numbers = "The output has room for \(room) bytes, and \(plaintext.count) are needed."
        #expect(error?.description.hasPrefix(numbers) == true, "\(error?.description ?? "none")")
    }
}
