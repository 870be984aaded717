import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// Text in the spellings that people use. The lengths are those of messages: 2 more than a multiple of 16.
@Suite struct Base64DecoderTests {
    static let lengths = stride(from: 66, through: 66 + 16 * 30, by: 16)

    @Test(arguments: Base64Text.Spelling.allCases)
    func everySpelling(spelling: Base64Text.Spelling) throws {
        var generator = SeededGenerator()
        for length in Self.lengths {
            let bytes = generator.bytes(length)
            let text = spelling.text(of: bytes)
            for chunking in Base64Text.chunkings {
                let found = try? Base64Text.decoded(text, chunking)
                #expect(
                    firstDifference(found ?? [], bytes) == nil, "\(length) bytes \(chunking), \(generator): \(text)")
            }
        }
    }

    /// Text without spaces is decoded even if its length is not that of a message.
    @Test func everyLength() throws {
        var generator = SeededGenerator()
        for length in 0...200 {
            let bytes = generator.bytes(length)
            for spelling in [Base64Text.Spelling.lines, .linesOfCRLF, .urlSafeUnpadded, .unpadded, .oneLine] {
                let found = try? Base64Text.decoded(spelling.text(of: bytes), .fixed(5))
                #expect(firstDifference(found ?? [], bytes) == nil, "\(length) bytes, \(spelling), \(generator)")
            }
        }
    }

    @Test func isTheEncodersInverse() throws {
        for length in [0, 1, 2, 3, 56, 57, 58, 20_000] {
            let bytes = LongBytes.bytes(length)
            for chunking in Base64Text.chunkings {
                let found = try Base64Text.decoded(Base64Text.encoded(bytes), chunking)
                #expect(firstDifference(found, bytes) == nil, "\(length) bytes \(chunking), \(SeededGenerator())")
            }
        }
    }

    // MARK: Text that is not base64

    private func failureOffset(_ text: String, _ chunking: Chunking) throws -> Int? {
        do {
            _ = try Base64Text.decoded(text, chunking)
            return nil
        } catch let failure as Base64Decoder.Failure {
            return failure.offset
        }
    }

    static let malformed: [(String, offset: Int)] = [
        ("AwE!", 3), ("!", 0), ("AwEB\nAw*B", 7), ("AwEB\u{0}", 4), ("AwÄ", 2), ("AwEB.AwEB", 4), ("AwEB\u{7F}", 4),
        ("Aw==AwEB", 4), ("AwE=A", 4), ("Aw==\n\nAwEB", 6), ("AwE==\r\n B", 8), ("A", 1), ("AwEBA", 5),
        ("AwEB\nA\n", 7), ("AwEBAw==%", 8),
    ]

    @Test(arguments: malformed)
    func theFirstFaultIsNamed(text: String, offset: Int) throws {
        for chunking in Base64Text.chunkings {
            #expect(try failureOffset(text, chunking) == offset, "\(chunking)")
        }
    }

    // MARK: Runs of white space

    /// A message looks random: its text never has a thousand plus signs in a row.
    private static let limit = Base64Decoder.maximumSpaceCount

    /// A long run of spaces is refused in every place where spaces have another meaning, however the text is split.
    @Test(arguments: ["", "A", "AwE", "AwEB", "AwEBAw==", "AwEB\n", "  AwEB\n"])
    func aRunOfSpacesHasALimit(before: String) throws {
        for (count, isRefused) in [(Self.limit - 4, false), (Self.limit + 1, true), (100_000, true)] {
            let text = before + String(repeating: " ", count: count)
            for chunking in [Chunking.whole, .fixed(1), .fixed(100), .split(before.utf8.count + Self.limit - 24)] {
                var offset: Int?
                var decoder = Base64Decoder()
                var bytes: [UInt8] = []
                do throws(Base64Decoder.Failure) {
                    for chunk in chunking.chunks(of: Array(text.utf8)) {
                        try decoder.decode(Array(chunk), into: &bytes)
                    }
                } catch {
                    offset = error.offset
                }
                // The offset is that of the first space too many, not of a later one.
                #expect(offset == (isRefused ? before.utf8.count + Self.limit : nil), "\(count) spaces, \(chunking)")
                #expect(bytes.count <= 6, "\(count) spaces, \(chunking): \(bytes.count) bytes of them")
            }
        }
    }

    /// There may be any amount of other white space, and the decoder keeps none of it.
    @Test(arguments: ["\n", "\r\n", "\t", " \n", "   \n", " \t", "    \r\n \t"])
    func otherWhiteSpaceCostsNothing(space: String) throws {
        let chunk = Array(String(repeating: space, count: 10_000).utf8)
        for start in ["AwEB", "AwEBA", "AwEBAw"] {
            var decoder = Base64Decoder()
            var bytes: [UInt8] = []
            try decoder.decode(Array(start.utf8), into: &bytes)
            for _ in 0..<100 { try decoder.decode(chunk, into: &bytes) }
            #expect(bytes == [3, 1, 1])
            try decoder.decode(Array("AwEB".dropFirst(start.count - 4).utf8), into: &bytes)
            try decoder.finish(into: &bytes)
            #expect(bytes.prefix(3) == [3, 1, 1] && bytes.count <= 9, "\(start), then \(bytes)")
        }
    }

    @Test func everyForeignByte() throws {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n".utf8)
        for byte in UInt8.min...UInt8.max {
            var decoder = Base64Decoder()
            var bytes: [UInt8] = []
            let text = Array("AwEB".utf8) + [byte]
            do {
                try decoder.decode(text, into: &bytes)
                #expect(allowed.contains(byte), "\(byte) was taken")
            } catch {
                #expect(!allowed.contains(byte) && error.offset == 4, "\(byte) was refused at \(error.offset)")
            }
        }
    }
}
