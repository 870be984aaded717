import Foundation
import CryptorTestSupport
import Testing

/// A person is not asked for a password in vain, and may mistype it.
@Suite struct RehearsalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed(
            """
            $RNCRYPTOR encrypt --password-file password -o message plaintext
            $RNCRYPTOR encrypt --key-file key -o of-keys plaintext
            cp message twin; ln twin other-twin; ln -s nowhere dangling
            : > empty; mkdir folder; { cat message; printf x; } > short; printf 'PK\\003\\004xyz' > archive
            """)
    }

    private var password: String { get throws { String(decoding: try place.read("password"), as: UTF8.self) } }

    /// Errors that can be known before the password is typed are reported before it is asked for, and nothing is
    /// touched.
    @Test(arguments: [
        ("encrypt -o out nowhere", 66, "nowhere: It cannot be opened"), ("encrypt -o out folder", 66, "Is a directory"),
        ("encrypt -o message plaintext", 73, "message: It exists"),
        ("encrypt -o missing/out plaintext", 73, "It would be in a folder that does not exist"),
        ("encrypt -o plaintext plaintext", 73, "plaintext: It is both"),
        ("encrypt --suffix .rnc nowhere missing", 66, "2 of 2 files failed"),
        ("encrypt nowhere > /dev/null", 66, "nowhere: It cannot be opened"),
        ("decrypt -o out nowhere", 66, "It cannot be opened"),
        ("decrypt -o plaintext message", 73, "plaintext: It exists"),
        ("decrypt -o missing/out message", 73, "It would be in a folder that does not exist"),
        ("decrypt -o out empty", 65, "The message is empty"), ("decrypt -o out short", 65, "not a multiple of 16"),
        ("decrypt -o out archive", 65, "starts like a zip archive"), ("decrypt of-keys", 65, "encrypted with keys"),
        ("decrypt archive | cat", 65, "starts like a zip archive"),
        ("verify nowhere archive", 66, "2 of 2 files failed"),
        ("verify short", 65, "not a multiple of 16"), ("rekey archive", 65, "starts like a zip archive"),
        ("rekey of-keys", 65, "encrypted with keys"), ("rekey -o plaintext message", 73, "plaintext: It exists"),
        ("rekey --password-file password nowhere", 66, "nowhere: It cannot be opened"),
        ("rekey --key-file key nowhere", 66, "nowhere: It cannot be opened"),
        ("rekey --key-file key archive", 65, "starts like a zip archive"),
        ("rekey --key-file key message", 65, "encrypted with a password"),
        // --force does not help in these cases.
        ("encrypt --force -o missing/out plaintext", 73, "It would be in a folder that does not exist"),
        ("decrypt --force -o missing/out message", 73, "It would be in a folder that does not exist"),
        ("rekey --force -o missing/out message", 73, "It would be in a folder that does not exist"),
        ("encrypt --force -o folder plaintext", 73, "Is a directory"),
        ("encrypt -o folder plaintext", 73, "Is a directory"), ("encrypt -o new/ plaintext", 73, "new/: "),
        ("decrypt --force -o dangling message", 73, "dangling: "),
        ("rekey -f -o plaintext/x message", 73, "Not a directory"),
        ("rekey twin", 73, "It has 2 names"), ("rekey --password-file password twin", 73, "It has 2 names"),
        // In these cases the new secret is not asked for.
        ("rekey --new-key-file nowhere message", 66, "nowhere: It cannot be opened"),
        ("rekey --new-key-file plaintext message", 65, "plaintext: It is not a key file"),
        ("rekey --new-password-env NOT_SET message", 64, "is not set"),
        // A new password must not be shown in vain, since a user who has seen it would keep it.
        ("encrypt --generate-password --force -o missing/out plaintext", 73, "in a folder that does not exist"),
        ("encrypt --generate-password --force -o folder plaintext", 73, "Is a directory"),
        ("rekey --generate-password --password-file password twin", 73, "It has 2 names"),
        ("rekey --generate-password --password-file wrong-password message twin", 77, "2 of 2 files failed"),
        ("rekey --generate-password --password-file wrong-password message", 77, "The HMAC does not match"),
    ])
    func beforeThePassword(words: String, status: Int32, sentence: String) throws {
        let before = try place.succeed("ls -A | sort; cat plaintext message | sha256sum")
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        #expect(terminal.finish() == (words.hasSuffix("| cat") ? 0 : status), "\(words): \(terminal.everything)")
        #expect(terminal.everything.contains(sentence), "\(words): \(terminal.everything)")
        for said in ["assword: ", "The password is "] { #expect(!terminal.everything.contains(said), "\(words)") }
        #expect(try place.succeed("ls -A | sort; cat plaintext message | sha256sum") == before)
    }

    /// The rehearsal before the prompt leaves nothing, shows nothing, and removes nothing.
    @Test(arguments: [
        "encrypt -o out plaintext", "encrypt --base64 plaintext",
        "encrypt --suffix .rnc --remove-source plaintext empty",
        "decrypt -o out message", "decrypt message", "decrypt --force -o plaintext message", "verify message",
        "rekey message", "rekey -o out message",
    ])
    func nothingComesOfIt(words: String) throws {
        try place.succeed("mkdir before; cp -p plaintext message empty before")
        let before = try place.names()
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        try terminal.wait(for: "assword: ")
        #expect(terminal.everything.trimmingCharacters(in: .whitespacesAndNewlines) == "Password:")
        #expect(try place.names() == before)
        try place.succeed("for file in plaintext message empty; do cmp $file before/$file; done")
        terminal.type("\u{3}")
        #expect(terminal.finish() != 0)
        #expect(try place.names() == before)
    }

    /// A message under keys gets a new password, too, although a rehearsal has no keys.
    @Test func newPasswordForAMessageOfKeys() throws {
        let made = try PseudoTerminal("$RNCRYPTOR rekey --key-file key --generate-password of-keys", in: place.folder)
        #expect(made.finish() == 0, "\(made.everything)")
        let shown = try #require(made.everything.firstMatch(of: /The password is ([0-9a-z-]+)/)).1
        try place.write(String(shown), to: "shown")
        #expect(try place.succeed("$RNCRYPTOR decrypt --password-file shown of-keys") == Data("attack at dawn".utf8))
        try place.succeed("$RNCRYPTOR encrypt --key-file key --force -o of-keys plaintext")
        let typed = try PseudoTerminal("$RNCRYPTOR rekey --key-file key of-keys", in: place.folder)
        for prompt in ["New password: ", "once more: "] {
            try typed.wait(for: prompt)
            typed.type("new\n")
        }
        #expect(typed.finish() == 0, "\(typed.everything)")
    }

    /// The old secret is tried before a new password is shown. An interruption of that is not reported as a failure of
    /// each file.
    @Test func endedBeforeANewPasswordIsShown() throws {
        try place.succeed(
            "head -c 256000000 /dev/zero | $RNCRYPTOR encrypt --password-file password -o big; cp big again")
        let terminal = try PseudoTerminal(
            """
            $RNCRYPTOR rekey --generate-password --password-file password big again & process=$!
            until ls -l /proc/$process/fd 2> /dev/null | grep -q /big; do :; done
            kill -TERM $process; wait $process
            """, in: place.folder)
        #expect(terminal.finish() == 143, "\(terminal.everything)")
        #expect(terminal.everything.ranges(of: "error: ").count == 1, "\(terminal.everything)")
        #expect(terminal.everything.contains("error: interrupted; "), "\(terminal.everything)")
        #expect(!terminal.everything.contains("The password is"), "\(terminal.everything)")
    }

    /// A mistyped password is asked for again, up to three times in total.
    @Test(arguments: ["decrypt -o out message", "verify message", "rekey message", "decrypt message"], [2, 3])
    func wronglyTyped(words: String, count: Int) throws {
        let password = try password
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words)", in: place.folder)
        for number in 1...3 {
            try terminal.wait(for: "Password: ")
            terminal.type(number <= count ? "mistyped\n" : password)
            if number == 1, words.hasPrefix("rekey") {
                for prompt in ["New password: ", "once more: "] {
                    try terminal.wait(for: prompt)
                    terminal.type("new\n")
                }
            }
            if number <= count { try terminal.wait(for: "The HMAC does not match") }
        }
        #expect(terminal.finish() == (count == 3 ? 77 : 0), "\(words): \(terminal.everything)")
        #expect(terminal.everything.ranges(of: "New password").count == (words.hasPrefix("rekey") ? 1 : 0))
        #expect(!terminal.everything.contains("mistyped"))
    }

    /// A password is not asked for again if it was not typed, or if the input cannot be read again.
    @Test func onlyWhatCanBeDoneAgain() throws {
        let piped = try PseudoTerminal("cat message | $RNCRYPTOR decrypt -o out", in: place.folder)
        try piped.wait(for: "Password: ")
        piped.type("mistyped\n")
        #expect(piped.finish() == 77 && !piped.screen.contains("Password"))
        let given = try PseudoTerminal("$RNCRYPTOR decrypt --password-file wrong-password message", in: place.folder)
        #expect(given.finish() == 77 && !given.everything.contains("Password"))
        let several = try PseudoTerminal("$RNCRYPTOR verify message message", in: place.folder)
        try several.wait(for: "Password: ")
        several.type("mistyped\n")
        #expect(several.finish() == 77 && !several.screen.contains("Password"))
    }

    /// After a wrong password, an output to a FIFO is not tried again: the FIFO's reader has seen its end by then.
    @Test(arguments: ["decrypt -o fifo message", "rekey --new-key-file key -o fifo message"])
    func notIntoAnotherFIFO(words: String) throws {
        try place.succeed("mkfifo fifo")
        let terminal = try PseudoTerminal("{ cat fifo > out & $RNCRYPTOR \(words); }", in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type("mistyped\n")
        #expect(terminal.finish() == 77 && terminal.everything.ranges(of: "assword: ").count == 1, "\(words)")
    }

    /// If a message is exchanged when a part of its plaintext is out, that does not count as a wrong password, however
    /// odd it is: the plaintext of the other message would follow that part. The file keeps its size all the time, since a file that is
    /// shorter for a moment gets another error.
    @Test(arguments: ["decrypt big", "rekey --new-key-file key -o - big"])
    func changedMidway(words: String) throws {
        try place.succeed(
            """
            printf 'secret ' > odd
            for name in big other; do
                head -c 3000000 /dev/urandom > plain; $RNCRYPTOR encrypt --password-file odd -o $name plain
            done
            """)
        let terminal = try PseudoTerminal(
            """
            { $RNCRYPTOR \(words); echo $? > status; } | {
                dd bs=1 count=1 of=start status=none; cat other 1<> big; cat > rest
            }
            """, in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type("secret \n")
        #expect(terminal.finish() == 0)
        #expect(try place.read("status") == Data("77\n".utf8), "\(terminal.everything)")
        #expect(terminal.everything.contains("It was changed while"), "\(terminal.everything)")
        #expect(!terminal.everything.contains("white space"), "\(terminal.everything)")
        #expect(terminal.everything.ranges(of: "assword: ").count == 1)
        #expect(try place.read("rest").count < 3_000_000)
    }

    // MARK: What an editor adds

    @Test(
        arguments: [
            ("printf '\\357\\273\\277correct horse battery staple'", "byte order mark"),
            ("printf 'correct horse battery staple\\n\\n'", "ends in white space"),
            ("printf 'correct horse battery staple \\n'", "ends in white space"), ("printf 'other'", nil),
        ] as [(String, String?)])
    func doubts(script: String, doubt: String?) throws {
        try place.succeed("\(script) > typed")
        for words in [
            "decrypt --password-file typed message", "verify --password-fd 3 message 3< typed",
            "rekey --password-file typed --new-key-file key message",
        ] {
            let complaint = try place.fail("$RNCRYPTOR \(words)", 77, saying: "The HMAC does not match").complaint
            #expect(complaint.contains("hint: ") == (doubt != nil), "\(complaint)")
            if let doubt { #expect(complaint.contains(doubt), "\(complaint)") }
            #expect(!complaint.contains("horse"))
        }
        // These bytes are part of the password all the same.
        try place.succeed(
            "$RNCRYPTOR encrypt --password-file typed -o odd plaintext; $RNCRYPTOR verify --password-file typed odd")
    }

    @Test(arguments: ["--password-file -", "--password-file /dev/tty", "--password-fd 0", "--key-file /dev/stdin"])
    func noSecretIsShownAsItIsTyped(option: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR decrypt \(option) message", in: place.folder)
        #expect(terminal.finish() == 64, "\(terminal.everything)")
        #expect(terminal.everything.contains("which would show what is typed"), "\(terminal.everything)")
    }
}
