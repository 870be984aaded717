import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// How people are shown the names of files: in one line, which stands for one file only.
@Suite struct FileNameTests {
    private func shown(_ bytes: [UInt8]) -> String { FileEndpoint.pathBytes(bytes).description }

    @Test(arguments: [
        "letters.rnc", "/srv/a b/c-d_e.f", "Überraschung.txt", "密碼.txt", "😀", "e\u{301}", "a:b",
        "a :b", "$HOME",
        "~", "-", "a  b", "(1)", "x=1;y", "*?[", "a\u{2014}b",
    ])
    func plainNames(name: String) {
        #expect(shown(Array(name.utf8)) == name)
    }

    @Test(arguments: [
        ("", #"$''"#), (" ", #"$' '"#), (" a", #"$' a'"#), ("a ", #"$'a '"#), ("a: b", #"$'a: b'"#),
        ("it's", #"$'it\'s'"#), (#"a"b"#, #"$'a"b'"#), (#"a\b"#, #"$'a\\b'"#),
        (#"$'a'"#, #"$'$\'a\''"#),
        ("a\nfake: authentic", #"$'a\nfake: authentic'"#), ("a\rb", #"$'a\rb'"#),
        ("a\tb", #"$'a\tb'"#),
        ("\u{1b}[31m", #"$'\x1b[31m'"#), ("\u{7}", #"$'\x07'"#), ("\u{7f}", #"$'\x7f'"#),
        ("\0", #"$'\x00'"#),
        // Characters of two bytes: control sequence introducer, next line, and no-break space.
        ("\u{9b}31m", #"$'\xc2\x9b31m'"#), ("\u{85}", #"$'\xc2\x85'"#), ("\u{a0}", #"$'\xc2\xa0'"#),
        // A right-to-left override, an isolate, a space without width, the byte order mark, and a
        // tag.
        ("a\u{202e}b", #"$'a\xe2\x80\xaeb'"#), ("a\u{2066}b", #"$'a\xe2\x81\xa6b'"#),
        ("a\u{200b}b", #"$'a\xe2\x80\x8bb'"#), ("\u{feff}a", #"$'\xef\xbb\xbfa'"#),
        ("\u{e0041}", #"$'\xf3\xa0\x81\x81'"#),
        // Line and paragraph separators.
        ("a\u{2028}b", #"$'a\xe2\x80\xa8b'"#), ("a\u{2029}b", #"$'a\xe2\x80\xa9b'"#),
        // A blank, a filler, a variation selector; a colon, and a space under a combining mark.
        ("a\u{2800}", #"$'a\xe2\xa0\x80'"#), ("a\u{3164}b", #"$'a\xe3\x85\xa4b'"#),
        ("a\u{fe0f}", #"$'a\xef\xb8\x8f'"#), ("a: \u{301}b", #"$'a: \#u{301}b'"#),
        // The names of standard input and other descriptors; a private-use and an unassigned
        // character.
        ("standard input", #"$'standard input'"#), ("file descriptor 3", #"$'file descriptor 3'"#),
        ("\u{e000}", #"$'\xee\x80\x80'"#), ("\u{378}", #"$'\xcd\xb8'"#),
    ])
    func quotedNames(name: String, expected: String) {
        #expect(shown(Array(name.utf8)) == expected)
    }

    @Test(
        arguments: [
            ([0xff], #"$'\xff'"#), ([0x66, 0xff], #"$'f\xff'"#),
            ([0x9b, 0x33, 0x31, 0x6d], #"$'\x9b31m'"#),
            // A sequence cut short, an overlong one, half of a surrogate pair, and one beyond
            // U+10FFFF.
            ([0xe5, 0xaf, 0x61], #"$'\xe5\xafa'"#), ([0xc0, 0x8a], #"$'\xc0\x8a'"#),
            ([0xed, 0xa0, 0x80], #"$'\xed\xa0\x80'"#),
            ([0xf4, 0x90, 0x80, 0x80], #"$'\xf4\x90\x80\x80'"#),
            ([0xff, 0xc3, 0xa9, 0x0a], #"$'\xffé\n'"#),
        ] as [([UInt8], String)])
    func bytesThatAreNoText(bytes: [UInt8], expected: String) {
        #expect(shown(bytes) == expected)
    }

    /// Whether a terminal might do more than show the character.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || 0x7f...0x9f ~= scalar.value || scalar.value == 0xfffd
            || [.format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
    }

    /// A name can be told from what follows it, and from every other name. A shell reads a quoted
    /// name as the bytes of the name, in a locale of single bytes and in one of UTF-8.
    @Test func randomNames() throws {
        var generator = SeededGenerator()
        // Bytes that often have a meaning, and any bytes.
        let special = Array("\\'\"\n\r\t \u{1b}x0aAf:$\u{9b}é\u{202e}密".utf8) + [0xff, 0x9b, 0x80]
        let anything = Array(1...255 as ClosedRange<UInt8>)
        var names: [[UInt8]] = [Array("\u{1b}a1".utf8), [0xff, 0x41], [0x1b, 0x5c, 0x27]]
        for index in 0..<2000 {
            let bytes = index % 2 == 0 ? special : anything
            names.append(
                try (0...index % 12).map { _ in try #require(bytes.randomElement(using: &generator))
                })
        }
        var seen: [String: [UInt8]] = [:]
        for name in names {
            let shown = shown(name)
            let comment: Comment = "\(name), \(generator)"
            #expect(seen.updateValue(name, forKey: shown).map { $0 == name } ?? true, comment)
            #expect(shown.unicodeScalars.allSatisfy { !Self.isDangerous($0) }, comment)
            #expect(!shown.contains(": ") || shown.hasPrefix("$'"), comment)
        }
        let quoted = names.map { ($0, shown($0)) }.filter { $1.hasPrefix("$'") }
        try #require(quoted.count > 500)
        let directory = try TemporaryDirectory()
        try directory.write(
            Array(quoted.map { #"printf '%s\0' \#($1)"# }.joined(separator: "\n").utf8),
            to: "script")
        for locale in ["C", "C.UTF-8"] {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["LC_ALL=\(locale)", "bash", directory.path("script")]
            process.standardOutput = output
            try process.run()
            let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
            process.waitUntilExit()
            let found = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            try #require(found.count == quoted.count, "\(locale), \(generator)")
            for ((name, shown), found) in zip(quoted, found) {
                #expect(Array(found) == name, "\(shown), \(locale), \(generator)")
            }
        }
    }
}
