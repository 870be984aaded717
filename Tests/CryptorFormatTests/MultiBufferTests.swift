#if MultiBuffer
import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Another library works on many messages side by side, and has the same bytes and errors as OpenSSL. The tests of
/// columns, and of secrets in memory, run with it as well.
@Suite struct MultiBufferTests {
    private let keys: KeyPair
    private let cryptor: KeyedCryptor

    init() throws {
        keys = try KeyPair.random()
        cryptor = try KeyedCryptor(keys)
    }

    /// The other library is used; otherwise these tests would check nothing.
    @Test func itIsUsed() throws {
        #expect(cryptor.multiBuffer != nil)
    }

    @Test func randomColumns() throws {
        var random = SeededGenerator()
        let seed = random.description
        for round in 0..<60 {
            let limit = [20, 200, 5_000, 65_400, 70_000][round % 5]
            let plaintexts = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                random.bytes(.random(in: 0...limit, using: &random))
            }
            let encrypted = cryptor.encryptAll(ByteColumn(plaintexts))
            #expect(encrypted.failures.isEmpty, "round \(round), \(seed)")
            var messages = (0..<encrypted.column.count).map { Array(encrypted.column[$0]) }
            for (message, plaintext) in zip(messages, plaintexts) {
                try #require(try Cryptor.decrypt(message, with: .keys(keys)) == plaintext, "round \(round), \(seed)")
            }
            // A few messages are altered, cut, badly padded, or replaced by random bytes.
            for index in messages.indices where Int.random(in: 0..<8, using: &random) == 0 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: messages[index][Int.random(in: 0..<messages[index].count, using: &random)] ^= 1
                case 1: messages[index].removeLast(Int.random(in: 1...messages[index].count, using: &random))
                case 2: messages[index] = try badlyPadded(random.bytes(64))
                default: messages[index] = random.bytes(100)
                }
            }
            let decrypted = cryptor.decryptAll(ByteColumn(messages))
            var failures = decrypted.failures[...]
            for (index, message) in messages.enumerated() {
                let failure = failures.first?.index == index ? failures.popFirst()?.error : nil
                do throws(CryptorError) {
                    let expected = try Cryptor.decrypt(message, with: .keys(keys))
                    try? #require(failure == nil && decrypted.column[index] == expected[...], "\(index), \(seed)")
                } catch {
                    #expect(failure?.code == error.code && decrypted.column[index].isEmpty, "\(index), \(seed)")
                }
            }
            #expect(failures.isEmpty, "round \(round), \(seed)")
        }
    }

    /// A message with a right tag and a wrong padding.
    private func badlyPadded(_ blocks: [UInt8]) throws -> [UInt8] {
        let header = Header(salts: nil, iv: Array(0..<16))
        var message = header.bytes
        message += blocks
        var authenticator = try HMACAuthenticator(key: keys.hmacKey)
        try authenticator.update(message)
        return message
            + (try Array(byteCapacity: 32) { (output) throws(OpenSSLError) in try authenticator.finish(into: &output) })
    }

    /// Threads that work at the same time do not share a manager of the library.
    @Test func manyThreads() async throws {
        let column = ByteColumn((0..<500).map { LongBytes.bytes($0) })
        let cryptor = cryptor
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<20).allSatisfy { _ in cryptor.decryptAll(cryptor.encryptAll(column).column).column == column }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func noIVTwice() throws {
        let messages = cryptor.encryptAll(ByteColumn([[UInt8]](repeating: [7], count: 5000))).column
        #expect(
            Set((0..<messages.count).map { Array(messages[$0][2 + messages.offsets[$0]..<18 + messages.offsets[$0]]) })
                .count == 5000)
    }
}
#endif
