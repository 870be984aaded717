import Testing

@testable import CryptorCommand

/// Strings of JSON. `Scripts/lines-json.txt` compares them with Python's.
@Suite struct JSONStringTests {
    private static let scalars = (0...0x10FFFF).compactMap(Unicode.Scalar.init)

    /// Texts that have all scalars between them. Their lengths differ, so that each kind of
    /// character is at each place of the eight bytes that are looked at together.
    private static var texts: [[UInt8]] {
        stride(from: 0, to: scalars.count, by: 61).map { start in
            scalars[start...].prefix(61).flatMap { Array($0.utf8) }
        }
    }

    private func read(_ string: [UInt8]) throws -> [UInt8] {
        let (bytes, range) = try JSONString.text(in: string, string.indices)
        return Array(bytes[range])
    }

    @Test func everyScalarMakesTheRoundTrip() throws {
        #expect(Self.scalars.count == 1_112_064)
        for text in Self.texts {
            var string: [UInt8] = []
            try JSONString.append(text, to: &string)
            #expect(try read(string) == text)
            let hasControls = String(decoding: string, as: UTF8.self).unicodeScalars.contains {
                $0.properties.generalCategory == .control
            }
            #expect(!hasControls, "\(text)")
        }
    }

    @Test func everyScalarIsReadFromItsEscape() throws {
        for start in stride(from: 0, to: Self.scalars.count, by: 997) {
            let text = String(String.UnicodeScalarView(Self.scalars[start...].prefix(997)))
            let units = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            #expect(try read(Array("\"\(units.joined())\"".utf8)) == Array(text.utf8))
        }
    }

    @Test func halfASurrogatePairFails() {
        for unit in 0xD800...0xDFFF {
            let half = "\\u" + String(unit, radix: 16)
            var strings = [half, "a\(half)a", "\(half)\\n", "\(half)\\u0041"]
            if unit >= 0xDC00 {
                strings.append("\(half)\\udc00")
            } else {
                strings.append(half + half)
            }
            for string in strings {
                #expect(throws: JSONString.Failure.halfPair, "\(string)") {
                    try read(Array("\"\(string)\"".utf8))
                }
            }
        }
    }

    @Test(arguments: [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
    ])
    func whatIsNoUTF8Fails(bytes: [UInt8]) {
        for before in ["", "abcdefgh", "é"] {
            let text = Array(before.utf8) + bytes
            var output: [UInt8] = [1]
            #expect(throws: JSONString.Failure.notUTF8) {
                try JSONString.append(text, to: &output)
            }
            #expect(output == [1])
            #expect(throws: JSONString.Failure.notUTF8) {
                try read(Array("\"".utf8) + text + Array("\"".utf8))
            }
        }
    }
}
