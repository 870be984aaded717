import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// The digests depend on the ciphertext alone, and not on the chunks in which it came.
@Suite struct SegmentDigestTests {
    private static let segment = 512
    private let header = Header(salts: nil, iv: Array(repeating: 7, count: 16))
    private let ciphertext = LongBytes.bytes(5 * Self.segment + 48)

    /// The digests of the first pass, which gets the ciphertext in chunks.
    private func digests(_ byteCount: Int) throws -> SegmentDigests {
        var digester = try SegmentDigester(header, segmentByteCount: Self.segment)
        for start in stride(from: 0, to: ciphertext.count, by: byteCount) {
            try digester.add(Array(ciphertext[start..<min(start + byteCount, ciphertext.count)]))
        }
        return try digester.finish()
    }

    /// Whether each segment matches its digest of the first pass.
    private func verdicts(_ digests: SegmentDigests, reading bytes: [UInt8]) throws -> [Bool] {
        let message = VerifiedMessage(
            header: header, keys: try .random(), ciphertextByteCount: bytes.count, lastPlaintext: SecretBytes([]))
        var reader = try SegmentReader(SegmentedMessage(message: message, digests: digests))
        let before = header.iv + bytes
        return try stride(from: 0, to: bytes.count, by: Self.segment).enumerated().map { index, start in
            let segment = Array(before[start..<min(start + 16 + Self.segment, before.count)])
            var isRight = false
            let plaintext = try Array(byteCapacity: bytes.count) { output in
                isRight = try withRawSpan(of: segment) { segment in
                    try reader.append(0..<bytes.count, ofSegment: index, segment, to: &output)
                }
            }
            #expect(plaintext.count == (isRight ? segment.count - 16 : 0))
            return isRight
        }
    }

    @Test(arguments: [16, 32, 48, 160, 496, 512, 528, 1024, 10_000])
    func chunksDoNotMatter(byteCount: Int) throws {
        let verdicts = try verdicts(digests(byteCount), reading: ciphertext)
        #expect(verdicts == Array(repeating: true, count: 6))
    }

    /// Each byte counts for its own segment, and the last 16 bytes of a segment count for the next one as well.
    @Test(arguments: [0, 1, 495, 496, 511, 512, 1023, 5 * 512 - 1, 5 * 512, 5 * 512 + 47])
    func eachByteMatters(offset: Int) throws {
        var altered = ciphertext
        altered[offset] ^= 1
        let wrong = Set([offset / Self.segment, (offset + 16) / Self.segment])
        let verdicts = try verdicts(digests(128), reading: altered)
        #expect(verdicts == (0..<6).map { !wrong.contains($0) })
    }
}
