import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// A caller that passes too little room or the wrong number of bytes is stopped by the library's own check, before C
/// writes anywhere.
@Suite(.unlessItHangs) struct BorderTests {
    private static func key() -> SecretBytes { SecretBytes([UInt8](repeating: 7, count: 32)) }
    private static let iv = [UInt8](repeating: 9, count: 16)

    /// Calls `body` with room for `byteCount` bytes, and returns the bytes that it wrote.
    private static func withRoom(_ byteCount: Int, _ body: (inout OutputRawSpan) throws -> Void) rethrows -> [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        try body(&output)
        return Array(copying: output.bytes)
    }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    /// Expects that `file` has stopped each call. Debug builds name the file of a trap.
    private func expectStop(
        by file: String, _ results: [ExitTest.Result?], at location: SourceLocation = #_sourceLocation
    ) {
        for (index, result) in results.enumerated() {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                ["Primitives", "System"].contains { text.contains("Cryptor\($0)/\(file).swift:") },
                "way \(index): \(text.prefix(300))",
                sourceLocation: location)
        }
    }

    @Test func cipher() async throws {
        expectStop(
            by: "AESCipher",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.bytes(15))
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.decrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(64) { try cipher.update(BorderTests.bytes(17).span.bytes, into: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(31) { try cipher.update(BorderTests.bytes(32).span.bytes, into: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.decrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(64) { try cipher.finishEncryption(into: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(64) {
                        try cipher.update(BorderTests.bytes(3).span.bytes, into: &$0)
                        try cipher.finishEncryption(BorderTests.bytes(3).span.bytes, into: &$0)
                    }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(31) {
                        try cipher.finishEncryption(BorderTests.bytes(17).span.bytes, into: &$0)
                    }
                },
            ])
    }

    @Test func cipherThatIsUsedAgain() async {
        expectStop(
            by: "AESCipher",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.decrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(16) { try cipher.begin(BorderTests.iv.span.bytes, appendingIVTo: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(16) {
                        try cipher.update(BorderTests.bytes(3).span.bytes, into: &$0)
                        try cipher.begin(BorderTests.iv.span.bytes, appendingIVTo: &$0)
                    }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    _ = try BorderTests.withRoom(15) { try cipher.begin(BorderTests.iv.span.bytes, appendingIVTo: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.encrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    try cipher.begin(iv: BorderTests.iv.span.bytes)
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try AESCipher(.decrypt, key: BorderTests.key(), iv: BorderTests.iv)
                    try cipher.begin(iv: BorderTests.bytes(32).span.bytes)
                },
            ])
        let shortKey = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try AESCipher(.encrypt, key: SecretBytes(BorderTests.bytes(31)), iv: BorderTests.iv)
        }
        expectStop(by: "CipherContext", [shortKey])
    }

    @Test func tagsAndOldCiphers() async {
        let tag = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var hmac = try HMACAuthenticator(key: BorderTests.key())
            _ = try BorderTests.withRoom(31) { try hmac.finish(into: &$0) }
        }
        expectStop(by: "HMACAuthenticator", [tag])
        expectStop(
            by: "RepeatingCounterCipher",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = try RepeatingCounterCipher(key: BorderTests.key(), iv: BorderTests.bytes(17))
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    var cipher = try RepeatingCounterCipher(key: BorderTests.key(), iv: BorderTests.iv)
                    _ = BorderTests.withRoom(4) { cipher.update(BorderTests.bytes(5).span.bytes, into: &$0) }
                },
            ])
        let block = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PKCS7Padding.plaintextByteCount(ofLastBlock: BorderTests.bytes(32).span.bytes)
        }
        expectStop(by: "AESCipher", [block])
    }

    @Test func base64() async {
        expectStop(
            by: "Base64Blocks",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = BorderTests.withRoom(8) { Base64Blocks.encode(BorderTests.bytes(6).span.bytes, into: &$0) }
                },
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let text = Array("AQEBAQ==".utf8)
                    _ = BorderTests.withRoom(5) { _ = Base64Blocks.decode(text.span.bytes, into: &$0) }
                },
            ])
    }

    @Test func memory() async {
        expectStop(
            by: "RawBytes",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = BorderTests.withRoom(4) { BorderTests.bytes(5).span.bytes.append(to: &$0) }
                }
            ])
        expectStop(
            by: "SecretBytes",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = SecretBytes(count: 5) { output in BorderTests.bytes(4).span.bytes.append(to: &output) }
                }
            ])
        expectStop(
            by: "FileDescriptor",
            [
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let zeros = FileDescriptor(borrowing: 0)
                    _ = try BorderTests.withRoom(4) { _ = try zeros.read(upTo: 5, into: &$0) }
                }
            ])
    }

    /// Each operation works with exactly the room that it asks for.
    @Test func exactRoom() throws {
        let key = Self.key()
        var cipher = try AESCipher(.encrypt, key: key, iv: Self.iv)
        let ciphertext = try Self.withRoom(48) {
            try cipher.update(Self.bytes(16).span.bytes, into: &$0)
            try cipher.finishEncryption(Self.bytes(17).span.bytes, into: &$0)
        }
        #expect(ciphertext.count == 48)
        #expect(try Self.withRoom(16) { try cipher.begin(Self.iv.span.bytes, appendingIVTo: &$0) }.count == 16)
        var hmac = try HMACAuthenticator(key: key)
        #expect(try Self.withRoom(32) { try hmac.finish(into: &$0) }.count == 32)
        var old = try RepeatingCounterCipher(key: key, iv: Self.iv)
        #expect(Self.withRoom(5) { old.update(Self.bytes(5).span.bytes, into: &$0) }.count == 5)
        #expect(Self.withRoom(9) { Base64Blocks.encode(Self.bytes(6).span.bytes, into: &$0) } == Array("AQEBAQEB".utf8))
        let text = Array("AQEBAQ==".utf8)
        #expect(Self.withRoom(6) { _ = Base64Blocks.decode(text.span.bytes, into: &$0) } == Self.bytes(4))
        #expect(Self.withRoom(5) { Self.bytes(5).span.bytes.append(to: &$0) } == Self.bytes(5))
    }
}
