import Foundation
import Testing

/// The password prompt, with a terminal and somebody typing.
@Suite struct PromptTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
    }

    @Test func encryptAsksTwiceAndDecryptOnce() throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        #expect(!encrypt.echoes)
        encrypt.type("open sesame\n")
        try encrypt.wait(for: "Repeat the password: ")
        encrypt.type("open sesame\n")
        #expect(encrypt.finish() == 0)
        #expect(!encrypt.screen.contains("sesame"))

        let decrypt = try PseudoTerminal("$RNCRYPTOR decrypt message -o out", in: place.folder)
        try decrypt.wait(for: "Password: ")
        decrypt.type("open sesame\n")
        #expect(decrypt.finish() == 0)
        #expect(!decrypt.screen.contains("Repeat"))
        #expect(try place.read("out") == Data("attack at dawn".utf8))
    }

    /// An existing password is asked for once, and a new one twice.
    @Test(arguments: [
        ("decrypt message -o out", 1), ("verify message", 1), ("decrypt --lines", 1), ("encrypt -o out plaintext", 2),
        ("encrypt --lines", 2), ("rekey -o out message", 3),
    ])
    func asksAsOftenAsNeeded(words: String, prompts: Int) throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        let password = String(decoding: try place.read("password"), as: UTF8.self)
        let terminal = try PseudoTerminal("true | cat > in; $RNCRYPTOR \(words) < in", in: place.folder)
        for number in 1...prompts {
            try terminal.wait(until: { promptCount($0) == number })
            terminal.type(password)
        }
        #expect(terminal.finish() == 0, "\(terminal.everything)")
        #expect(promptCount(terminal.everything) == prompts)
    }

    private func promptCount(_ screen: String) -> Int { screen.ranges(of: "assword: ").count }

    /// A line that is too long is refused: a terminal drops its end and says nothing, so two passwords that differ
    /// there would be the same.
    @Test func noMoreIsTypedThanATerminalPassesOn() throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        encrypt.type(String(repeating: "a", count: 4095) + "XYZ\n")
        #expect(encrypt.finish() == 65)
        #expect(encrypt.screen.contains("longer than what a terminal passes on"), "\(encrypt.screen)")
        #expect(!place.exists("message"))
    }

    @Test func theTwoEntriesMustBeTheSame() throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        encrypt.type("open sesame\n")
        try encrypt.wait(for: "Repeat the password: ")
        encrypt.type("open semolina\n")
        try encrypt.wait(for: "the two passwords differ")
        #expect(encrypt.finish() == 64)
        #expect(!place.exists("message"))
    }

    /// Ctrl-D before anything is typed counts as an empty password.
    @Test(arguments: ["\n", "\u{4}"]) func anEmptyEntryIsRefused(key: String) throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        encrypt.type(key)
        try encrypt.wait(for: "The password is empty")
        #expect(encrypt.finish() == 64)
    }

    /// If the echo cannot be switched off, no password is asked for.
    @Test(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
    func aTerminalThatGoesOnEchoing() throws {
        let preload = try Interposer.build("terminal", in: place)
        let terminal = try PseudoTerminal(
            "LD_PRELOAD=\(preload) $RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try terminal.wait(for: "Inappropriate ioctl")
        #expect(!terminal.everything.contains("Password: "))
        #expect(terminal.finish() == 74)
    }

    @Test(arguments: [("\u{3}", 130), ("\u{1C}", 131)])
    func interruptingBringsTheEchoBack(key: String, status: Int32) throws {
        let terminal = try PseudoTerminal(
            "trap : INT QUIT; $RNCRYPTOR encrypt -o message plaintext; echo status $?; read line", in: place.folder)
        try terminal.wait(for: "Password: ")
        #expect(!terminal.echoes)
        terminal.type("open\(key)")
        try terminal.wait(for: "status \(status)")
        #expect(terminal.echoes)
        #expect(try place.names().filter { $0.hasPrefix(".") || $0 == "message" }.isEmpty)
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    @Test func rekeyAsksForTheOldPasswordAndTwiceForTheNew() throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        let rekey = try PseudoTerminal("$RNCRYPTOR rekey message", in: place.folder)
        try rekey.wait(for: "Password: ")
        rekey.type("correct horse battery staple\n")
        try rekey.wait(for: "New password: ")
        rekey.type("open sesame\n")
        try rekey.wait(for: "Repeat the password: ")
        rekey.type("open sesame\n")
        #expect(rekey.finish() == 0)
        try place.write("open sesame", to: "sesame")
        try place.succeed("$RNCRYPTOR verify --quiet --password-file sesame message")
    }

    // MARK: Nobody is asked in vain

    /// What can be known before the password is typed is reported before it is asked for, and nothing is touched.
    @Test(arguments: [
        ("encrypt -o out nowhere", 66, "nowhere: It cannot be opened"), ("encrypt -o out folder", 66, "Is a directory"),
        ("encrypt -o message plaintext", 73, "message: It exists"),
        ("encrypt -o missing/out plaintext", 73, "It would be in a folder that does not exist"),
        ("encrypt -o plaintext plaintext", 73, "plaintext: It is both"),
        ("encrypt --suffix .rnc nowhere missing", 66, "2 of 2 files failed"),
        ("verify nowhere folder", 66, "2 of 2 files failed"),
        ("rekey -o plaintext message", 73, "plaintext: It exists"),
        ("rekey --key-file key nowhere", 66, "nowhere: It cannot be opened"),
        // In these cases the new secret is not asked for.
        ("rekey --new-key-file nowhere message", 66, "nowhere: It cannot be opened"),
        ("rekey --new-password-env NOT_SET message", 64, "is not set"),
    ])
    func beforeThePassword(words: String, status: Int32, sentence: String) throws {
        try place.succeed("mkdir folder; echo > message")
        let before = try place.names()
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        #expect(terminal.finish() == status, "\(words): \(terminal.everything)")
        #expect(terminal.everything.contains(sentence), "\(words): \(terminal.everything)")
        #expect(!terminal.everything.contains("assword: "), "\(words)")
        #expect(try place.names() == before)
    }

    @Test func aWrongPasswordEndsTheRun() throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        let terminal = try PseudoTerminal("$RNCRYPTOR decrypt message", in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type("mistyped\n")
        #expect(terminal.finish() == 77 && !terminal.screen.contains("Password: "), "\(terminal.everything)")
        #expect(!terminal.everything.contains("mistyped"))
    }

    @Test(arguments: ["--password-file -", "--password-file /dev/tty", "--password-fd 0", "--key-file /dev/stdin"])
    func noSecretIsShownAsItIsTyped(option: String) throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        let terminal = try PseudoTerminal("$RNCRYPTOR decrypt \(option) message", in: place.folder)
        #expect(terminal.finish() == 64, "\(terminal.everything)")
        #expect(terminal.everything.contains("which would show what is typed"), "\(terminal.everything)")
    }
}
