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
        // A space within a line is an error if the lines before do not all have one length, a
        // multiple of four.
        ("AwE BwE\nAwEB", 8), ("AwEBAwE\nAw B", 11), ("AwE BwEB \r\n\r\n  A", 15),
        (" AwE BwEB\n==", 10), ("A\nwE BwEB", 5), ("AA=A", 3), ("AwEBAA=A", 7),
        ("AwE BwEB\nAwEBAwE\nAw", 17), ("AwEB\n AwEBAw\nAw B", 16), ("AwEB\nAw\nAw B", 11),
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

    /// In what is long enough for a message, no byte is at fault.
    @Test func aCharacterTooMany() throws {
        let text = Base64Text.Spelling.unpadded.text(of: LongBytes.bytes(82))
        let texts = [("\(text)AAA", 113), ("\(text.dropLast())\n", 109), (" \(text) \nAAA", 113)]
        for (text, count) in texts {
            let error = try caughtError { _ = try Cryptor.message(fromBase64: text) }
            #expect(
                error?.description.contains("Base64 text never has \(count) characters") == true,
                "\(String(describing: error))")
        }
    }

    /// Spaces for plus signs in lines: read where all lines but the last have one length, a
    /// multiple of four, also if the first space is at the edge of a line.
    @Test func spacesInLines() throws {
        var generator = SeededGenerator()
        for round in 0..<rounds(40, thorough: 2000) {
            let length = 66 + 16 * Int.random(in: 0...40, using: &generator)
            let bytes = try bytes(length, plus: round.isMultiple(of: 4), &generator)
            // No message begins with a plus sign.
            let line = Data([3] + bytes.dropFirst()).base64EncodedString()
            let width = [4, 8, 64, 76, 4 * Int.random(in: 1...60, using: &generator)][round % 5]
            for ending in ["\n", "\r\n"] {
                let text = Base64Text.withSpacesForPlus(Base64Text.lines(of: line, width, ending))
                for chunking in Base64Text.chunkings {
                    let flaw = firstDifference(
                        (try? Base64Text.decoded(text, chunking)) ?? [],
                        [3] + bytes.dropFirst())
                    #expect(flaw == nil, "\(length) bytes \(chunking), \(generator): \"\(text)\"")
                }
            }
        }
    }

    /// Spaces that begin every line or end lines stand for nothing, whatever the lengths are.
    @Test func spacesAtTheEdgesOfLines() throws {
        var generator = SeededGenerator()
        for round in 0..<rounds(100, thorough: 5000) {
            // The longest has more text than is held back.
            let length =
                round == 0 ? 66 + 16 * 4000 : 66 + 16 * Int.random(in: 0...40, using: &generator)
            let bytes = generator.bytes(length)
            let text = Data(bytes).base64EncodedString()
            let width = [64, 76, Int.random(in: 1...100, using: &generator)][round % 3]
            let before = String(repeating: " ", count: Int.random(in: 0...5, using: &generator))
            let after = Int.random(in: 0...5, using: &generator)
            let isEach = Bool.random(using: &generator)
            let isHanging = Bool.random(using: &generator)
            let lines = Base64Text.lines(of: text, width, "\n").split(separator: "\n")
            let spaced = lines.enumerated().map { index, line in
                let count = isEach ? after : Int.random(in: 0...after, using: &generator)
                let start = isHanging && index == 0 ? "" : before
                return start + line + String(repeating: " ", count: count) + "\n"
            }.joined()
            for chunking in [Chunking.whole, .fixed(1), .fixed(64)] {
                let flaw = firstDifference(
                    (try? Base64Text.decoded(spaced, chunking)) ?? [], bytes)
                #expect(flaw == nil, "\(length) bytes \(chunking), \(generator): \"\(spaced)\"")
            }
        }
    }

    /// What may be spaces or plus signs is held back, and no more than a few kilobytes of it.
    @Test(arguments: ["AwEB \n", "AwE \n", "A \n", " wEB\n"]) func holdsLittleBack(line: String)
        throws
    {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        let text = "AwEB\n" + String(repeating: line, count: 1_000_000 / line.utf8.count)
        try decoder.decode(Array(text.utf8), into: &bytes)
        let count = text.utf8.filter { $0 != 32 && $0 != 10 }.count / 4 * 3
        #expect(bytes.count > count - 20_000)
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
