import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A careless URL decoder turns plus signs into spaces. The decoder turns them back into plus signs.
@Suite struct Base64SpaceTests {
    private static let plus = UInt8(ascii: "+")

    /// More than half of the text is plus signs.
    private static func bytes(_ length: Int, using generator: inout SeededGenerator) -> [UInt8] {
        let letters = Array("ABCdef0189/".utf8)
        var text = [UInt8(ascii: "A")]
        while text.count < (length + 2) / 3 * 4 {
            let isFourth = text.count % 4 == 3 && text.suffix(3) == [plus, plus, plus]
            let isPlus = !isFourth && Int.random(in: 0..<10, using: &generator) < 6
            text.append(isPlus ? plus : letters[Int.random(in: 0..<letters.count, using: &generator)])
        }
        return [UInt8]((Data(base64Encoded: Data(text)) ?? Data()).prefix(length))
    }

    private func check(_ name: String, _ spell: (String) -> String) throws {
        var generator = SeededGenerator()
        for length in Base64DecoderTests.lengths {
            let bytes = Self.bytes(length, using: &generator)
            try #require(bytes.count == length)
            let text = Base64Text.withSpacesForPlus(spell(Data(bytes).base64EncodedString()))
            for chunking in [Chunking.whole, .fixed(1), .fixed(5), .fixed(64)] {
                let found = try? Base64Text.decoded(text, chunking)
                #expect(
                    firstDifference(found ?? [], bytes) == nil,
                    "\(name), \(length) bytes \(chunking), \(generator): \"\(text)\"")
            }
        }
    }

    private func unpadded(_ text: String) -> String { text.replacingOccurrences(of: "=", with: "") }

    @Test func inOneLine() throws {
        try check("padded") { $0 }
        try check("unpadded") { unpadded($0) }
    }

    @Test(arguments: ["\n", "\r\n"])
    func inOneLineWithItsEnding(ending: String) throws {
        try check("padded") { $0 + ending }
        try check("unpadded") { unpadded($0) + ending }
    }

    /// In a text with line breaks, a space within a line is an error, and no other character is made of it.
    @Test func notInLines() throws {
        for (text, offset) in [("AwE BwEB\nAwEB", 9), ("AwEBAwEB\nAw B", 12), ("AwE BwEB \r\n\r\n  A", 15)] {
            for chunking in [Chunking.whole, .fixed(1), .fixed(5)] {
                let failure = #expect(throws: Base64Decoder.Failure.self, "\(text)") {
                    try Base64Text.decoded(text, chunking)
                }
                #expect(failure?.offset == offset, "\(text), \(chunking)")
            }
        }
    }

    /// White space after a text would hide a plus sign at its end, and the URL alphabet has no plus sign. Texts of
    /// several lines have no spaces for plus signs.
    static let spellings = Base64Text.Spelling.allCases.filter {
        [.oneLine, .oneLineAndNewline, .unpadded, .leadingWhitespace].contains($0)
    }

    /// Plus signs come back in random messages, in which they are rare.
    @Test(arguments: spellings)
    func inMessages(spelling: Base64Text.Spelling) throws {
        let credential = try FileJob.keys(1)
        for length in stride(from: 0, to: 3000, by: 37) {
            let message = try Cryptor.encrypt(LongBytes.bytes(length), with: credential)
            let text = Base64Text.withSpacesForPlus(spelling.text(of: message))
            let found = try? Base64Text.decoded(text, .fixed(64))
            #expect(firstDifference(found ?? [], message) == nil, "\(length) bytes, \(spelling): \"\(text)\"")
        }
    }

    /// A plus sign comes back as the last character of a text that needs no padding.
    @Test(arguments: ["", "\n", "\r\n"])
    func asTheLastCharacter(ending: String) throws {
        for length in [66, 114, 162] {
            for count in 1...3 {
                // The text starts with an 'A', as that of a message does: a space there would be white space.
                var text = Data([3] + LongBytes.bytes(length - 1)).base64EncodedString()
                text.replaceSubrange(text.index(text.endIndex, offsetBy: -4)..., with: "AAAA".dropLast(count))
                text += String(repeating: "+", count: count)
                let bytes = [UInt8](try #require(Data(base64Encoded: text)))
                let spaced = Base64Text.withSpacesForPlus(text) + ending
                for chunking in Base64Text.chunkings {
                    let found = try? Base64Text.decoded(spaced, chunking)
                    #expect(
                        firstDifference(found ?? [], bytes) == nil,
                        "\(length) bytes, \(count) plus signs \(chunking): \"\(spaced)\"")
                }
            }
        }
    }
}
