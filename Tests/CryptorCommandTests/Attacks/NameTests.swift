import Foundation
import Testing

/// A name that somebody else has chosen leads to the file that has it, and forges nothing where it is shown.
@Suite struct NameTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    // MARK: Bytes

    /// `$name` is not UTF-8. `$other` is the name that a repair would make of it, and the command must not touch that
    /// file.
    private static let names = "name=$(printf 'f\\377'); other=$(printf 'f\\357\\277\\275');"

    /// Each command works on the file called `$name`, as the second script shows.
    @Test(arguments: [
        (
            "cp plaintext $name; $RNCRYPTOR encrypt --suffix .rnc --remove-source --key-file key $name",
            "! test -e $name && $RNCRYPTOR decrypt --key-file key $name.rnc | cmp - plaintext"
        ),
        (
            "cp message $name.rnc; $RNCRYPTOR decrypt --suffix .rnc --remove-source --key-file key $name.rnc",
            "! test -e $name.rnc && cmp $name plaintext"
        ),
        (
            "cp plaintext a; $RNCRYPTOR encrypt --suffix .$name --key-file key a",
            "$RNCRYPTOR decrypt --key-file key -o $name a.$name && cmp $name plaintext"
        ),
        (
            "cp plaintext $name; $RNCRYPTOR encrypt --key-file key $name > out",
            "$RNCRYPTOR decrypt --key-file key out | cmp - plaintext"
        ),
        ("$RNCRYPTOR encrypt --key-file key -o $name plaintext", "$RNCRYPTOR verify -q --key-file key $name"),
        ("$RNCRYPTOR encrypt --key-file key -o$name plaintext", "$RNCRYPTOR verify -q --key-file key $name"),
        ("$RNCRYPTOR encrypt --key-file key --output=$name plaintext", "$RNCRYPTOR verify -q --key-file key $name"),
        ("$RNCRYPTOR encrypt --key-file key --output $name -- plaintext", "$RNCRYPTOR verify -q --key-file key $name"),
        ("$RNCRYPTOR decrypt --key-file key -o $name message", "cmp $name plaintext"),
        ("$RNCRYPTOR decrypt --key-file key --force -o $name message", "cmp $name plaintext"),
        ("cp message $name; $RNCRYPTOR verify -q --key-file key $name", "cmp $name message"),
        ("cp message $name; $RNCRYPTOR inspect --json $name > out", "grep -q '\"version\":3' out"),
        (
            "cp message $name; $RNCRYPTOR rekey --key-file key --new-password-file password $name",
            "$RNCRYPTOR verify -q --password-file password $name"
        ),
        ("$RNCRYPTOR keygen -o $name", "test $(wc -c < $name) = 129"),
        ("cp key $name; $RNCRYPTOR verify -q --key-file $name message", "cmp $name key"),
        (
            "cp key $name; $RNCRYPTOR rekey --key-file $name --new-key-file $name -o out message",
            "$RNCRYPTOR verify -q --key-file key out"
        ),
        (
            "cp password $name; $RNCRYPTOR encrypt --password-file=$name -o out plaintext",
            "$RNCRYPTOR verify -q --password-file password out"
        ),
        (
            "env $name=secret $RNCRYPTOR encrypt --password-env $name -o out plaintext",
            "env PASSWORD=secret $RNCRYPTOR verify -q --password-env PASSWORD out"
        ),
    ])
    func theFileThatWasNamed(action: String, consequence: String) throws {
        try place.succeed("\(Self.names) echo untouched > $other; \(action)")
        try place.succeed("\(Self.names) \(consequence)")
        try place.succeed("\(Self.names) test \"$(cat $other)\" = untouched")
    }

    /// Values that must be text are refused if they are not UTF-8, and their bytes are shown.
    @Test(arguments: ["--jobs 1", "--accept v", "--password-fd 3", "--spool-limit 1"])
    func otherWordsAreText(option: String) throws {
        try place.fail(
            "$RNCRYPTOR decrypt message -o out \(option)$(printf '\\377')", 64,
            // A value that may be the password itself is not repeated.
            saying: option.hasPrefix("--password-fd") ? "takes the number" : "\\xff' is no UTF-8")
    }

    // MARK: Forgery

    /// Harmful words, as printf(1) writes them. The first one is harmless.
    private static let words = [
        "anything", "a\\nrncryptor: fake: authentic", "a: authentic, 14 bytes of plaintext",
        "a\\033[2J\\033]0;title\\007",
        "a\\302\\2332J", "a\\2332J", "a\\177\\010\\010", "a\\rfake", "a\\342\\200\\256cnr", "a\\342\\200\\250fake", " ",
        "a ",
    ]

    private static let commands = [
        "verify --key-file key \"$word\"", "verify --key-file key \"$word\" \"$word\"", "inspect \"$word\"",
        "inspect --json \"$word\" \"$word\"", "encrypt --key-file key --force -o \"$word\" \"$word\"",
        "encrypt --key-file key --suffix x --remove-source \"$word\" \"no$word\"",
        "decrypt --key-file key --suffix \"$word\" message",
        "decrypt --key-file key -o \"$word\" message", "decrypt --key-file \"$word\" message",
        "decrypt --password-file \"no$word\" message", "rekey --key-file key --new-key-file \"$word\" message",
        "keygen -o \"$word\"", "keygen -o \"nowhere/$word\"", "\"$word\"", "--\"$word\"", "encrypt --\"$word\"",
        "encrypt -\"$word\"", "encrypt -z\"$word\"", "encrypt --jobs \"$word\" -", "decrypt --accept \"$word\"",
        "decrypt --password-env \"$word\"", "decrypt --password-fd \"$word\"", "decrypt --spool-limit \"$word\"",
        "completions \"$word\"", "help \"$word\"", "encrypt --lines \"$word\"",
    ]

    /// Whatever the word is, the command prints as many lines as for a harmless one, and no control character.
    @Test(arguments: commands, [false, true]) func wordsForgeNothing(command: String, itIsAMessage: Bool) throws {
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
                    ![.control, .format, .lineSeparator].contains(scalar.properties.generalCategory),
                    "U+\(String(scalar.value, radix: 16)): \(what)")
            }
            #expect(!said.contains("\nrncryptor: fake") && !said.contains("\na: authentic"), "\(what)")
            // Hints depend on the word.
            let complaint = outcome.complaint.components(separatedBy: "\nrncryptor: hint: ")[0]
            let lineCounts = [outcome.output.split(separator: 10).count, complaint.split(separator: "\n").count]
            #expect(lineCounts == expected ?? lineCounts, "\(what)")
            expected = expected ?? lineCounts
        }
    }
}
