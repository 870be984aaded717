import Testing

@testable import CryptorCommand

/// Which names of outputs some file system takes for one.
@Suite struct OutputNamesTests {
    @Test(arguments: [
        ("A", "a"), ("\u{E9}", "e\u{301}"), ("\u{3A3}", "\u{3C2}"), ("stra\u{DF}e", "STRASSE"),
        ("a\u{AD}b", "ab"), ("a\u{200D}b", "AB"), ("\u{212A}", "k"),
    ])
    func areOne(first: String, second: String) {
        var names = OutputNames()
        #expect(names.add(Array("d/\(first)".utf8)) == nil)
        #expect(names.add(Array("d/\(first)".utf8)) == nil, "an output is no other than itself")
        #expect(names.add(Array("d/\(second)".utf8)) == Array("d/\(first)".utf8))
        #expect(names.add(Array("e/\(second)".utf8)) == nil)
    }

    @Test(
        arguments: [
            ([0xE8], [0xE9]), ([0xE8], [0xC3, 0xA8]), ([0x61, 0xFF], [0x41, 0xFF]),
            ([0x61], [0x62]),
        ] as [([UInt8], [UInt8])])
    func areTwo(first: [UInt8], second: [UInt8]) {
        var names = OutputNames()
        #expect(names.add(first) == nil && names.add(second) == nil)
    }
}
