import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

@Suite struct Base64EncoderTests {
    private func expected(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        return text.isEmpty ? "" : text + "\n"
    }

    @Test(arguments: Base64Text.chunkings + [.fixed(56), .fixed(57), .fixed(58), .fixed(114)])
    func equalsFoundations(chunking: Chunking) {
        var generator = SeededGenerator()
        for length in 0...200 {
            let bytes = generator.bytes(length)
            let text = Base64Text.encoded(bytes, chunking)
            #expect(text == expected(bytes), "\(length) bytes \(chunking), \(generator)")
        }
    }

    /// Text is written as it was read: in one line, or in lines of any length. The bytes are as long as a message.
    @Test(arguments: ["\n", "", "   ", "\n  ", " \n \t"])
    func keepsTheLines(ending: String) throws {
        var generator = SeededGenerator()
        for length in Array(1...90) + [.max] {
            let bytes = generator.bytes(66 + length % 6 * 16)
            let characters = Data(bytes).base64EncodedString()
            let lines = Chunking.fixed(min(length, characters.count)).chunks(of: Array(characters.utf8))
            let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            for chunking in Base64Text.chunkings {
                var decoder = Base64Decoder()
                var decoded: [UInt8] = []
                for chunk in chunking.chunks(of: Array((text + ending).utf8)) {
                    try decoder.decode(Array(chunk), into: &decoded)
                }
                try decoder.finish(into: &decoded)
                #expect(decoded == bytes)
                let written = Base64Text.encoded(bytes, chunking, decoder.layout)
                let newline = ending.contains("\n") ? "\n" : ""
                #expect(written == text + newline, "lines of \(length), \(chunking), \(generator)")
            }
        }
    }

    @Test func inRandomChunks() {
        let bytes = LongBytes.bytes(20_000)
        for round in 0..<20 {
            let generator = SeededGenerator(seed: SeededGenerator.processSeed &+ UInt64(round))
            let text = Base64Text.encoded(bytes, .random(generator, maximum: 200))
            #expect(text == expected(bytes), "\(generator)")
        }
    }

    @Test func everyByteAtEveryPlace() {
        for byte in UInt8.min...UInt8.max {
            for bytes in [[byte], [byte, 0], [0, byte], [byte, 0, 0], [0, byte, 0], [0, 0, byte]] {
                #expect(Base64Text.encoded(bytes) == expected(bytes))
            }
        }
    }
}
