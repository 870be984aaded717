import CryptorTestSupport
import Testing

@testable import CryptorAsync

/// Numbers that no plaintext, message or limit can have lead to an answer or an error, never to a
/// trap. A call that only a mistake in the library can make ends the process, and the text names
/// the file that noticed it.
@Suite(.unlessItHangs) struct ExtremeNumberTests {
    private static let extremes = [
        Int.min, Int.min + 1, -17, -1, 0, 1, .max / 2, .max - 98, .max - 16, .max - 1, .max,
    ]

    /// The length of a message, computed with 128 bits.
    private func messageByteCount(_ plaintextByteCount: Int, headerByteCount: Int) -> Int {
        let blocks = Int128(max(0, plaintextByteCount)) / 16 + 1
        return Int(clamping: Int128(headerByteCount) + 16 * blocks + 32)
    }

    @Test(arguments: extremes)
    func lengths(extreme: Int) throws {
        let cryptor = try KeyedCryptor(MessageKeys.random())
        for byteCount in [extreme] + (0..<100).flatMap({ [Int.max - $0, $0] }) {
            let ofPassword = messageByteCount(byteCount, headerByteCount: 34)
            #expect(Encryptor.maximumOutputByteCount(for: byteCount) == ofPassword, "\(byteCount)")
            let ofKeys = messageByteCount(byteCount, headerByteCount: 18)
            #expect(cryptor.messageByteCount(for: byteCount) == ofKeys, "\(byteCount)")
            let ofPlaintext = Int(clamping: Int128(max(0, byteCount)) + 16)
            #expect(Decryptor.maximumOutputByteCount(for: byteCount) == ofPlaintext, "\(byteCount)")
        }
        for version in FormatVersion.allCases {
            let header = MessageHeader(version: version, salts: nil, iv: Array(0..<16))
            let error = try caughtError { try header.checkMessageByteCount(extreme) }
            let ciphertext = Int128(extreme) - 50
            let expected: Fault? =
                ciphertext < 16
                ? .messageTooShort : ciphertext % 16 == 0 ? nil : .invalidMessageLength
            #expect(error?.code == expected?.code, "\(version)")
        }
    }

    @Test(arguments: extremes)
    func poolsAndWhatIsCollected(extreme: Int) async throws {
        let keys = Credential.keys(try .random())
        for pool in [
            CryptorPool(threadCount: extreme),
            CryptorPool(threadCount: 1, maximumPendingCount: extreme),
        ] {
            let message = try await pool.encrypt([UInt8](repeating: 1, count: 100_000), with: keys)
            #expect(try Cryptor.decrypt(message, with: keys).count == 100_000)
        }
        let message = try Cryptor.encrypt([1, 2, 3], with: keys)
        // An empty chunk before the message does no harm. An empty chunk alone, or no chunk at all,
        // is no message.
        for chunks in [[[], message], [[]], []] {
            let outcome = try await Outcome {
                try await Cryptor.decrypt(
                    collecting: ChunkSource(chunks), upTo: extreme, with: keys)
            }
            let byteCount = chunks.joined().count
            let isTooLong = !chunks.isEmpty && (extreme < 0 || byteCount > extreme)
            let expected = byteCount == 0 ? Fault.messageTooShort.code : nil
            #expect(
                outcome.error?.code == (isTooLong ? .messageTooLong : expected),
                "\(byteCount) bytes")
            #expect(outcome.error != nil || outcome.released == [1, 2, 3])
        }
    }

    private static let salt = [UInt8](repeating: 1, count: 8)
    private static let misuses = [
        Misuse("/MessageHeader.swift:") {
            _ = MessageHeader.Salts(encryption: salt, hmac: salt + [1])
        },
        Misuse("/MessageHeader.swift:") { _ = MessageHeader(salts: nil, iv: salt) },
    ]

    @Test func wrongUse() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent])
        {
            Misuse.expectEnds(ExtremeNumberTests.misuses)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(result != nil && said.isEmpty, "\(said)")
    }
}
