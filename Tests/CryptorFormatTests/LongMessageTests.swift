import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Testing

/// More than `Int32.max` bytes go through both streams in lockstep, and neither keeps them.
@Suite struct LongMessageTests {
    private static let byteCount = (2 << 30) + (17 << 20)
    private static let chunkByteCount = 1 << 20
    /// No power of two divides it, so that no misplaced chunk looks like another.
    private static let period = (1 << 20) + 4099

    /// The last block and the HMAC, computed with Python's hmac and pycryptodome: both streams could be wrong alike.
    private static let expectedEnd =
        "8da1e80e83ae1d6c731a4653db43138a556357d2b2dc988ea2f1b02558c18f3c8aa94ed96b74ec252af7648efb67095b"

    /// Two periods of the plaintext and a little more, so that every chunk is a contiguous part of it.
    private static func pattern() -> [UInt8] {
        var generator = SeededGenerator(seed: 1)
        let start = generator.bytes(4099)
        var pattern: [UInt8] = []
        while pattern.count < period {
            let salt = UInt8(truncatingIfNeeded: pattern.count / start.count)
            pattern += start.map { $0 ^ salt }
        }
        pattern.removeLast(pattern.count - period)
        return pattern + pattern + Array(pattern.prefix(64))
    }

    @Test func moreThanTwoGiB() throws {
        let pattern = Self.pattern()
        let credential = Credential.keys(try KeyPair(encryptionKey: Array(0..<32), hmacKey: Array(32..<64)))
        var encryptor = try Encryptor(credential, header: Header(salts: nil, iv: Array(64..<80)))
        var decryptor = try Decryptor(credential)
        var message: [UInt8] = []
        var plaintext: [UInt8] = []
        var (fed, written, released) = (0, 0, 0)

        func takePlaintext() throws {
            let offset = released % Self.period
            let expected = pattern[offset..<offset + plaintext.count]
            try #require(sameBytes(plaintext, expected), "after \(released) bytes")
            released += plaintext.count
            plaintext.removeAll(keepingCapacity: true)
        }

        while fed < Self.byteCount {
            let offset = fed % Self.period
            message.removeAll(keepingCapacity: true)
            try encryptor.update(pattern[offset..<offset + Self.chunkByteCount], into: &message)
            try decryptor.update(message, unverifiedInto: &plaintext)
            fed += Self.chunkByteCount
            written += message.count
            try takePlaintext()
            try #require(fed - released < 100, "held back after \(fed) bytes")
        }
        message.removeAll(keepingCapacity: true)
        try encryptor.finish(into: &message)
        written += message.count
        #expect(message.hex == Self.expectedEnd)
        try decryptor.update(message, unverifiedInto: &plaintext)
        try decryptor.finish(into: &plaintext)
        try takePlaintext()
        #expect(released == Self.byteCount)
        #expect(written == Self.byteCount + 18 + 16 + 32)
    }
}
