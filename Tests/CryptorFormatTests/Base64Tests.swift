import CryptorPrimitives
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFormat

/// Messages as base64 text, in the spellings that people use, in every chunking. Where it is not
/// base64, the first fault is named.
@Suite struct Base64Tests {
    /// The lengths of messages are 2 more than a multiple of 16.
    private static let lengths = stride(from: 66, through: 66 + 16 * 30, by: 16)

    private func mail(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithLineFeed,
        ])
        return text.isEmpty ? "" : text + "\n"
    }

    // MARK: Writing

    @Test(
        arguments: Base64Text.chunkings + [
            .fixed(56), .fixed(57), .fixed(114), .random(SeededGenerator(), maximum: 99),
        ])
    func isWhatFoundationWrites(chunking: Chunking) throws {
        for length in Array(0...200) + [20_000] {
            let bytes = LongBytes.bytes(length)
            let text = Base64Text.encoded(bytes, chunking)
            #expect(text == mail(bytes), "\(length) bytes \(chunking), \(SeededGenerator())")
            #expect(
                try Base64Text.decoded(text, chunking) == bytes,
                "\(length) bytes \(chunking), \(SeededGenerator())")
            #expect(
                Cryptor.base64Text(of: bytes) == Data(bytes).base64EncodedString(),
                "\(length) bytes, \(SeededGenerator())")
        }
        for byte in UInt8.min...UInt8.max {
            for bytes in [
                [byte], [byte, 0], [0, byte], [byte, 0, 0], [0, byte, 0], [0, 0, byte],
            ] {
                #expect(Base64Text.encoded(bytes) == mail(bytes))
            }
        }
    }

    // MARK: Reading

    /// Random bytes, or bytes more than half of whose text are plus signs.
    private func bytes(_ length: Int, plus: Bool, _ generator: inout SeededGenerator) throws
        -> [UInt8]
    {
        guard plus else { return generator.bytes(length) }
        let (letters, plus) = (Array("ABCdef0189/".utf8), UInt8(ascii: "+"))
        var text = [UInt8(ascii: "A")]
        while text.count < (length + 2) / 3 * 4 {
            let isFourth = text.count % 4 == 3 && text.suffix(3) == [plus, plus, plus]
            let isPlus = !isFourth && Int.random(in: 0..<10, using: &generator) < 6
            text.append(
                isPlus ? plus : letters[Int.random(in: 0..<letters.count, using: &generator)])
        }
        return [UInt8](try #require(Data(base64Encoded: Data(text))).prefix(length))
    }

    /// Every spelling. In one line without white space after it, spaces stand for plus signs, as
    /// careless URL decoders make them. Text without spaces is decoded even if its length is not
    /// that of a message.
    @Test(arguments: Base64Text.Spelling.allCases)
    func everySpelling(spelling: Base64Text.Spelling) throws {
        var generator = SeededGenerator()
        let takesSpaces = [.oneLine, .oneLineAndNewline, .unpadded, .leadingWhitespace].contains(
            spelling)
        let takesAnyLength = [.lines, .linesOfCRLF, .urlSafeUnpadded, .unpadded, .oneLine].contains(
            spelling)
        for length in Array(Self.lengths) + (takesAnyLength ? Array(0...65) : []) {
            let ofPlus = takesSpaces ? [(true, false), (true, true)] : [(true, false)]
            for (plus, spaces) in [(false, false)] + (length < 66 ? [] : ofPlus) {
                let bytes = try bytes(length, plus: plus, &generator)
                let plain = spelling.text(of: bytes)
                let text = spaces ? Base64Text.withSpacesForPlus(plain) : plain
                for chunking in Base64Text.chunkings {
                    let flaw = firstDifference(
                        (try? Base64Text.decoded(text, chunking)) ?? [], bytes)
                    #expect(flaw == nil, "\(length) bytes \(chunking), \(generator): \"\(text)\"")
                }
                let whole = try Cryptor.message(fromBase64: text.utf8)
                #expect(whole == bytes, "\(length) bytes, \(generator): \"\(text)\"")
            }
        }
    }

    // MARK: What is not base64

    private func faultOffset(_ text: String, _ chunking: Chunking) throws -> Int? {
        do { _ = try Base64Text.decoded(text, chunking) } catch let failure as Base64Decoder.Failure
        {
            return failure.offset
        }
        return nil
    }

    private static let malformed: [(text: String, offset: Int)] = [
        ("AwE!", 3), ("!", 0), ("AwEB\nAw*B", 7), ("AwEB\u{0}", 4), ("AwÄ", 2), ("AwEB.AwEB", 4),
        ("AwEB\u{7F}", 4),
        ("Aw==AwEB", 4), ("AwE=A", 4), ("Aw==\n\nAwEB", 6), ("AwE==\r\n B", 8), ("A", 1),
        ("AwEBA", 5),
        ("AwEB\nA\n", 7), ("AwEBAw==%", 8), ("AAA%", 3),
        // In a text with line breaks, a space within a line is an error.
        ("AwE BwEB\nAwEB", 9), ("AwEBAwEB\nAw B", 12), ("AwE BwEB \r\n\r\n  A", 15),
        ("AwE BwEB\n==", 9), ("A\nwE BwEB", 5), ("AA=A", 3), ("AwEBAA=A", 7),
    ]

    @Test(arguments: malformed)
    func theFirstFaultIsNamed(text: String, offset: Int) throws {
        for chunking in Base64Text.chunkings {
            #expect(try faultOffset(text, chunking) == offset, "\(chunking)")
        }
        // Nothing is there then, not even the bytes before the fault.
        var message: [UInt8] = [1, 2]
        let error = try caughtError {
            let text = Array(text.utf8)
            try Cryptor.message(fromBase64: text.indices, of: text, replacing: &message)
        }
        #expect(error?.code == .notBase64 && message.isEmpty)
        #expect(
            error?.description.contains("Byte \(offset), ") == true, "\(String(describing: error))")
    }

    /// Before padding, spaces are plus signs as well. Behind a text that is whole they are none,
    /// however many.
    @Test func spacesAtTheEnd() throws {
        for chunking in Base64Text.chunkings {
            #expect(try Base64Text.decoded("Aw ==", chunking) == [3, 15])
            #expect(try Base64Text.decoded("Aw  ==", chunking) == [3, 15, 190])
        }
        for (length, count) in [66, 82, 98].flatMap({ length in (0...40).map { (length, $0) } }) {
            let text = Base64Text.Spelling.unpadded.text(of: LongBytes.bytes(length))
            #expect(
                try Base64Text.decoded(text + String(repeating: " ", count: count))
                    == LongBytes.bytes(length))
        }
    }

    @Test func everyForeignByte() throws {
        let allowed = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \t\r\n".utf8)
        for byte in UInt8.min...UInt8.max {
            var decoder = Base64Decoder()
            var bytes: [UInt8] = []
            do {
                try decoder.decode(Array("AwEB".utf8) + [byte], into: &bytes)
                #expect(allowed.contains(byte), "\(byte) was taken")
            } catch {
                #expect(
                    !allowed.contains(byte) && error.offset == 4,
                    "\(byte) was refused at \(error.offset)")
            }
        }
    }

    // MARK: Runs of white space

    /// A long run of spaces is refused in every place where spaces have another meaning, however
    /// the text is split: a message looks random, so its text never has a thousand plus signs in a
    /// row.
    @Test(arguments: ["", "A", "AwE", "AwEB", "AwEBAw==", "AwEB\n", "  AwEB     \n"])
    func aRunOfSpacesHasALimit(before: String) throws {
        let limit = 1000
        for (count, isRefused) in [(limit - 4, false), (limit + 1, true), (100_000, true)] {
            let text = Array((before + String(repeating: " ", count: count)).utf8)
            for chunking in [
                Chunking.whole, .fixed(1), .fixed(100), .split(before.utf8.count + limit - 24),
            ] {
                var offset: Int?
                var decoder = Base64Decoder()
                var bytes: [UInt8] = []
                do throws(Base64Decoder.Failure) {
                    for chunk in chunking.chunks(of: text) {
                        try decoder.decode(Array(chunk), into: &bytes)
                    }
                } catch {
                    offset = error.offset
                }
                // The offset is that of the first space too many, not of a later one.
                #expect(
                    offset == (isRefused ? before.utf8.count + limit : nil),
                    "\(count) spaces, \(chunking)")
                #expect(
                    bytes.count <= 6, "\(count) spaces, \(chunking): \(bytes.count) bytes of them")
            }
        }
    }
}
