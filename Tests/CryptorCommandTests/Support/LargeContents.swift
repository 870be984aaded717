import Foundation
import Testing

/// What a large file may hold that is slow, or takes much memory, to find a mistake in.
struct LargeContents: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: String
    /// What is repeated.
    let unit: String
    var end = ""
    /// How many bytes the file has less than a message of version 3.
    var missingByteCount = 0

    init(_ name: String, _ start: String, _ unit: String, _ end: String = "", missing: Int = 0) {
        testDescription = name
        self.start = start
        self.unit = unit
        self.end = end
        missingByteCount = missing
    }

    static let all = [
        LargeContents("JSON with escapes", "\"AwEB", "\\u002bAA", "\""),
        LargeContents("JSON with backslashes", "\"AwEB", "\\", "\""),
        LargeContents("JSON with accents", "\"AwEB", "\u{E9}", "\""),
        LargeContents("base64 in one line", "AwEB", "Ab/+"),
        LargeContents("base64 in lines", "AwEB\n", String(repeating: "Ab/+", count: 19) + "\n"),
        LargeContents("base64 in short lines", "AwEB\r\n", "A\r\n"),
        LargeContents("base64 with spaces", "AwEB", "Ab/ "),
        LargeContents("hexadecimal digits", "0301", "0a"),
        LargeContents("hexadecimal digits with spaces", "03 01 ", "0a "),
        LargeContents("spaces", "", " ", "A"),
        LargeContents("zeros", "", "\0", "1"),
        LargeContents("a key message", "\u{3}\0", "attack at dawn"),
        LargeContents("a password message", "\u{3}\u{1}", "attack at dawn"),
        LargeContents("newlines", "\u{3}\0", "\n", missing: 1),
        LargeContents("CR LF", "\u{3}\0", "\r\n"),
        LargeContents("one CR LF", "\u{3}\0", "attack at dawn", "\r\n ", missing: -1),
        LargeContents("a newline at the end", "\u{3}\u{1}", "attack at dawn", "\n", missing: -1),
        LargeContents("Latin-1 as UTF-8", "\u{3}\u{1}", "\u{E9}"),
        LargeContents("replaced characters", "\u{3}\0", "\u{FFFD}"),
    ]

    /// About `byteCount` bytes. Their number is that of a message of version 3, but for those that
    /// are missing.
    func bytes(_ byteCount: Int) -> Data {
        let total = byteCount / 32 * 32 + 2 - missingByteCount
        var data = Data(start.utf8)
        let block = Data(String(repeating: unit, count: 64 * 1024).utf8)
        while data.count < total - end.utf8.count {
            data += block.prefix(total - end.utf8.count - data.count)
        }
        return data + Data(end.utf8)
    }
}
