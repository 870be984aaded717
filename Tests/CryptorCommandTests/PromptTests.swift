import Foundation
import Testing

/// The password prompt, with a terminal and somebody typing.
@Suite struct PromptTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
    }

    private static let (password, new) = ("correct horse battery staple\n", "open sesame\n")
    private static let tooLong = String(repeating: "a", count: 4095) + "XYZ\n"

    /// What is typed, the exit status, and a sentence. An existing password is asked for once, and a new one twice.
    @Test(
        arguments: [
            ("decrypt message -o out", [password], 0, ""), ("verify message", [password], 0, "message: authentic"),
            ("decrypt --lines < /dev/null", [password], 0, ""),
            ("encrypt -o out plaintext", [password, password], 0, ""),
            ("encrypt --lines < /dev/null", [password, password], 0, ""),
            ("rekey message && $RNCRYPTOR verify --password-env NEW message", [password, new, new], 0, "authentic"),
            // A wrong password ends the run.
            ("decrypt message", ["mistyped\n"], 77, "message: "),
            ("encrypt -o out plaintext", [password, new], 64, "the two passwords differ"),
            // Ctrl-D before anything is typed counts as an empty password.
            ("decrypt message", ["\n"], 64, "The password is empty"),
            ("decrypt message", ["\u{4}"], 64, "The password is empty"),
            ("encrypt -o out plaintext", ["tiny77\n", "tiny77\n"], 0, "The password is short"),
            // A terminal drops the end of a line that is too long and says nothing, so two passwords that differ there would be
            // the same.
            ("encrypt -o out plaintext", [tooLong], 65, "longer than what a terminal passes on"),
        ] as [(String, [String], Int32, String)])
    func asks(words: String, typed: [String], status: Int32, sentence: String) throws {
        let before = try place.names()
        let terminal = try PseudoTerminal("export NEW='open sesame'; $RNCRYPTOR \(words)", in: place.folder)
        let isNew = words.hasPrefix("encrypt")
        let prompts =
            [isNew ? "Password (leave it empty to have one made): " : "Password: "]
            + (words.hasPrefix("rekey") ? ["New password (leave it empty to have one made): "] : [])
            + ["Repeat the password: "]
        for (prompt, line) in zip(prompts, typed) {
            try terminal.wait(for: prompt)
            #expect(!terminal.echoes)
            terminal.type(line)
        }
        #expect(terminal.finish() == status, "\(words): \(terminal.everything)")
        #expect(sentence.isEmpty || terminal.everything.contains(sentence), "\(words): \(terminal.everything)")
        #expect(!terminal.screen.contains("assword: "), "\(words): \(terminal.everything)")
        for line in typed where line.count > 1 {
            #expect(!terminal.everything.contains(line.dropLast()), "\(words): \(terminal.everything)")
        }
        #expect(try status == 0 || place.names() == before, "\(words)")
    }

    /// Whoever types no new password gets one, which is shown, and opens the message.
    @Test(arguments: ["encrypt -o out plaintext", "rekey --password-file password -o out message"])
    func makesOne(words: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        try terminal.wait(for: "(leave it empty to have one made): ")
        terminal.type("\n")
        #expect(terminal.finish() == 0, "\(terminal.everything)")
        let shown = try #require(terminal.everything.firstMatch(of: /The password is ([0-9a-z-]{35})/))
        try place.succeed("GIVEN=\(shown.1) $RNCRYPTOR verify --password-env GIVEN out")
    }

    /// Lines are as long as the terminal is wide, down to 30 columns, and are broken between words.
    @Test(arguments: [30, 40, 80, 200]) func columns(count: Int) throws {
        let line = "no word of this name is longer than the terminal is wide"
        let terminal = try PseudoTerminal(
            "stty cols \(count); for c in encrypt decrypt verify inspect rekey keygen; do $RNCRYPTOR $c --help; done; "
                + "$RNCRYPTOR verify '\(line)'; $RNCRYPTOR --help", in: place.folder)
        #expect(terminal.finish() == 0)
        let lines = terminal.everything.split(separator: "\r\n")
        let longest = lines.map(\.count).max() ?? 0
        #expect(longest <= count && longest > min(count, 100) - 8, "\(longest)")
        let words = terminal.everything.split { $0.isWhitespace }
        #expect(words.joined(separator: " ").contains("rncryptor: error: \(line): It cannot be opened:"))
    }

    /// If the echo cannot be switched off, no password is asked for.
    @Test(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
    func aTerminalThatGoesOnEchoing() throws {
        let terminal = try PseudoTerminal(
            "LD_PRELOAD=\(try Interposer.path("terminal")) $RNCRYPTOR encrypt -o out plaintext", in: place.folder)
        try terminal.wait(for: "Inappropriate ioctl")
        #expect(!terminal.everything.contains("Password: "))
        #expect(terminal.finish() == 74)
    }

    /// A secret is not read from a terminal as if it were a file: that would show what is typed.
    @Test(arguments: [
        "decrypt --password-file - message", "decrypt --password-file /dev/tty message",
        "decrypt --password-fd 0 message", "decrypt --key-file /dev/stdin message",
    ])
    func whatWouldBeShownIsNotRead(words: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        #expect(terminal.finish() == 64, "\(words): \(terminal.everything)")
        #expect(terminal.everything.contains("which would show what is typed"), "\(words): \(terminal.everything)")
    }
}
