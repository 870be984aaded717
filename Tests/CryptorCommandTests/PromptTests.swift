import Foundation
import CryptorTestSupport
import Testing

/// The password prompt, with a terminal and somebody typing.
@Suite(.onItsOwnThread) struct PromptTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        try place.succeed("cp message plaintext.rnc")
    }

    private static let (password, new) = ("correct horse battery staple\n", "open sesame\n")
    private static let tooLong = String(repeating: "a", count: 4095) + "XYZ\n"
    private static let manyParts = String(
        repeating: String(repeating: "b", count: 4000) + "\u{4}", count: 2)

    /// What is typed, the exit status, and a sentence. An existing password is asked for once, and
    /// a new one twice.
    @Test(
        arguments: [
            ("decrypt message -o out", [password], 0, ""),
            ("verify message", [password], 0, "message: authentic"),
            ("decrypt --lines < /dev/null", [password], 0, ""),
            ("encrypt -o out plaintext", [password, password], 0, ""),
            ("encrypt --lines < /dev/null", [password, password], 0, ""),
            (
                "rekey message && $RNCRYPTOR verify --password-env NEW message",
                [password, new, new], 0, "authentic"
            ),
            // An output that exists is looked at before anything is asked.
            ("encrypt --suffix .rnc --skip-existing plaintext", [], 0, ""),
            // A wrong password ends the run.
            ("decrypt message", ["mistyped\n"], 77, "message: "),
            ("rekey message", ["mistyped\n"], 77, "If it already opens with the new password"),
            (
                "encrypt --iterations 9999 -o out plaintext", [], 64,
                "--iterations needs 10000 or more for new messages"
            ),
            (
                "rekey --new-iterations 100 message", [], 64,
                "--new-iterations needs 10000 or more for new messages"
            ),
            ("decrypt --iterations 10000001 message", [], 64, "must be from 1 to 10000000"),
            ("decrypt .", [], 66, ".: It is a directory."),
            ("decrypt -o out plaintext", [], 65, "plaintext: This is not an RNCryptor message"),
            ("verify plaintext", [], 65, "plaintext: This is not an RNCryptor message"),
            ("decrypt -f -o . message", [], 73, ".: It is a directory."),
            ("encrypt -o out plaintext", [password, new], 64, "the two passwords differ"),
            // Ctrl-D before anything is typed ends the run: it is no wish for a password that is
            // generated.
            ("encrypt -o out plaintext", ["\u{4}"], 64, "No password was entered"),
            ("decrypt message", ["\n"], 64, "No password was entered"),
            ("decrypt message", ["\u{4}"], 64, "No password was entered"),
            (
                "encrypt -o out plaintext", ["eleven byte\n", "eleven byte\n"], 0,
                "The password is short"
            ),
            ("encrypt -o out plaintext", ["twelve bytes\n", "twelve bytes\n"], 0, ""),
            ("diagnose message", [password], 1, "It opens as it is"),
            // A terminal drops the end of a line that is too long and says nothing, so two
            // passwords that differ there would be the same. Ctrl-D passes on a part of a line.
            ("encrypt -o out plaintext", [tooLong], 65, "too long to type at a terminal"),
            ("encrypt -o out plaintext", ["many parts"], 65, "too long to type at a terminal"),
        ] as [(String, [String], Int32, String)])
    func asks(words: String, typed: [String], status: Int32, sentence: String) throws {
        let before = try place.names()
        let terminal = try PseudoTerminal(
            "export NEW='open sesame'; $RNCRYPTOR \(words)", in: place.directory)
        let isNew = words.hasPrefix("encrypt")
        let prompts =
            [isNew ? "Password (leave empty to generate one): " : "Password: "]
            + (words.hasPrefix("rekey") ? ["New password (leave empty to generate one): "] : [])
            + ["Repeat the password: "]
        for (prompt, line) in zip(prompts, typed) {
            try terminal.wait(for: prompt)
            #expect(!terminal.echoes)
            terminal.type(line == "many parts" ? Self.manyParts : line)
        }
        #expect(terminal.finish() == status, "\(words): \(terminal.everything)")
        #expect(
            sentence.isEmpty || terminal.everything.contains(sentence),
            "\(words): \(terminal.everything)")
        #expect(!terminal.screen.contains("assword: "), "\(words): \(terminal.everything)")
        let isShort = typed.contains("eleven byte\n") || typed.last == Self.new && status == 0
        #expect(
            terminal.everything.contains("The password is short") == isShort,
            "\(terminal.everything)")
        for line in typed where line.count > 1 {
            #expect(
                !terminal.everything.contains(line.dropLast()), "\(words): \(terminal.everything)")
        }
        #expect(try status == 0 || place.names() == before, "\(words)")
    }

    /// Whoever types no new password gets one, which is shown, and opens the message.
    @Test(arguments: ["encrypt -o out plaintext", "rekey --password-file password -o out message"])
    func makesOne(words: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.directory)
        try terminal.wait(for: "(leave empty to generate one): ")
        terminal.type("\n")
        try terminal.wait(for: "Save it, then press Return: ")
        terminal.type("\n")
        #expect(terminal.finish() == 0, "\(terminal.everything)")
        let shown = try #require(
            terminal.everything.firstMatch(of: /The password is ([0-9a-z-]{35})/))
        try place.succeed("GIVEN=\(shown.1) $RNCRYPTOR verify --password-env GIVEN out")
    }

    /// Outputs that exist are compared with their sources, and no made password opens them.
    @Test(arguments: [("\n", 64), (Self.password, 0)] as [(String, Int32)])
    func comparesOutputsThatExist(typed: String, status: Int32) throws {
        try place.write("attack at noon", to: "unfinished")
        let terminal = try PseudoTerminal(
            "$RNCRYPTOR encrypt --suffix .rnc --skip-existing --remove-source plaintext unfinished",
            in: place.directory)
        try terminal.wait(for: "Password: ")
        terminal.type(typed)
        if status == 0 {
            try terminal.wait(for: "Repeat the password: ")
            terminal.type(typed)
        }
        #expect(terminal.finish() == status, "\(terminal.everything)")
        #expect(!terminal.everything.contains("generate"), "\(terminal.everything)")
        #expect(
            terminal.everything.contains("use --empty-password") == (status != 0),
            "\(terminal.everything)")
        for name in ["plaintext", "unfinished"] {
            #expect(place.exists(name) == (status != 0))
        }
        guard status == 0 else { return }
        try place.succeed("$RNCRYPTOR verify -q --password-file password *.rnc")
    }

    /// Lines are as long as the terminal is wide, down to 30 columns, and are broken between words.
    @Test(arguments: [1, 30, 40, 80, 200]) func columns(present: Int) throws {
        let count = max(present, 30)
        let line = "a  b and no word of this name is longer than the terminal is wide"
        let terminal = try PseudoTerminal(
            "stty cols \(present); for c in encrypt decrypt verify inspect rekey keygen; do "
                + "$RNCRYPTOR $c --help; done; "
                + "echo '<!doctype html>' > page; $RNCRYPTOR diagnose page; "
                + "$RNCRYPTOR verify '\(line)'; $RNCRYPTOR --help", in: place.directory)
        #expect(terminal.finish() == 0)
        let lines = terminal.everything.split(separator: "\r\n")
        let longest = lines.map(\.count).max() ?? 0
        #expect(longest <= count && longest > min(count, 100) - 8, "\(longest)")
        let example = "  rncryptor inspect -r\r\n      --suffix .rnc archive\r\n"
        #expect(count > 30 || terminal.everything.contains(example), "\(terminal.everything)")
        let words = terminal.everything.split { $0.isWhitespace }
        #expect(words.joined(separator: " ").contains("page: foreign. It starts like HTML"))
        let error = "rncryptor: error: \(line.replacing("  ", with: " ")): It cannot be opened:"
        #expect(words.joined(separator: " ").contains(error))
        let first = try #require(
            lines.firstIndex { $0.contains("error: a  b") }, "the spaces of a name stay")
        #expect(
            count > 100 || lines[first + 1].prefix { $0 == " " }.count == 2, "\(lines[first + 1])")
    }

    /// A call that fails ends the command; one that was interrupted or did less is repeated. The
    /// echo comes back. If it cannot be switched off, no password is asked for.
    @Test(
        .enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"),
        arguments: [
            ("sigaction:0:EIO", 0), ("tcsetattr:1:EIO", 74), ("tcsetattr:0:short", 74),
            ("tcflush:1:EIO", 74),
            ("tcflush:1:EINTR", 0), ("tcflush:1:INT", 130), ("tcgetattr:1:EIO", 74),
            ("tcgetattr:2:EIO", 74),
            ("write-tty:1:short", 0), ("write-tty:1:EINTR", 0), ("write-tty:1:EIO", 74),
            ("write-tty:0:EIO", 74),
            ("write-tty:2:EIO", 0), ("read-tty:9:EINTR", 0), ("read-tty:9:EIO", 74),
            ("read-tty:1:INT", 130),
        ] as [(String, Int32)])
    func aCallFails(fault: String, status: Int32) throws {
        let faults = "FAULT=\(fault) FAULT_NOTE=note LD_PRELOAD=\(try Interposer.path("faults"))"
        let terminal = try PseudoTerminal(
            "\(faults) $RNCRYPTOR decrypt message -o out", in: place.directory)
        let isAsked = (try? terminal.wait(for: "Password: ")) != nil
        // The signal comes with the end of the input.
        if isAsked { terminal.type(fault == "read-tty:1:INT" ? "\u{4}" : Self.password) }
        #expect(terminal.finish() == status, "\(fault): \(terminal.everything)")
        #expect(!isAsked || fault != "tcsetattr:0:short")
        #expect(
            terminal.echoes && place.exists("note") && place.exists("out") == (status == 0),
            "\(fault)")
    }

    /// A secret is not read from a terminal as if it were a file: that would show what is typed.
    @Test(arguments: [
        "decrypt --password-file - message", "decrypt --password-file /dev/tty message",
        "decrypt --password-fd 0 message", "decrypt --key-file /dev/stdin message",
    ])
    func whatWouldBeShownIsNotRead(words: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.directory)
        #expect(terminal.finish() == 64, "\(words): \(terminal.everything)")
        #expect(
            terminal.everything.contains("which would show what you type"),
            "\(words): \(terminal.everything)")
    }
}
