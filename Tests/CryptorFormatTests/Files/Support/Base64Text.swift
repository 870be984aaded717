import Foundation
import CryptorTestSupport

@testable import CryptorFiles

/// Base64 text in the spellings that people use.
enum Base64Text {
    enum Spelling: CaseIterable, Sendable {
        case oneLine, oneLineAndNewline, lines, linesOfCRLF, shortLines, urlSafe, unpadded,
            urlSafeUnpadded
        case leadingWhitespace, trailingWhitespace, trailingSpace, unpaddedTrailingSpaces

        /// The spelling of a message that replaces this one: padded, in the standard alphabet.
        var rewritten: Spelling {
            [.lines, .linesOfCRLF, .shortLines].contains(self) ? .lines : .oneLine
        }

        func text(of bytes: [UInt8]) -> String {
            let line = Data(bytes).base64EncodedString()
            let unpadded = line.replacingOccurrences(of: "=", with: "")
            return switch self {
            case .oneLine: line
            case .oneLineAndNewline: line + "\n"
            case .lines: Base64Text.lines(of: line, 76, "\n")
            case .linesOfCRLF: Base64Text.lines(of: line, 76, "\r\n")
            case .shortLines: Base64Text.lines(of: line, 64, "\n")
            case .urlSafe: Base64Text.urlSafe(line)
            case .unpadded: unpadded
            case .urlSafeUnpadded: Base64Text.urlSafe(unpadded)
            case .leadingWhitespace: " \t\r\n  " + line
            case .trailingWhitespace: line + " \r\n\t \n"
            case .trailingSpace: unpadded + " "
            case .unpaddedTrailingSpaces: unpadded + "   \n \n"
            }
        }
    }

    /// The text in lines of `length` characters. Each of them, the last one too, has the ending.
    static func lines(of text: String, _ length: Int, _ ending: String) -> String {
        Chunking.fixed(length).chunks(of: Array(text.utf8)).map {
            String(decoding: $0, as: UTF8.self) + ending
        }
        .joined()
    }

    private static func urlSafe(_ text: String) -> String {
        text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }

    /// The text as a careless URL decoder leaves it.
    static func withSpacesForPlus(_ text: String) -> String {
        text.replacingOccurrences(of: "+", with: " ")
    }

    /// What the decoder makes of a text that comes in chunks.
    static func decoded(_ text: String, _ chunking: Chunking = .whole) throws -> [UInt8] {
        var decoder = Base64Decoder()
        var bytes: [UInt8] = []
        for chunk in chunking.chunks(of: Array(text.utf8)) {
            try decoder.decode(Array(chunk), into: &bytes)
        }
        try decoder.finish(into: &bytes)
        return bytes
    }

    static func encoded(_ bytes: [UInt8], _ chunking: Chunking = .whole) -> String {
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        for chunk in chunking.chunks(of: bytes) { encoder.encode(Array(chunk), into: &text) }
        encoder.finish(into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    static let chunkings = [
        Chunking.whole, .fixed(1), .fixed(2), .fixed(3), .fixed(5), .fixed(64), .padded(7),
    ]
}
