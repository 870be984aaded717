import Testing

@testable import CryptorCommand

/// The plaintext that a terminal gets.
@Suite struct TerminalTextTests {
    @Test(arguments: [
        "", "attack at dawn\n", "a\tb\n", "one\r\ntwo\r\n", "— “now” é 密碼 😀 \u{A0}", "e\u{301}\u{FEFF}שלום",
        "\u{7FF}\u{800}\u{FFFD}\u{10000}\u{D7FF}\u{E000}\u{10FFFF}",
    ])
    func harmlessTextPasses(text: String) {
        #expect(TerminalText.isHarmless(Array(text.utf8)))
        // A part of a character, a return without a newline, and controls of either kind do not.
        for harm: [UInt8] in [
            [0x0D], [0x0D, 0x0D, 0x0A], [0x1B], [0x9B], [0xC2, 0x9B], [0xE0, 0x80, 0x9B], [0xF0, 0x9F],
        ] {
            for after in ["", "harmless"] {
                #expect(!TerminalText.isHarmless(text.utf8 + harm + Array(after.utf8)), "\(harm)")
            }
        }
    }

    /// A terminal gets the bytes that Swift considers UTF-8 without control characters, at the borders of all ranges.
    @Test(arguments: UInt8.min...UInt8.max) func characters(first: UInt8) {
        let borders: [UInt8] = [0x20, 0x7E, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        let ends: [UInt8] = [0x20, 0x7F, 0x80, 0xBF, 0xC0]
        for bytes in borders.flatMap({ second in
            [[first], [first, second]]
                + ends.flatMap { third in
                    [[first, second, third]] + ends.map { [first, second, third, $0] }
                }
        }) {
            let isHarmless = String(validating: bytes, as: UTF8.self).map {
                $0.unicodeScalars.allSatisfy {
                    $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
                }
            }
            #expect(TerminalText.isHarmless(bytes) == (isHarmless ?? false), "\(bytes)")
        }
    }
}
