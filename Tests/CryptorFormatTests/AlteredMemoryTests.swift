import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync

/// A message in memory that another process may write to, such as a file that is mapped: each call
/// returns the plaintext that was encrypted, or refuses the message. Only bytes whose HMAC was
/// computed are decrypted.
@Suite(.serialized, .unlessItHangs) struct AlteredMemoryTests {
    private struct Message {
        let data: Data
        let bytes: UnsafeRawBufferPointer
        let credential: Credential
        let keyed: KeyedCryptor
    }

    private typealias Way = (name: String, read: @Sendable (Message) throws -> [UInt8])

    private static let ways: [Way] = [
        ("Cryptor, Data", { Array(try Cryptor.decrypt($0.data, with: $0.credential) as Data) }),
        ("Cryptor, buffer", { try Cryptor.decrypt($0.bytes, with: $0.credential) }),
        (
            "Cryptor, keyring",
            {
                let keyring = try Credential.keyring(
                    primary: .keys(.random()), previous: [$0.credential])
                return try Cryptor.open($0.data, with: keyring).plaintext
            }
        ),
        ("KeyedCryptor, Data", { Array(try $0.keyed.decrypt($0.data) as Data) }),
        ("KeyedCryptor, all", { try $0.keyed.decryptAll([$0.bytes])[0].get() }),
        ("KeyedCryptor, all of Data", { try $0.keyed.openAll([$0.data])[0].get().plaintext }),
        (
            "KeyedCryptor, span",
            { message in
                var plaintext: [UInt8] = []
                try plaintext.appendBytes(capacity: message.bytes.count) { output in
                    try message.keyed.decrypt(message.bytes.bytes, into: &output)
                }
                return plaintext
            }
        ),
        (
            "Decryptor, Data",
            { message in
                var decryptor = try Decryptor(message.credential)
                var plaintext: [UInt8] = []
                for part in parts(of: message.data.count) {
                    try decryptor.update(message.data[part], unverifiedInto: &plaintext)
                }
                try decryptor.finish(into: &plaintext)
                return plaintext
            }
        ),
        (
            "Decryptor, span",
            { message in
                var decryptor = try Decryptor(message.credential)
                var plaintext: [UInt8] = []
                for part in parts(of: message.bytes.count) {
                    try plaintext.appendBytes(capacity: part.count + 16) { output in
                        try decryptor.update(
                            UnsafeRawBufferPointer(rebasing: message.bytes[part]).bytes,
                            unverifiedInto: &output)
                    }
                }
                try decryptor.finish(into: &plaintext)
                return plaintext
            }
        ),
    ]

    /// Short ones, and half of the message.
    private static func parts(of count: Int) -> [Range<Int>] {
        let middle = count / 2 + 7
        return stride(from: 0, to: middle, by: 70_000).map { $0..<min($0 + 70_000, middle) }
            + [middle..<count]
    }

    /// - Parameter body: reads a message that is altered, whatever it is called with.
    private func read(
        _ message: [UInt8], of plaintext: [UInt8], headerByteCount: Int, name: String, times: Int,
        _ body: (AlteredFile) throws -> () throws -> [UInt8]
    ) throws -> Readings {
        let directory = try TemporaryDirectory()
        let file = try AlteredFile(
            message, altering: headerByteCount - 16..<message.count, at: directory.path("message"))
        defer { file.close() }
        let work = try body(file)
        var readings = Readings()
        for _ in 0..<rounds(times / 3, thorough: times) {
            readings.read(
                plaintext,
                isRefusal: { ($0 as? CryptorError)?.code == .authenticationFailed }, work)
        }
        #expect(readings.flaws.isEmpty, "\(name): \(readings)")
        return readings
    }

    /// Lengths around those that are treated differently: copied, worked on by one thread, by two.
    @Test(arguments: [(5_000, 300), (150_000, 150), (400_000, 150), (9_000_000, 40)])
    func whileItIsRead(byteCount: Int, times: Int) throws {
        let keys = try MessageKeys.random()
        let plaintext = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        let message = try Cryptor.encrypt(plaintext, with: .keys(keys))
        var (all, turns) = (Readings(), 0)
        // On a busy machine, the other thread may have no core meanwhile.
        repeat {
            turns += 1
            for way in Self.ways {
                let readings = try read(
                    message, of: plaintext, headerByteCount: 18, name: way.name, times: times
                ) { file in
                    let url = URL(fileURLWithPath: file.path)
                    let mapped = Message(
                        data: try Data(contentsOf: url, options: .alwaysMapped), bytes: file.bytes,
                        credential: .keys(keys), keyed: try KeyedCryptor(keys))
                    return { try way.read(mapped) }
                }
                all.authentic += readings.authentic
                all.refused += readings.refused
            }
        } while (all.authentic == 0 || all.refused == 0) && turns < 100
        #expect(all.authentic > 0 && all.refused > 0, "\(all)")
    }

    @Test func ofVersion0() throws {
        let keys = try MessageKeys.random()
        let plaintext = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        let iv = [UInt8](0..<16)
        let message = try Version0Writer(iv: iv).message(of: plaintext, keys: keys)
        // The HMAC covers the ciphertext only.
        _ = try read(
            message, of: plaintext, headerByteCount: 34, name: "version 0", times: 200
        ) { file in
            { try Cryptor.decryptVersion0(file.bytes, with: .keys(keys)) }
        }
    }
}
