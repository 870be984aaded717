import Foundation
import Testing

/// What a terminal gets to see: text, progress, and nothing that it would choke on.
@Suite struct TerminalOutputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private func run(_ script: String) throws -> (status: Int32, screen: String) {
        let terminal = try PseudoTerminal(script, in: place.folder)
        let status = terminal.finish()
        return (status, terminal.screen)
    }

    @Test func aMessageIsRefused() throws {
        try place.write("attack at dawn", to: "plaintext")
        let (status, screen) = try run("$RNCRYPTOR encrypt --key-file key plaintext")
        #expect(status == 64)
        #expect(screen.contains("error: The output is binary."))
        #expect(screen.contains("hint: Write it to a file with --output, or use --output - to print it anyway."))
        #expect(try run("$RNCRYPTOR encrypt --key-file key -o - plaintext").status == 0)
        let base64 = try run("$RNCRYPTOR encrypt --base64 --key-file key plaintext")
        #expect(base64.status == 0)
        #expect(
            base64.screen.hasPrefix("AwA") || base64.screen.hasPrefix("AwB") || base64.screen.hasPrefix("AwC")
                || base64.screen.hasPrefix("AwD"), "\(base64.screen)")
    }

    @Test func textIsShownAndOtherPlaintextIsNot() throws {
        try place.write("attack at dawn — “now”\n", to: "text")
        try place.write(Data([1, 2, 3, 0]), to: "binary")
        try place.write("harmless\u{1B}]0;not so harmless\u{7}", to: "escapes")
        try place.write(Data("harmless".utf8) + [0x9B] + Data("2J".utf8), to: "eight-bit-escapes")
        try place.write("harmless\u{9B}2J", to: "long-escapes")
        let harmful = ["binary", "escapes", "eight-bit-escapes", "long-escapes"]
        for name in ["text"] + harmful {
            try place.succeed("$RNCRYPTOR encrypt --key-file key -o \(name).rnc \(name)")
        }
        let text = try run("$RNCRYPTOR decrypt --key-file key text.rnc")
        #expect(text.status == 0)
        #expect(text.screen == "attack at dawn — “now”\r\n")
        for name in harmful {
            let (status, screen) = try run("$RNCRYPTOR decrypt --key-file key \(name).rnc")
            #expect(status == 64)
            #expect(screen.hasPrefix("rncryptor: error: The plaintext is not plain text"), "\(screen)")
        }
        #expect(try run("$RNCRYPTOR decrypt --key-file key -o - escapes.rnc").screen.hasPrefix("harmless\u{1B}]0;"))
        let wrong = try run("$RNCRYPTOR decrypt --password-file password text.rnc")
        #expect(wrong.status == 65)
    }

    /// Names of the terminal other than standard output's.
    private static let names = ["/dev/stdout", "/dev/tty", "link"]

    /// The terminal is protected however it is named, and whatever writes to it.
    @Test(arguments: names) func theTerminalUnderAnotherName(name: String) throws {
        try place.write("attack at dawn — “now”\n", to: "text")
        try place.write("harmless\u{1B}]0;not so harmless\u{7}", to: "escapes")
        for plaintext in ["text", "escapes"] {
            try place.succeed("$RNCRYPTOR encrypt --key-file key -o \(plaintext).rnc \(plaintext)")
        }
        func run(_ words: String) throws -> (status: Int32, screen: String) {
            try self.run("ln -sf $(tty) link; $RNCRYPTOR \(words)")
        }
        let text = try run("decrypt --key-file key -o \(name) text.rnc")
        #expect(text.status == 0, "\(text.screen)")
        #expect(text.screen == "attack at dawn — “now”\r\n")
        for words in ["", "-f"] {
            let (status, screen) = try run("decrypt \(words) --key-file key -o \(name) escapes.rnc")
            #expect(status == 64, "\(words): \(screen)")
            #expect(!screen.contains("\u{1B}") && screen.contains("The plaintext is not plain text"), "\(screen)")
        }
        for words in [
            "encrypt --key-file key -o \(name) text", "encrypt -f --key-file key -o \(name) text",
            "rekey --key-file key --new-key-file key -o \(name) text.rnc",
        ] {
            let (status, screen) = try run(words)
            #expect(status == 64, "\(words)")
            #expect(screen.hasPrefix("rncryptor: error: The output is binary."), "\(words): \(screen)")
        }
        #expect(try run("encrypt --base64 --key-file key -o \(name) text").status == 0)
        let removal = try run("decrypt --remove-source --key-file key -o \(name) text.rnc")
        #expect(removal.status == 64 && place.exists("text.rnc"), "\(removal.screen)")
    }

    /// A line that is not fit for a terminal is named, and the others are shown.
    @Test func linesThatAreNoPlainText() throws {
        try place.write("one\nbad\u{1B}[31m\ntwo\n", to: "lines")
        try place.succeed("$RNCRYPTOR encrypt --lines --key-file key < lines > messages")
        let (status, screen) = try run("$RNCRYPTOR decrypt --lines --key-file key < messages")
        #expect(status == 65, "\(screen)")
        #expect(screen.contains("one\r\n") && screen.contains("two\r\n"), "\(screen)")
        #expect(screen.contains("line 2: The plaintext is not plain text") && !screen.contains("\u{1B}"), "\(screen)")
    }

    /// No progress is shown where it would be in the middle of the output.
    @Test(arguments: [
        "decrypt", "decrypt -o -", "decrypt -o /dev/tty", "decrypt --progress", "encrypt --base64",
    ])
    func noProgressAmongWhatIsShown(words: String) throws {
        try place.write(String(repeating: "attack at dawn\n", count: 30_000), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        let name = words.hasPrefix("decrypt") ? "message" : "plaintext"
        let (status, screen) = try run(
            "{ head -c 200000 \(name); sleep 0.8; tail -c +200001 \(name); } | $RNCRYPTOR \(words) --key-file key")
        #expect(status == 0)
        #expect(!screen.contains("\u{1B}"), "\(words)")
        if name == "message" { #expect(screen == String(repeating: "attack at dawn\r\n", count: 30_000)) }
    }

    /// A pipe that feeds the command for more than half a second.
    private let slowInput =
        "{ head -c 200000 /dev/zero; sleep 0.7; head -c 200000 /dev/zero; sleep 0.3; head -c 100000 /dev/zero; }"

    @Test func progressIsShownAndGoesAway() throws {
        let (status, screen) = try run("\(slowInput) | $RNCRYPTOR encrypt --key-file key -o message")
        #expect(status == 0)
        #expect(screen.contains("KiB/s"), "\(screen)")
        #expect(screen.hasSuffix("\r\u{1B}[K"), "\(screen)")
        try place.succeed("truncate -s 1536M large")
        let large = try run("$RNCRYPTOR encrypt --key-file key -o /dev/null large")
        #expect(large.status == 0)
        #expect(
            large.screen.contains(" %, ") && large.screen.contains("/s, 0:0") && large.screen.contains(" left"),
            "\(large.screen)")
        #expect(large.screen.hasSuffix("\r\u{1B}[K"), "\(large.screen)")
    }

    /// The progress line is removed before something else is said, and not again after that.
    @Test func progressGivesWay() throws {
        try place.write(Data(count: 600_000), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext; cp message damaged; mkfifo slow")
        try place.succeed(try place.alteration(of: "damaged", at: 1000))
        let input = "{ head -c 300000; sleep 0.7; head -c 200000; sleep 0.2; cat; } < damaged > slow"
        let (status, screen) = try run("{ { \(input); } & $RNCRYPTOR verify --key-file key message slow; }")
        #expect(status == 77, "\(screen)")
        let parts = screen.split(separator: "rncryptor: error: ", maxSplits: 1)
        try #require(parts.count == 2, "\(screen)")
        #expect(parts[0].hasSuffix("\r\u{1B}[K"), "\(screen)")
        #expect(!parts[1].contains("\u{1B}"), "\(screen)")
    }

    @Test(arguments: ["--quiet", "-q"])
    func progressIsNotWanted(option: String) throws {
        #expect(try run("\(slowInput) | $RNCRYPTOR encrypt \(option) --key-file key -o message").screen.isEmpty)
    }

    @Test func progressWithoutATerminal() throws {
        let command = "\(slowInput) | $RNCRYPTOR encrypt --key-file key -o"
        try place.succeed("\(command) a")
        #expect(try place.shell("\(command) b --progress").complaint.contains("KiB/s"))
        try place.fail("$RNCRYPTOR encrypt --progress --quiet --key-file key key", 64, saying: "exclude each other")
    }

    /// The line says which file it is, and the error after a signal which was not reached.
    @Test func progressOfSeveralFiles() throws {
        let outcome = try place.shell(
            """
            truncate -s 1G a; truncate -s 1T b; truncate -s 1G c
            $RNCRYPTOR encrypt --progress --key-file key --suffix .rnc a b c 2> shown & process=$!
            for round in $(seq 3000); do grep -q 'file 2' shown && break; sleep 0.1; done; kill $process; wait $process
            """)
        #expect(outcome.status == 143, "\(outcome.complaint)")
        let shown = String(decoding: try place.read("shown"), as: UTF8.self)
        #expect(shown.contains(/file 2 of 3, 0 %, [0-9.]+ [KMG]iB\/s, [1-9][0-9]*:[0-9][0-9] left/), "\(shown)")
        #expect(shown.contains("; b is the first that was not reached."), "\(shown)")
    }

    /// Ctrl-D ends the input once, and what is typed after it is for other programs.
    @Test func whatIsTypedEnds() throws {
        let terminal = try PseudoTerminal(
            "$RNCRYPTOR encrypt -q --key-file key -o typed; echo status $?; read line; $RNCRYPTOR decrypt --key-file key typed",
            in: place.folder)
        terminal.type("first\n\u{4}")
        try terminal.wait(for: "status 0")
        terminal.type("second\n")
        #expect(terminal.finish() == 0)
        #expect(try place.succeed("$RNCRYPTOR decrypt --key-file key typed") == Data("first\n".utf8))
    }
}
