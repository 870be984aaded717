import CryptorFiles
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorCommand

/// What a terminal gets to see: text, progress, and nothing that it would choke on.
@Suite(.onItsOwnThread) struct TerminalOutputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn — “now”\n", to: "text")
        try place.write(Data([1, 2, 3, 0]), to: "binary")
        try place.write("harmless\u{1B}]0;not so harmless\u{7}", to: "escapes")
        try place.write(Data("harmless".utf8) + [0x9B] + Data("2J".utf8), to: "eight-bit-escapes")
        try place.write("one\nbad\u{1B}[31m\ntwo\n", to: "lines")
        try place.succeed(
            "$RNCRYPTOR encrypt --key-file key --suffix .rnc text binary escapes "
                + "eight-bit-escapes; "
                + "$RNCRYPTOR encrypt --lines --key-file key < lines "
                + "| sed '2a\\ \t\r ' > lines.rnc; "
                + "head -c 16777217 /dev/zero | tr '\\0' x > long; "
                + "$RNCRYPTOR encrypt --key-file key long > long.rnc")
    }

    /// Writes messages of version 0 as well.
    private func writeVersion0() throws {
        let keys = try MessageKeys(keyFile: place.directory.appendingPathComponent("key").path)
        let writer = Version0Writer(iv: Array(1...16))
        for name in ["text", "binary", "long"] {
            let plaintext = try Data(contentsOf: place.directory.appendingPathComponent(name))
            try place.write(Data(writer.message(of: plaintext, keys: keys)), to: "\(name).v0")
        }
    }

    private func run(_ script: String) throws -> (status: Int32, screen: String) {
        let terminal = try PseudoTerminal(script, in: place.directory)
        let status = terminal.finish()
        return (status, terminal.screen)
    }

    private static let binary = "rncryptor: error: The output is binary."
    private static let text = "attack at dawn — “now”\r\n"
    private static let noText = "rncryptor: error: The plaintext is not UTF-8 text"

    /// What is shown: how the command ends, and what the screen begins with.
    private static let cases: [(words: String, status: Int32, start: String)] = [
        ("encrypt --key-file key text", 64, binary + "\r\nrncryptor: hint: Write it to a file"),
        ("keygen", 0, "rncryptor: warning: The terminal shows the keys"),
        ("encrypt .", 66, "rncryptor: error: .: It is a directory."),
        ("encrypt --key-file key -o - text", 0, "\u{3}"),
        ("encrypt --base64 --key-file key text", 0, "Aw"),
        ("decrypt --key-file key text.rnc", 0, text),
        ("decrypt --key-file key binary.rnc", 64, noText),
        ("decrypt --key-file key eight-bit-escapes.rnc", 64, noText),
        ("decrypt --key-file key -o - escapes.rnc", 0, "harmless\u{1B}]0;"),
        ("decrypt --password-file password text.rnc", 65, "rncryptor: error: text.rnc: "),
        // A line that is not fit for a terminal is named and left empty, and the others are shown.
        ("decrypt --lines --key-file key < lines.rnc", 65, ""),
        (
            "decrypt --key-file key long.rnc", 64,
            "rncryptor: error: The plaintext is too long for a terminal."
        ),
        ("decrypt --accept v0 --key-file key text.v0", 0, text),
        ("decrypt --accept v0 --key-file key binary.v0", 64, noText),
        (
            "decrypt --accept v0 --key-file key long.v0", 64,
            "rncryptor: error: The plaintext is too long for a terminal."
        ),
        ("decrypt --accept v0 --key-file key < text.rnc", 0, text),
        // Whoever names the terminal wants what comes.
        ("decrypt --key-file key -o /dev/tty escapes.rnc", 0, "harmless\u{1B}]0;"),
    ]

    @Test(arguments: cases) func isShown(words: String, status: Int32, start: String) throws {
        if words.contains("v0") { try writeVersion0() }
        let run = try run("$RNCRYPTOR \(words)")
        #expect(run.status == status, "\(words): \(run.screen)")
        #expect(run.screen.hasPrefix(start), "\(words): \(run.screen)")
        #expect(!run.screen.contains("\u{1B}") || words.contains("-o "), "\(words): \(run.screen)")
        #expect(place.exists("text.rnc"))
        guard words.contains("--lines") else { return }
        for line in ["one\r\n\r\n \t\r \r\ntwo\r\n", "line 2: The plaintext is not UTF-8 text"] {
            #expect(run.screen.contains(line), "\(run.screen)")
        }
    }

    @Test(arguments: [
        "", "attack at dawn\n", "a\tb\n", "one\r\ntwo\r\n", "— “now” é 密碼 😀 \u{A0}",
        "e\u{301}\u{FEFF}שלום",
        "\u{7FF}\u{800}\u{FFFD}\u{10000}\u{D7FF}\u{E000}\u{10FFFF}",
    ])
    func harmlessTextPasses(text: String) {
        #expect(Array(text.utf8).isHarmlessText)
        // A part of a character, a return without a newline, and controls of either kind do not.
        for harm: [UInt8] in [
            [0x0D], [0x0D, 0x0D, 0x0A], [0x1B], [0x1F], [0x7F], [0x9B], [0xC2, 0x80], [0xC2, 0x9F],
            [0xE0, 0x80, 0x9B], [0xF0, 0x9F],
        ] {
            for after in ["", "harmless"] {
                #expect(!(text.utf8 + harm + Array(after.utf8)).isHarmlessText, "\(harm)")
            }
        }
    }

    /// No progress is shown where it would be in the middle of the output.
    @Test(arguments: ["decrypt", "decrypt -o -", "decrypt --progress", "encrypt --base64"])
    func noProgressAmongWhatIsShown(words: String) throws {
        try place.write(String(repeating: "attack at dawn\n", count: 30_000), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        let name = words.hasPrefix("decrypt") ? "message" : "plaintext"
        let (status, screen) = try run(
            "{ head -c 200000 \(name); sleep 0.8; tail -c +200001 \(name); } "
                + "| $RNCRYPTOR \(words) --key-file key")
        #expect(status == 0)
        #expect(!screen.contains("\u{1B}"), "\(words)")
        if name == "message" {
            #expect(screen == String(repeating: "attack at dawn\r\n", count: 30_000))
        }
    }

    /// A pipe that feeds the command for more than half a second.
    private static let slowInput =
        "{ head -c 200000 /dev/zero; sleep 0.7; head -c 200000 /dev/zero; sleep 0.3; "
        + "head -c 100000 /dev/zero; }"

    /// Progress is shown at a terminal, or where it is asked for, and goes away.
    @Test func progressIsShownAndGoesAway() throws {
        let (status, screen) = try run(
            "\(Self.slowInput) | $RNCRYPTOR encrypt --key-file key -o message")
        #expect(
            status == 0 && screen.contains("MiB/s") && screen.hasSuffix("\r\u{1B}[K"), "\(screen)")
        #expect(!screen.contains("file ") && !screen.contains(/\d\d\.\d MiB\/s/), "\(screen)")
        #expect(
            try run("\(Self.slowInput) | $RNCRYPTOR encrypt -q --key-file key -o quiet").screen
                .isEmpty)
        try place.succeed("\(Self.slowInput) | $RNCRYPTOR encrypt --key-file key -o unseen")
        let wanted = try place.shell(
            "\(Self.slowInput) | $RNCRYPTOR encrypt --progress --key-file key -o wanted")
        #expect(wanted.status == 0 && wanted.complaint.contains("MiB/s"), "\(wanted.complaint)")
        // While nothing comes, whatever is to come may be asking for a password.
        let late = try place.shell(
            "{ sleep 0.9; echo; } | $RNCRYPTOR encrypt --progress --key-file key -o late")
        #expect(late.status == 0 && late.complaint.isEmpty, "\(late.complaint)")
    }

    @Test func theMostThatIsShown() throws {
        let (status, screen) = try run(
            "head -c 16777216 long | $RNCRYPTOR encrypt -q --key-file key -o m; "
                + "$RNCRYPTOR decrypt --key-file key m")
        #expect(status == 0 && screen.utf8.count == 16_777_216)
    }

    /// What is in the background does not draw over what others show, and a narrow terminal does
    /// not break the line.
    @Test func progressKnowsItsPlace() throws {
        let job = "\(Self.slowInput) | $RNCRYPTOR encrypt --key-file key -o x"
        let background = try run("export RNCRYPTOR; bash -c 'set -m; { \(job); } & wait'")
        #expect(
            background.status == 0 && !background.screen.contains("MiB"), "\(background.screen)")
        let narrow = try run(
            "stty cols 12; \(Self.slowInput) | $RNCRYPTOR encrypt --key-file key -o y")
        let lines = narrow.screen.split(whereSeparator: \.isNewline)
        #expect(narrow.screen.contains("MiB"), "\(narrow.screen)")
        #expect(!narrow.screen.contains("MiB/s"), "\(narrow.screen)")
        #expect(lines.allSatisfy { $0.count < 12 + "\u{1B}[K".count }, "\(narrow.screen)")
    }

    @Test func helpIsBelowItsOptionInANarrowTerminal() throws {
        let (status, screen) = try run("stty cols 30; $RNCRYPTOR keygen --help")
        let expected = """
            -o, --output FILE
                Write to FILE instead of
                standard output. FILE must
            """
        let isThere = screen.replacing("\r\n", with: "\n").contains(expected)
        #expect(status == 0 && isThere, "\(screen)")
    }

    /// Somebody who types sees no message among what is typed.
    @Test func theMessageComesAfterWhatIsTyped() throws {
        let terminal = try PseudoTerminal(
            "{ { sleep 1; echo ready; } & $RNCRYPTOR encrypt --base64 --key-file key; }",
            in: place.directory)
        try terminal.wait(for: "ready\r\n")
        terminal.type("first\n")
        terminal.type("second\n\u{4}")
        #expect(terminal.finish() == 0)
        #expect(terminal.screen.contains(/first\r\nsecond\r\nAw[A-Za-z0-9+\/]{74}\r\n/))
    }

    /// The progress line is removed before something else is said, and not again after that.
    @Test func progressGivesWay() throws {
        try place.write(Data(count: 600_000), to: "plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --key-file key -o message plaintext; cp message damaged; "
                + "mkfifo slow")
        try place.succeed(try place.alteration(of: "damaged", at: 1000))
        let input =
            "{ head -c 300000; sleep 0.7; head -c 200000; sleep 0.2; cat; } < damaged > slow"
        let (status, screen) = try run(
            "{ { \(input); } & $RNCRYPTOR verify --key-file key message slow; }")
        #expect(status == 77, "\(screen)")
        let parts = screen.split(separator: "rncryptor: error: ", maxSplits: 1)
        try #require(parts.count == 2, "\(screen)")
        #expect(parts[0].hasSuffix("\r\u{1B}[K") && parts[0].contains("file 2 of 2, "), "\(screen)")
        #expect(!parts[1].contains("\u{1B}"), "\(screen)")
    }

    /// The line says which file it is, and the error after a signal which was not reached.
    @Test func progressOfSeveralFiles() throws {
        let outcome = try place.shell(
            """
            truncate -s 1G a; truncate -s 1T b; truncate -s 1G c
            $RNCRYPTOR encrypt --progress --key-file key --suffix .rnc a b c 2> shown & process=$!
            for round in $(seq 3000); do grep -q 'file 2' shown && break; sleep 0.1; done
            kill $process; wait $process
            """)
        #expect(outcome.status == 143, "\(outcome.complaint)")
        let shown = try place.text("cat shown")
        #expect(
            shown.contains(/file 2 of 3, 0%, [0-9.]+ MiB\/s, [1-9][0-9]{0,3}:[0-9][0-9] left/),
            "\(shown)")
        #expect(
            shown.contains("; to continue, repeat the command with --skip-existing."), "\(shown)")
    }

    /// Ctrl-D ends the input once, and what is typed after it is for other programs.
    @Test func whatIsTypedEnds() throws {
        let terminal = try PseudoTerminal(
            "$RNCRYPTOR encrypt -q --key-file key -o typed; echo status $?; read line; "
                + "$RNCRYPTOR decrypt --key-file key typed",
            in: place.directory)
        terminal.type("first\n\u{4}")
        try terminal.wait(for: "status 0")
        terminal.type("second\n")
        #expect(terminal.finish() == 0)
        #expect(
            try place.succeed("$RNCRYPTOR decrypt --key-file key typed") == Data("first\n".utf8))
    }
}
