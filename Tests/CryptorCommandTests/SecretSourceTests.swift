import Foundation
import Testing

/// Where passwords and keys may come from, and where not.
@Suite struct SecretSourceTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
    }

    /// Each of these is the password that the message was encrypted with.
    @Test(arguments: [
        "--password-file password",
        "--password-file no-newline",
        "--password-file windows-newline",
        "--password-env PASSWORD",
        "--password-fd 3 3< password",
        "--password-file - < password",
        "--password-fd 0 < password",
    ])
    func passwords(source: String) throws {
        try place.succeed("printf 'correct horse battery staple' > no-newline")
        try place.succeed("printf 'correct horse battery staple\\r\\n' > windows-newline")
        let plaintext = try place.succeed(
            "$RNCRYPTOR decrypt message \(source)", environment: ["PASSWORD": "correct horse battery staple"])
        #expect(plaintext == Data("attack at dawn".utf8))
    }

    /// One newline is not part of the password; everything else is.
    @Test(arguments: ["\\n\\n", " \\n", "\\r\\n\\n", "\\n "])
    func whatElseBelongsToThePassword(end: String) throws {
        try place.succeed("printf 'correct horse battery staple\(end)' > other")
        try place.fail("$RNCRYPTOR decrypt --password-file other message", 77, saying: "HMAC does not match")
    }

    /// Whatever standard input is, it cannot be both the data and the secret.
    @Test(arguments: [
        "encrypt --password-file - -o out < /dev/null", "encrypt --password-file /dev/null -o out < /dev/null",
        "encrypt --lines --password-fd 0 < /dev/zero", "decrypt --lines --key-file - < message",
        "verify --password-fd 3 - 3</dev/null < /dev/null", "decrypt --key-file /dev/stdin -o out < message",
        "rekey --password-file password --new-password-fd 0 -o out - < message",
    ])
    func standardInputAsBoth(words: String) throws {
        try place.fail("$RNCRYPTOR \(words)", 64, saying: "standard input is the data, so the secret cannot come")
        #expect(!place.exists("out"))
    }

    /// The first secret would take all of the stream.
    @Test(arguments: [
        "--password-file - --new-password-file -", "--password-fd 0 --new-password-fd 0",
        "--password-file - --new-password-fd 0", "--password-file /dev/stdin --new-key-file -",
    ])
    func twoSecretsFromOneStream(words: String) throws {
        try place.fail("cat password password | $RNCRYPTOR rekey \(words) message", 64, saying: "both secrets would be")
        try place.succeed("$RNCRYPTOR verify --password-file password message")
    }

    /// Each would get a part of the stream.
    @Test(arguments: ["verify --password-file password", "inspect"], ["- -", "- /dev/stdin", "/dev/stdin -"])
    func oneStreamNamedTwice(subcommand: String, inputs: String) throws {
        for source in ["cat message |", "cat message message |"] {
            try place.fail("\(source) $RNCRYPTOR \(subcommand) \(inputs)", 64, saying: "It is named twice")
        }
        try place.succeed("$RNCRYPTOR \(subcommand) message message")
    }

    @Test(arguments: ["--password secret", "--password=secret", "-p secret", "--passwordfile x"])
    func neverFromAnArgument(words: String) throws {
        let outcome = try place.fail("$RNCRYPTOR decrypt \(words) message", 64, saying: "unknown option")
        #expect(!outcome.complaint.contains("secret"))
    }

    /// The letter of an unknown option is shown completely, even if it has several bytes, and nothing after it is
    /// shown.
    @Test(arguments: ["é", "€", "😀"])
    func noLetterIsShownInPart(letter: String) throws {
        let outcome = try place.fail(
            "$RNCRYPTOR decrypt -\(letter)secret message", 64, saying: "unknown option '-\(letter)'\n")
        #expect(!outcome.complaint.contains("secret"))
    }

    @Test func theDataCannotBeThePasswordAsWell() throws {
        for source in ["--password-file -", "--password-fd 0"] {
            for input in ["$RNCRYPTOR decrypt \(source) < message", "cat message | $RNCRYPTOR decrypt \(source)"] {
                try place.fail(input, 64, saying: "standard input is the data")
            }
        }
    }

    @Test(arguments: [
        ("--password-file password --key-file key", "exclude each other"),
        ("--password-env UNSET_VARIABLE", "is not set"),
        ("--password-fd three", "takes the number"),
        ("--password-file", "needs a value"),
        ("--password-file password --password-file password", "given twice"),
    ])
    func misuse(words: String, complaint: String) throws {
        try place.fail("$RNCRYPTOR decrypt message \(words)", 64, saying: complaint)
    }

    @Test func emptyPasswords() throws {
        try place.succeed(": > empty; echo > newline")
        for source in ["--password-file empty", "--password-file newline", "--password-env EMPTY"] {
            for subcommand in ["encrypt plaintext", "decrypt message"] {
                try place.fail(
                    "$RNCRYPTOR \(subcommand) \(source)", 64, saying: "The password is empty",
                    environment: ["EMPTY": ""])
            }
        }
    }

    @Test func unreadableSecrets() throws {
        try place.fail("$RNCRYPTOR decrypt --password-file nowhere message", 66, saying: "nowhere: It cannot be opened")
        try place.fail("$RNCRYPTOR decrypt --key-file nowhere message", 66, saying: "nowhere: It cannot be opened")
        try place.fail("$RNCRYPTOR decrypt --password-fd 9 message 9<&-", 66, saying: "file descriptor 9")
        try place.succeed("head -c 70000 /dev/zero > huge")
        try place.fail("$RNCRYPTOR decrypt --password-file huge message", 65, saying: "more than 65536 bytes")
    }

    @Test func foldersAndEarlierDataAreNoSecrets() throws {
        try place.succeed("mkdir folder")
        for option in ["--password-file", "--key-file"] {
            try place.fail(
                "$RNCRYPTOR decrypt \(option) folder message", 66, saying: "folder: It cannot be read: Is a dir")
            for file in ["/dev/stdin", "/dev/fd/0"] {
                try place.fail(
                    "cat message | $RNCRYPTOR decrypt \(option) \(file)", 64, saying: "standard input is the data")
            }
            for file in ["/dev/stdin", "message"] {
                try place.fail("$RNCRYPTOR decrypt \(option) \(file) < message", 64, saying: "standard input")
            }
        }
        let plaintext = try place.succeed("$RNCRYPTOR decrypt --password-file /dev/stdin message < password")
        #expect(plaintext == Data("attack at dawn".utf8))
    }

    /// A signal ends the wait for a secret, be it from a FIFO that nobody writes to or from a writer that says nothing.
    @Test(arguments: ["--password-file fifo", "--key-file fifo", "--password-fd 9", "--password-file /dev/fd/9"])
    func waitingForASecretEndsWithASignal(source: String) throws {
        for (signal, status) in [("TERM", Int32(143)), ("INT", 130)] {
            let outcome = try place.shell(
                """
                rm -f fifo silent; mkfifo fifo silent; exec 9<>silent
                exec timeout --preserve-status -s \(signal) -k 30 1 $RNCRYPTOR decrypt \(source) message
                """)
            #expect(outcome.status == status, "\(source): \(outcome.complaint)")
            #expect(outcome.complaint.hasPrefix("rncryptor: error: interrupted"), "\(source): \(outcome.complaint)")
        }
    }

    /// The command waits for a pipe that its other owner has made non-blocking.
    @Test func aPipeThatDoesNotBlock() throws {
        try place.write(
            """
            import os, subprocess, sys, threading
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            threading.Timer(1, lambda: (os.write(writer, b"correct horse battery staple"), os.close(writer))).start()
            words = [os.environ["RNCRYPTOR"], "decrypt", "--password-fd", str(reader), "message"]
            sys.exit(subprocess.run(words, pass_fds=[reader]).returncode)
            """, to: "slow.py")
        #expect(try place.succeed("python3 slow.py") == Data("attack at dawn".utf8))
    }

    @Test func withoutTerminalNobodyCanBeAsked() throws {
        try place.fail("setsid -w $RNCRYPTOR decrypt message", 64, saying: "no terminal to ask")
    }

    @Test func keyFiles() throws {
        let digits = String(repeating: "0123456789abcdef", count: 8)
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o key-message plaintext")
        try place.write(digits.uppercased(), to: "upper")
        try place.write("\(digits.prefix(64))\r\n\(digits.suffix(64))\r\n", to: "lines")
        for name in ["key", "upper", "lines"] {
            #expect(
                try place.succeed("$RNCRYPTOR decrypt --key-file \(name) key-message") == Data("attack at dawn".utf8))
        }
        let wrong = ["", String(digits.dropLast()), digits + "0", String(digits.dropLast(2)), digits.dropLast() + "g"]
        for text in wrong {
            try place.write(text, to: "bad")
            try place.fail("$RNCRYPTOR decrypt --key-file bad key-message", 65, saying: "bad: It is not a key file")
        }
    }

    /// A signal ends the command even if it comes right before a wait, which it then does not interrupt.
    @Test(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
    func aSignalJustBeforeAWait() throws {
        let faults = try Interposer.build("faults", in: place)
        try place.succeed("printf plain > plain; $RNCRYPTOR encrypt --key-file key -o signalled plain; mkfifo silent")
        var endedCount = 0
        for number in 1...6 {
            let outcome = try place.shell(
                "rm -f struck; exec 9<>silent; "
                    + "timeout -s KILL 60 env LD_PRELOAD=\(faults) $RNCRYPTOR decrypt --password-fd 9 signalled",
                environment: ["FAULT": "read:\(number):TERM", "FAULT_NOTE": "struck"])
            // There was no such call: the command waited for its password until it was killed.
            guard place.exists("struck") else { break }
            endedCount += 1
            #expect(outcome.status == 143, "read \(number): \(outcome.status)")
        }
        #expect(endedCount > 0)
    }
}
