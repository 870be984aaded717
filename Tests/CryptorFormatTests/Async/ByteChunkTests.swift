import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Sequences of single bytes.
@Suite struct ByteChunkTests {
    private struct Refusal: Error {}

    private func bytes(_ bytes: [UInt8], refusedAtEnd: Bool = false) -> AsyncThrowingStream<UInt8, any Error> {
        let given = Tally()
        return AsyncThrowingStream {
            guard given.count < bytes.count else {
                if refusedAtEnd { throw Refusal() }
                return nil
            }
            defer { given.add() }
            return bytes[given.count]
        }
    }

    @Test(arguments: [0, 1, 2, 999, 1000, 1001, 5000], [1, 2, 1000, Int.max, -1])
    func allOfThem(count: Int, size: Int) async throws {
        let plaintext = LongBytes.bytes(count)
        var chunks: [[UInt8]] = []
        for try await chunk in bytes(plaintext).byteChunks(of: size) { chunks.append(chunk) }
        #expect(chunks.flatMap(\.self) == plaintext)
        #expect(chunks.dropLast().allSatisfy { $0.count == max(1, size) })
        #expect(chunks.last?.isEmpty != true)
    }

    @Test func encryptedAndDecrypted() async throws {
        let credential = try FileJob.keys(1)
        let plaintext = LongBytes.bytes(100_000)
        var message: [UInt8] = []
        for try await chunk in bytes(plaintext).byteChunks().encrypted(with: credential) { message += chunk }
        #expect(try Cryptor.decrypt(message, with: credential) == plaintext)
        var decrypted: [UInt8] = []
        for try await chunk in bytes(message).byteChunks(of: 7).decryptedUnverified(with: credential) {
            decrypted += chunk
        }
        #expect(decrypted == plaintext)
    }

    @Test func whatTheSourceThrows() async throws {
        await #expect(throws: Refusal.self) {
            for try await _ in bytes([1, 2, 3], refusedAtEnd: true).byteChunks().encrypted(with: try FileJob.keys(1)) {}
        }
    }
}
