import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// An index has exactly the format that ``SegmentIndex`` describes: later releases must read those of earlier ones.
@Suite struct IndexFormatTests {
    private static let mark = Array("CryptorFormat index 1\n".utf8)
    /// The lengths of header and tail of a key message of version 3.
    private static let (headerByteCount, tailByteCount) = (18, 48)
    private static let segment = 64 * 1024

    private func hmac(_ key: [UInt8], _ parts: [UInt8]...) throws -> [UInt8] {
        var authenticator = try HMACAuthenticator(key: SecretBytes(key))
        for part in parts { try authenticator.update(part) }
        return try authenticator.finish()
    }

    /// The digests of the segments. Each covers the block before its segment as well.
    private func digests(_ message: [UInt8], key: [UInt8]) throws -> [UInt8] {
        let ciphertext = Self.headerByteCount..<message.count - Self.tailByteCount
        var digests: [UInt8] = []
        let starts = stride(from: ciphertext.lowerBound, to: ciphertext.upperBound, by: Self.segment)
        for (number, start) in starts.enumerated() {
            var authenticator = try GMACAuthenticator(key: SecretBytes(key))
            try authenticator.begin(UInt64(number))
            let piece = Array(message[start - 16..<min(start + Self.segment, ciphertext.upperBound)])
            try withRawSpan(of: piece) { (bytes) throws(OpenSSLError) in try authenticator.update(bytes) }
            digests += try authenticator.finish().plain
        }
        return digests
    }

    /// An index made from the description alone.
    private func index(_ message: [UInt8], hmacKey: [UInt8], salt: [UInt8], digestKey: [UInt8]) throws -> [UInt8] {
        func key(_ use: String) throws -> [UInt8] { try hmac(hmacKey, Self.mark + Array(use.utf8) + salt) }
        let count = message.count - Self.headerByteCount - Self.tailByteCount
        let length = withUnsafeBytes(of: UInt64(count).littleEndian) { Array($0) }
        // What tells the message from others: its length, header, and tail, and the block before the tail, or the IV.
        let ends = length + message.prefix(Self.headerByteCount) + message.suffix(Self.tailByteCount + 16)
        let start = Self.mark + salt + zip(digestKey, try key("mask")).map { $0 ^ $1 }
        let digests = try digests(message, key: digestKey)
        return try start + hmac(key("start"), ends, start) + digests + hmac(key("digests"), ends, start, digests)
    }

    private static let lengths = [0, 100, 65_535, 65_552, 200_000]
    /// The HMAC key of `FileJob.keys(1)`.
    private static let hmacKey = [UInt8](repeating: 2, count: 32)

    @Test(arguments: lengths)
    func oneThatIsMadeByTheDescription(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        let index = try index(
            message.bytes, hmacKey: Self.hmacKey, salt: Array(100..<132), digestKey: Array(0..<32))
        try message.folder.write(index, to: "index")
        let file = try VerifiedFile(at: message.path, with: message.credential, index: message.folder.path("index"))
        #expect(file.isKnownByIndex)
        #expect(try firstDifference(file.read(0..<length), message.plaintext) == nil, "\(SeededGenerator())")
        #expect(try message.folder.read("index") == index, "it is not written anew")
    }

    @Test(arguments: lengths)
    func oneThatIsWritten(length: Int) throws {
        let message = try MessageOnDisk(plaintextByteCount: length)
        _ = try VerifiedFile(at: message.path, with: message.credential, index: message.folder.path("index"))
        let found = try message.folder.read("index")
        let (salt, masked) = (Array(found[22..<54]), found[54..<86])
        let mask = try hmac(Self.hmacKey, Self.mark + Array("mask".utf8) + salt)
        let expected = try index(
            message.bytes, hmacKey: Self.hmacKey, salt: salt, digestKey: zip(masked, mask).map { $0 ^ $1 })
        #expect(firstDifference(found, expected) == nil, "\(SeededGenerator())")
    }
}
