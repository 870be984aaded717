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

    /// A byte or a character that no terminal may get is stopped, wherever it is and however it is cut.
    @Test(
        arguments: [
            // Control characters: C0, DEL, and C1 as bytes and as UTF-8.
            [0x00], [0x07], [0x08], [0x0B], [0x0C], [0x0D], [0x0D, 0x0D, 0x0A], [0x1B], [0x1F], [0x7F],
            [0x80], [0x9B], [0x9F], [0xC2, 0x80], [0xC2, 0x9B], [0xC2, 0x9F],
            // Not UTF-8: overlong forms, surrogates, beyond the last character, parts of a character.
            [0xC0, 0x8A], [0xC1, 0xBF], [0xE0, 0x80, 0x9B], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x82, 0x9B],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xA0], [0xC3], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x9B, 0x1B],
        ] as [[UInt8]])
    func anythingElseIsStopped(harm: [UInt8]) {
        for before in ["", "harmless é"] {
            for after in ["", "harmless"] {
                let bytes = Array(before.utf8) + harm + Array(after.utf8)
                for size in 1...bytes.count {
                    let (output, isComplete) = shown(bytes, inChunksOf: size)
                    #expect(!isComplete, "\(bytes) in chunks of \(size)")
                    #expect(Array(before.utf8).starts(with: output), "\(bytes) in chunks of \(size): \(output)")
                }
            }
        }
    }

    @Test func nothingFollowsWhatWasStopped() {
        var text = TerminalText()
        #expect(text.pass([0x61, 0x1B]) == nil)
        #expect(text.pass([0x61]) == nil)
        #expect(!text.isComplete)
    }
}
