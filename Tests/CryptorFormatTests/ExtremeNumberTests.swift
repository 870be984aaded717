import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Numbers that no plaintext, message or limit can have lead to an answer or an error, never to a trap.
@Suite struct ExtremeNumberTests {
    private static let extremes = [Int.min, Int.min + 1, -17, -1, 0, 1, .max / 2, .max - 98, .max - 16, .max - 1, .max]

    /// The length of a message, computed with 128 bits.
    private static func messageByteCount(_ plaintextByteCount: Int, headerByteCount: Int) -> Int {
        let blocks = Int128(max(0, plaintextByteCount)) / 16 + 1
        return Int(clamping: Int128(headerByteCount) + 16 * blocks + 32)
    }

    @Test(arguments: extremes + (0..<100).map { Int.max - $0 } + Array(0..<100))
    func roomForOutput(byteCount: Int) {
        let ofPassword = Self.messageByteCount(byteCount, headerByteCount: 34)
        #expect(Encryptor.maximumOutputByteCount(for: byteCount) == ofPassword)
        let ofKeys = Self.messageByteCount(byteCount, headerByteCount: 18)
        #expect(KeyedCryptor.messageByteCount(for: byteCount) == ofKeys)
        let ofPlaintext = Int(clamping: Int128(max(0, byteCount)) + 16)
        #expect(Decryptor.maximumOutputByteCount(for: byteCount) == ofPlaintext)
    }

    @Test(arguments: extremes)
    func aPoolHasAThread(count: Int) async throws {
        let keys = Credential.keys(try .random())
        let pools = [
            CryptorPool(threadCount: count), CryptorPool(threadCount: 1, maximumPendingCount: count),
        ]
        for pool in pools {
            let message = try await pool.encrypt([UInt8](repeating: 1, count: 100_000), with: keys)
            #expect(try Cryptor.decrypt(message, with: keys).count == 100_000)
        }
    }

    @Test(arguments: extremes)
    func limitOfWhatIsCollected(limit: Int) async throws {
        let keys = Credential.keys(try .random())
        let message = try Cryptor.encrypt([1, 2, 3], with: keys)
        // An empty chunk before the message does no harm. An empty chunk alone, or no chunk at all, is no message.
        for chunks in [[[], message], [[]], []] {
            var code: CryptorError.Code?
            do {
                let plaintext = try await Cryptor.decrypt(collecting: ChunkSource(chunks), upTo: limit, with: keys)
                #expect(plaintext == [1, 2, 3])
            } catch let error as CryptorError {
                code = error.code
            }
            let byteCount = chunks.joined().count
            let isTooLong = !chunks.isEmpty && (limit < 0 || byteCount > limit)
            let expected: CryptorError.Code? = byteCount == 0 ? .invalidMessageLength : nil
            #expect(code == (isTooLong ? .messageTooLong : expected), "\(chunks.count) chunks of \(byteCount) bytes")
        }
    }

    @Test(arguments: extremes)
    func limitOfWhatIsHeldBack(limit: Int) throws {
        let password = try Credential.password("pässword")
        let salts = Header.Salts(encryption: Array(0..<8), hmac: Array(8..<16))
        let plaintext = LongBytes.bytes(100)
        let header = Header(version: .v2, salts: salts, iv: Array(16..<32))
        let message = try Cryptor.encrypt(plaintext, with: password, header: header)
        let expected: CryptorError.Code? = limit < 96 ? .messageTooLong : nil

        var decryptor = try Decryptor(
            password, accepting: .default.withShortenedPasswords(), heldBackByteLimit: limit)
        var released: [UInt8] = []
        var code: CryptorError.Code?
        do throws(CryptorError) { try decryptor.update(message, unverifiedInto: &released) } catch { code = error.code }
        #expect(code == expected && released.isEmpty)
        if expected == nil {
            try decryptor.finish(into: &released)
            #expect(released == plaintext)
        }
        // Without shortened passwords, nothing is held back, and the limit does not matter.
        let unlimited = try ChunkedDecryption(message, with: password, .whole)
        #expect(unlimited.verifiedPlaintext == plaintext)
    }

    /// The check of a message's length is right for any number.
    @Test(arguments: extremes)
    func lengthOfAMessage(byteCount: Int) throws {
        for version in FormatVersion.allCases {
            let header = Header(version: version, salts: nil, iv: Array(0..<16))
            let error = try caughtError { try header.checkMessageByteCount(byteCount) }
            let ciphertext = Int128(byteCount) - 50
            let isCounter = version == .v0UnauthenticatedHeader
            let expected: CryptorError.Code? =
                ciphertext >= (isCounter ? 0 : 16) && (isCounter || ciphertext % 16 == 0) ? nil : .invalidMessageLength
            #expect(error?.code == expected, "\(version)")
        }
    }
}
