import Foundation
import CryptorTestSupport
import Testing

/// A name that somebody else has chosen forges nothing where it is shown.
@Suite(.onItsOwnThread) struct NameTests {
    private let place: Workplace

    init() throws { place = try Workplace(plaintext: "attack at dawn") }

    /// Harmful words, as printf(1) writes them. The first one is harmless.
    private static let words = [
        "anything", "a\\nrncryptor: fake: authentic", "a: authentic, 14 bytes of plaintext",
        "a\\033[2J\\033]0;title\\007", "a\\302\\2332J", "a\\2332J", "a\\177\\010\\010", "a\\rfake",
        " ", "a ",
        "a\\342\\200\\256cnr", "a\\342\\200\\250fake",
    ]

    private static let commands = [
        "verify --key-file key \"$word\"", "verify --key-file key \"$word\" \"$word\"",
        "inspect \"$word\"",
        "inspect \"$word\" \"$word\"", "encrypt --key-file key --force -o \"$word\" \"$word\"",
        "encrypt --key-file key --suffix x --remove-source \"$word\" \"no$word\"",
        "decrypt --key-file key --suffix \"$word\" message",
        "encrypt --key-file key --output-dir \"$word\" \"no$word\"",
        "decrypt --key-file key -o \"$word\" message", "decrypt --key-file \"$word\" message",
        "decrypt --password-file \"no$word\" message",
        "rekey --key-file key --new-key-file \"$word\" message",
        "keygen -o \"$word\"", "keygen -o \"nowhere/$word\"", "\"$word\"", "--\"$word\"",
        "encrypt --\"$word\"",
        "encrypt -\"$word\"", "encrypt -z\"$word\"", "decrypt --accept \"$word\"",
        "decrypt --password-env \"$word\"", "decrypt --password-fd \"$word\"",
        "decrypt --spool-limit \"$word\"",
        "help \"$word\"", "encrypt --lines --key-file key \"no$word\"",
        "decrypt --lines --key-file key -f -o \"$word\" message",
    ]

    /// Whatever the word is, the command prints as many lines as for a harmless one, and no control
    /// character.
    @Test(arguments: commands, [false, true]) func wordsForgeNothing(
        command: String, itIsAMessage: Bool
    ) throws {
        var expected: [Int]?
        for word in Self.words {
            let outcome = try place.shell(
                """
                word=$(printf '\(word)')
                \(itIsAMessage ? "cp message \"$word\"" : ":")
                $RNCRYPTOR \(command) < /dev/null
                rm -f -- "$word" "$word"x nowhere/*
                """)
            let what = "\(command), \(word): \(outcome.complaint)"
            let said = String(decoding: outcome.output, as: UTF8.self) + outcome.complaint
            #expect(String(validating: outcome.output, as: UTF8.self) != nil, "\(what)")
            #expect(!outcome.complaint.contains("\u{FFFD}"), "\(what)")
            for scalar in said.unicodeScalars where scalar != "\n" {
                #expect(
                    ![.control, .format, .lineSeparator].contains(
                        scalar.properties.generalCategory),
                    "U+\(String(scalar.value, radix: 16)): \(what)")
            }
            #expect(
                !said.contains("\nrncryptor: fake") && !said.contains("\na: authentic"), "\(what)")
            // Hints depend on the word.
            let complaint = outcome.complaint.components(separatedBy: "\nrncryptor: hint: ")[0]
            let lineCounts = [
                outcome.output.split(separator: 10).count, complaint.split(separator: "\n").count,
            ]
            #expect(lineCounts == expected ?? lineCounts, "\(what)")
            expected = expected ?? lineCounts
        }
    }
}
