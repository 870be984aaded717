import CryptorFormat
import TestSupport
import Testing

/// More than `Int32.max` bytes go through both streams in lockstep, and neither keeps them.
@Suite struct LongMessageTests {
    private static let byteCount = (2 << 30) + (17 << 20)
    private static let chunkByteCount = 1 << 20
    /// No power of two divides it, so that no misplaced chunk looks like another.
    private static let period = (1 << 20) + 4099

    @Test func moreThanTwoGiB() throws {
        var generator = SeededGenerator()
        let start = generator.bytes(4099)
        // Twice the period and a little more: every stretch of a chunk, from anywhere in the period, is in one piece.
        var pattern: [UInt8] = []
        while pattern.count < Self.period {
            let salt = UInt8(truncatingIfNeeded: pattern.count / start.count)
            pattern += start.map { $0 ^ salt }
        }
        pattern.removeLast(pattern.count - Self.period)
        pattern += pattern + pattern.prefix(64)

        let credential = Credential.keys(try KeyPair.random())
        var encryptor = try Encryptor(credential)
        var decryptor = try Decryptor(credential)
        var message: [UInt8] = []
        var plaintext: [UInt8] = []
        var (fed, written, released) = (0, 0, 0)

        func takePlaintext() throws {
            let offset = released % Self.period
            let expected = pattern[offset..<offset + plaintext.count]
            try #require(sameBytes(plaintext, expected), "after \(released) bytes, \(generator)")
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
        try decryptor.update(message, unverifiedInto: &plaintext)
        try decryptor.finish(into: &plaintext)
        try takePlaintext()
        #expect(released == Self.byteCount)
        #expect(written == Self.byteCount + 18 + 16 + 32)
    }
}
