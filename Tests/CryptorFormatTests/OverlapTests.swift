import CryptorFormat
import TestSupport
import Testing

/// On one thread or two, the bytes are the same.
@Suite struct OverlapTests {
    /// Around the size from which a second thread is used, and sizes that are no number of blocks or pieces.
    private static let lengths = [524_287, 524_288, 524_289, 1_048_576, 1_500_001, 3_145_745]

    @Test(arguments: lengths)
    func wholeMessages(count: Int) throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(count)
        let serial = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .serial)
        let overlapped = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .automatic)
        #expect(sameBytes(serial, overlapped), "\(generator)")
        for concurrency in [Concurrency.serial, .automatic] {
            let read = try Cryptor.decrypt(serial, with: credential, concurrency: concurrency)
            #expect(sameBytes(read, plaintext), "\(concurrency), \(generator)")
        }
    }

    @Test(arguments: [600_000, 1_048_576, 1_048_577])
    func streams(chunk: Int) throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let header = Header(salts: nil, iv: generator.bytes(16))
        let plaintext = generator.bytes(5_000_011)
        let expected = try Cryptor.encrypt(plaintext, with: credential, header: header, concurrency: .serial)
        let writing = try ChunkedEncryption(plaintext, with: credential, header: header, .fixed(chunk))
        #expect(sameBytes(writing.message, expected), "\(generator)")
        let reading = try ChunkedDecryption(expected, with: credential, .fixed(chunk))
        #expect(reading.verifiedPlaintext.map { sameBytes($0, plaintext) } == true, "\(generator)")
    }

    @Test func alteredMessagesAreRefused() throws {
        var generator = SeededGenerator()
        let credential = Credential.keys(try generator.keyPair())
        let message = try Cryptor.encrypt(generator.bytes(2_000_000), with: credential)
        for _ in 0..<50 {
            var altered = message
            altered[Int.random(in: 2..<message.count, using: &generator)] ^= 1
            let error = #expect(throws: CryptorError.self, "\(generator)") {
                try Cryptor.decrypt(altered, with: credential)
            }
            #expect(error?.code == .authenticationFailed, "\(generator)")
        }
    }

    /// More streams than cores: most of them find no helper, and all of them end.
    @Test func manyAtOnce() async throws {
        let credential = Credential.keys(try .random())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let plaintext = [UInt8](repeating: UInt8(index), count: 700_000 + index)
                    let message = try Cryptor.encrypt(plaintext, with: credential)
                    return try Cryptor.decrypt(message, with: credential) == plaintext
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
