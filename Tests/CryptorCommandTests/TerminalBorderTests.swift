import Testing

@testable import CryptorCommand

/// At the borders of all ranges, a terminal gets exactly the bytes that Swift considers UTF-8 without control
/// characters.
@Suite struct TerminalBorderTests {
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
