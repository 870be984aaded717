import Testing

@testable import CryptorCommand

/// The plaintext that a terminal gets, in chunks of every size.
@Suite struct TerminalTextTests {
    /// Passes `bytes` in chunks of `size`. Returns what comes out, and whether the text was complete.
    private func shown(_ bytes: [UInt8], inChunksOf size: Int) -> (output: [UInt8], isComplete: Bool) {
        var text = TerminalText()
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            guard let harmless = text.pass(Array(bytes[start..<min(start + size, bytes.count)])) else { break }
            output += harmless
        }
        return (output, text.isComplete)
    }

    @Test(arguments: [
        "", "attack at dawn\n", "a\tb\n", "one\r\ntwo\r\n", "— “now” é 密碼 😀 \u{A0}", "\u{7FF}\u{800}\u{FFFD}\u{10000}",
        "\u{D7FF}\u{E000}\u{10FFFF}", "e\u{301}\u{FEFF}שלום",
    ])
    func textPasses(text: String) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let (output, isComplete) = shown(bytes, inChunksOf: size)
            #expect(output == bytes && isComplete, "\(text.debugDescription) in chunks of \(size)")
        }
    }

    /// What is harmful, or no UTF-8, is stopped however it is cut.
    @Test(
        arguments: [
            [0x0D], [0x0D, 0x0D, 0x0A], [0x1B], [0x9B], [0xC2, 0x9B], [0xE0, 0x80, 0x9B], [0xED, 0xA0, 0x80],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x9B, 0x1B],
        ] as [[UInt8]])
    func anythingElseIsStopped(harm: [UInt8]) {
        for after in ["", "harmless"] {
            let bytes = Array("harmless é".utf8) + harm + Array(after.utf8)
            for size in 1...bytes.count {
                let (output, isComplete) = shown(bytes, inChunksOf: size)
                #expect(!isComplete, "\(bytes) in chunks of \(size)")
                #expect(Array("harmless é".utf8).starts(with: output), "\(bytes) in chunks of \(size): \(output)")
            }
        }
    }

    // MARK: Borders of all ranges: a terminal gets the bytes that Swift considers UTF-8 without control characters

    private static let borders: [UInt8] = [
        0x20, 0x7E, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF,
    ]
    private static let ends: [UInt8] = [0x20, 0x7F, 0x80, 0xBF, 0xC0]

    private func isHarmless(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
        }
    }

    @Test(arguments: UInt8.min...UInt8.max) func characters(first: UInt8) {
        var wrong: [[UInt8]] = []
        func check(_ bytes: [UInt8]) {
            if TerminalText.isHarmless(bytes) != isHarmless(bytes) { wrong.append(bytes) }
        }
        check([first])
        for second in Self.borders {
            check([first, second])
            for third in Self.ends {
                check([first, second, third])
                for fourth in Self.ends { check([first, second, third, fourth]) }
            }
        }
        #expect(wrong.isEmpty, "taken for the other: \(wrong)")
    }
}
