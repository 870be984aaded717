import Foundation
import CryptorTestSupport
import Testing

/// What the command says, and how often, when words or files are at the edge of what makes sense.
@Suite struct ArgumentEdgeTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
    }

    /// Options of one letter can stand together, and the last one may have a value.
    @Test(arguments: ["-fo out", "-foout", "-fj1 -oout", "-qfo out"]) func lettersTogether(words: String) throws {
        try place.write("old", to: "out")
        try place.succeed("$RNCRYPTOR decrypt --key-file key \(words) message && cmp out plaintext")
    }

    @Test(arguments: [("frobnicate", "subcommand"), ("--frobnicate", "option"), ("-z", "option"), ("x-", "subcommand")])
    func whatIsUnknown(word: String, kind: String) throws {
        try place.fail("$RNCRYPTOR \(word) message", 64, saying: "unknown \(kind) '\(word)'\n")
    }

    @Test(arguments: [("1", true), ("256", true), ("257", false), ("1000000000000000000000", false), ("two", false)])
    func jobs(count: String, isPossible: Bool) throws {
        let script = "$RNCRYPTOR verify -q --key-file key --jobs \(count) message message"
        if isPossible {
            try place.succeed(script)
        } else {
            try place.fail(script, 64, saying: "--jobs takes a number from 1 to 256, not '\(count)'\n")
        }
    }

    /// `--spool-limit 1m` means 1,048,576 bytes.
    @Test func aMegabyteOfTheSpool() throws {
        let decrypt = "$RNCRYPTOR encrypt --key-file key | $RNCRYPTOR decrypt --key-file key --spool-limit 1m"
        #expect(try place.succeed("head -c 1048500 /dev/zero | \(decrypt)").count == 1_048_500)
        try place.fail("head -c 1100000 /dev/zero | \(decrypt)", 74, saying: "longer than the limit of 1048576 bytes")
    }

    /// --remove-source is refused for standard input: the user might believe that the input is gone.
    @Test(arguments: ["-o out", "-o out -", "-o out --jobs 1 --force -"])
    func standardInputIsNotRemoved(words: String) throws {
        try place.fail(
            "$RNCRYPTOR encrypt --key-file key --remove-source \(words) < plaintext", 64,
            saying: "--remove-source needs files: an INPUT, and --output or --suffix\n")
        #expect(!place.exists("out") && place.exists("plaintext"))
    }

    // MARK: One file

    /// A single failure of a single file is reported once, without a count.
    @Test(arguments: [
        "encrypt --key-file key", "encrypt --key-file key --suffix .rnc", "decrypt --key-file key -o out",
        "verify --key-file key", "inspect", "rekey --key-file key --new-key-file key",
    ])
    func oneFailureIsSaidOnce(words: String) throws {
        let sentence = "rncryptor: error: nowhere: It cannot be opened: No such file or directory.\n"
        #expect(try place.fail("$RNCRYPTOR \(words) nowhere", 66, saying: "nowhere").complaint == sentence)
    }

    @Test(arguments: ["encrypt -o out", "decrypt -o out", "verify", "rekey"])
    func oneFailureBeforeThePassword(words: String) throws {
        let terminal = try PseudoTerminal("$RNCRYPTOR \(words) nowhere", in: place.folder)
        #expect(terminal.finish() == 66)
        #expect(
            terminal.everything.replacing("\r\n", with: "\n")
                == "rncryptor: error: nowhere: It cannot be opened: No such file or directory.\n")
    }

    // MARK: Before the password

    /// If at least one file can be read, the password is asked for, and that file is worked on.
    @Test func someCanBeRead() throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o sound plaintext")
        let terminal = try PseudoTerminal("$RNCRYPTOR verify -j 1 nowhere sound", in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type(String(decoding: try place.read("password"), as: UTF8.self))
        #expect(terminal.finish() == 66)
        #expect(terminal.everything.contains("sound: authentic, 14 bytes of plaintext"), "\(terminal.everything)")
        #expect(terminal.everything.ranges(of: "nowhere: It cannot be opened").count == 1, "\(terminal.everything)")
        #expect(terminal.everything.contains("1 of 2 files failed"), "\(terminal.everything)")
    }

    /// A device exists before it is written to, which is no reason to refuse it as an output.
    @Test func anOutputThatIsNoFile() throws {
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o sound plaintext")
        let terminal = try PseudoTerminal("$RNCRYPTOR decrypt -o /dev/null sound", in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type(String(decoding: try place.read("password"), as: UTF8.self))
        #expect(terminal.finish() == 0, "\(terminal.everything)")
    }

    /// The longest accepted password is one that a terminal passes on with its newline, so that it is known to be
    /// complete.
    @Test func theLongestPassword() throws {
        let password = String(repeating: "a", count: 4094)
        try place.write(password, to: "long")
        try place.succeed("$RNCRYPTOR encrypt --password-file long -o sound plaintext")
        let terminal = try PseudoTerminal("$RNCRYPTOR verify sound", in: place.folder)
        try terminal.wait(for: "Password: ")
        terminal.type("\(password)\n")
        #expect(terminal.finish() == 0, "\(terminal.everything)")
    }

    /// The hint about white space at the end of a password comes only if the password may be wrong, not with a
    /// malformed message or another failure.
    @Test(arguments: [
        ("decrypt --password-file spaced short", 65, "not a multiple of 16"),
        ("verify --password-file spaced message", 65, "encrypted with keys"),
        ("verify --password-file spaced nowhere", 66, "cannot be opened"),
        ("decrypt --password-file spaced -o missing/out sound", 73, "in a folder that does not exist"),
    ])
    func doubtsAreForWrongPasswords(words: String, status: Int32, sentence: String) throws {
        try place.succeed(
            """
            printf 'other \\n\\n' > spaced; $RNCRYPTOR encrypt --password-file spaced -o sound plaintext
            { cat sound; printf x; } > short
            """)
        let complaint = try place.fail("$RNCRYPTOR \(words)", status, saying: sentence).complaint
        #expect(!complaint.contains("hint: "), "\(complaint)")
    }

    // MARK: Names that end in the suffix

    /// A folder is no message, whatever its name is.
    @Test func aFolderNamedWithTheSuffix() throws {
        try place.succeed("mkdir d.rnc && cp plaintext d.rnc/a")
        try place.succeed("$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d.rnc")
        try place.succeed("! test -e d.rnc/a && $RNCRYPTOR decrypt --key-file key d.rnc/a.rnc | cmp - plaintext")
        try place.fail(
            "$RNCRYPTOR encrypt --key-file key --suffix .rnc d.rnc", 66, saying: "hint: --recursive works on the files")
    }

    /// A file whose name is only the suffix would have no name without it.
    @Test func aFileNamedWithNothingElse() throws {
        try place.succeed("mkdir d && cp plaintext d/.rnc && cp message .rnc")
        try place.succeed("$RNCRYPTOR encrypt -r --key-file key --suffix .rnc --remove-source d")
        #expect(try place.succeed("ls -A d") == Data(".rnc.rnc\n".utf8))
        try place.fail(
            "$RNCRYPTOR decrypt --key-file key --suffix .rnc .rnc", 64, saying: ".rnc: Its name does not end in '.rnc'")
        // In a folder, such a file is skipped.
        try place.succeed("cp message d/.rnc && $RNCRYPTOR decrypt -r --key-file key --suffix .rnc --force d")
        #expect(try place.succeed("ls -A d") == Data(".rnc\n.rnc.rnc\n".utf8))
        try place.succeed("cmp d/.rnc plaintext")
    }

    // MARK: Signals

    /// A signal ends the command even if the process that started it has blocked that signal.
    @Test(arguments: [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)] as [(String, Int32)])
    func blockedByAnother(signal: String, status: Int32) throws {
        let outcome = try place.shell(
            """
            mkfifo fifo; exec 9<>fifo
            exec timeout --preserve-status -s \(signal) -k 60 1 \
            env --block-signal=\(signal) $RNCRYPTOR decrypt --key-file fifo message
            """)
        #expect(outcome.status == status, "\(outcome.complaint)")
        #expect(outcome.complaint == "rncryptor: error: interrupted; nothing was left behind\n")
    }
}
