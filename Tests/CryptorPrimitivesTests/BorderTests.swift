import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// A caller that passes too little room or the wrong number of bytes is stopped by the library's
/// own check, before C writes anywhere.
@Suite(.unlessItHangs) struct BorderTests {
    private static func key() -> SecretBytes { SecretBytes([UInt8](repeating: 7, count: 32)) }
    private static let iv = [UInt8](repeating: 9, count: 16)
    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    private typealias Body = @Sendable (inout OutputRawSpan) throws -> Void

    /// Calls `body` with room for so many bytes.
    private static func misuse(_ file: String, room: Int, _ body: @escaping Body) -> Misuse {
        Misuse("/\(file).swift:") {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
            defer { memory.deallocate() }
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            try body(&output)
        }
    }

    private static func cipher(
        _ direction: AESCipher.Direction = .encrypt, room: Int = 0,
        _ body: @escaping @Sendable (inout AESCipher, inout OutputRawSpan) throws -> Void
    ) -> Misuse {
        misuse("AESCipher", room: room) { output in
            var cipher = try AESCipher(direction, key: key(), iv: iv)
            try body(&cipher, &output)
        }
    }

    private static func engine(_ direction: AESCipher.Direction) throws -> SplitEngine {
        try SplitEngine(
            direction, encryptionKey: key(), hmacKey: key(), iv: iv, authenticating: [])
    }

    private static let misuses = [
        Misuse("/AESCipher.swift:") { _ = try AESCipher(.encrypt, key: key(), iv: bytes(15)) },
        Misuse("/CipherContext.swift:") {
            _ = try AESCipher(.encrypt, key: SecretBytes(bytes(31)), iv: iv)
        },
        cipher(.decrypt, room: 64) { try $0.update(bytes(17).span.bytes, into: &$1) },
        cipher(room: 31) { try $0.update(bytes(32).span.bytes, into: &$1) },
        cipher(.decrypt, room: 64) { try $0.finishEncryption(into: &$1) },
        cipher(room: 31) { try $0.finishEncryption(bytes(17).span.bytes, into: &$1) },
        cipher(room: 64) {
            try $0.update(bytes(3).span.bytes, into: &$1)
            try $0.finishEncryption(bytes(3).span.bytes, into: &$1)
        },
        cipher(.decrypt, room: 16) { try $0.begin(iv.span.bytes, appendingIVTo: &$1) },
        cipher(room: 15) { try $0.begin(iv.span.bytes, appendingIVTo: &$1) },
        cipher(room: 16) {
            try $0.update(bytes(3).span.bytes, into: &$1)
            try $0.begin(iv.span.bytes, appendingIVTo: &$1)
        },
        cipher { cipher, _ in try cipher.begin(iv: iv.span.bytes) },
        cipher(.decrypt) { cipher, _ in try cipher.begin(iv: bytes(32).span.bytes) },
        Misuse("/PKCS7Padding.swift:") {
            _ = PKCS7Padding.plaintextByteCount(ofLastBlock: bytes(32).span.bytes)
        },
        misuse("MessageEnd", room: 64) {
            var cipher = try AESCipher(.decrypt, key: key(), iv: iv)
            var hmac = try HMACAuthenticator(key: key())
            _ = try MessageEnd.open(
                RawSpan(), cipher: &cipher, hmac: &hmac, unhashed: RawSpan(), after: nil,
                tag: bytes(32).span.bytes, into: &$0)
        },
        misuse("AESCipher", room: 31) {
            var cipher = try AESCipher(.encrypt, key: key(), iv: iv)
            var hmac = try HMACAuthenticator(key: key())
            try MessageEnd.seal(
                bytes(17).span.bytes, cipher: &cipher, hmac: &hmac, unhashedFrom: 0, into: &$0)
        },
        misuse("SplitEngine", room: 64) {
            var engine = try engine(.decrypt)
            try engine.finishSealing(unhashedFrom: 0, into: &$0)
        },
        misuse("SplitEngine", room: 64) {
            var engine = try engine(.encrypt)
            _ = try engine.finishOpening(
                bytes(16).span.bytes, after: iv.span.bytes, tag: bytes(32).span.bytes, into: &$0)
        },
        misuse("SplitEngine", room: 64) {
            var engine = try engine(.encrypt)
            _ = engine.cipher.take()
            try engine.finishSealing(unhashedFrom: 0, into: &$0)
        },
        misuse("SplitEngine", room: 96) {
            var engine = try engine(.encrypt)
            try engine.finishSealing(unhashedFrom: 0, into: &$0)
            try engine.finishSealing(unhashedFrom: 0, into: &$0)
        },
        misuse("HMACAuthenticator", room: 31) {
            var hmac = try HMACAuthenticator(key: key())
            try hmac.finish(into: &$0)
        },
        misuse("Version0Algorithms", room: 4) {
            try Version0Algorithms.cipher(
                bytes(4).span.bytes, key: key(), iv: bytes(17).span.bytes, into: &$0)
        },
        misuse("Version0Algorithms", room: 4) {
            try Version0Algorithms.cipher(
                bytes(5).span.bytes, key: key(), iv: iv.span.bytes, into: &$0)
        },
        misuse("Base64Blocks", room: 8) { Base64Blocks.encode(bytes(6).span.bytes, into: &$0) },
        misuse("Base64Blocks", room: 5) {
            _ = Base64Blocks.decode(Array("AQEBAQ==".utf8).span.bytes, into: &$0)
        },
        misuse("RawBytes", room: 4) { bytes(5).span.bytes.append(to: &$0) },
        Misuse("/SecretBytes.swift:") {
            _ = SecretBytes(count: 5) { bytes(4).span.bytes.append(to: &$0) }
        },
        misuse("FileDescriptor", room: 4) {
            let zeros = FileDescriptor(borrowing: 0)
            _ = try zeros.read(upTo: 5, into: &$0)
        },
        Misuse("/Workers.swift:") { _ = Workers(threadLimit: 0) },
    ]

    @Test func eachIsStopped() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent])
        {
            Misuse.expectEnds(BorderTests.misuses)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(result != nil && said.isEmpty, "\(said)")
    }
}
