import Foundation
import Testing

/// If files cannot be read, written or trusted to stay as they are, the command ends with an exit status and a
/// sentence, and leaves nothing half-written.
@Suite struct FileFaultTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write(Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o key-message plaintext")
    }

    @Test func anExistingOutputIsNotTouched() throws {
        try place.write("mine", to: "out")
        try place.fail("$RNCRYPTOR decrypt --key-file key -o out key-message", 73, saying: "out: It exists")
        try place.fail("$RNCRYPTOR encrypt --key-file key -o out plaintext", 73, saying: "out: It exists")
        #expect(try place.read("out") == Data("mine".utf8))
    }

    /// The limit is for what is kept of a message that can be read only once, until it is verified.
    @Test(arguments: [
        ("200066", true), ("199999", false), ("196K", true), ("195k", false), ("1M", true), ("1g", true), ("1T", true),
    ])
    func theSpoolHasALimit(limit: String, isEnough: Bool) throws {
        try place.write(Data(count: 200_000), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        let script = "cat message | $RNCRYPTOR decrypt --key-file key --spool-limit \(limit)"
        if isEnough {
            #expect(try place.succeed(script) == Data(count: 200_000), "\(limit)")
        } else {
            try place.fail(script, 74, saying: "longer than the limit of")
        }
    }

    @Test(arguments: ["0", "-1", "x", "1X", "K", "''", "9223372036854775807K", "9223372036854775808"])
    func noLimit(word: String) throws {
        try place.fail(
            "$RNCRYPTOR decrypt --key-file key --spool-limit \(word) < key-message", 64,
            saying: "--spool-limit takes a number of bytes")
    }

    @Test func theSourceIsNotTheDestination() throws {
        try place.succeed("ln plaintext hard; ln -s plaintext soft")
        for name in ["plaintext", "./plaintext", "hard", "soft"] {
            try place.fail("$RNCRYPTOR encrypt --key-file key -o \(name) plaintext", 73, saying: "both the source and")
        }
        try place.fail("$RNCRYPTOR encrypt --key-file key plaintext >> plaintext", 73, saying: "both the source and")
        #expect(try place.read("plaintext").count == 3_000_000)
    }

    @Test(arguments: [
        ("nowhere", "nowhere: It cannot be opened: No such file or directory"),
        (".", ".: It cannot be opened: Is a directory"),
        ("plaintext/x", "plaintext/x: It cannot be opened: Not a directory"),
    ])
    func unreadableInput(name: String, words: String) throws {
        try place.fail("$RNCRYPTOR encrypt --key-file key \(name)", 66, saying: words)
        try place.fail("$RNCRYPTOR decrypt --key-file key \(name)", 66, saying: words)
    }

    @Test(arguments: [
        ("nowhere/out", "nowhere/out: It would be in a folder that does not exist"),
        (".", ".: It cannot be created: Is a directory"),
        ("dangling", "dangling: It is a symbolic link to a file that does not exist"),
    ])
    func unwritableOutput(name: String, words: String) throws {
        try place.succeed("ln -s no-such-file dangling")
        try place.fail("$RNCRYPTOR encrypt --key-file key -o \(name) plaintext", 73, saying: words)
        try place.fail("$RNCRYPTOR decrypt --key-file key -o \(name) key-message", 73, saying: words)
        #expect(!place.exists("no-such-file"))
    }

    @Test func permissions() throws {
        // The superuser may read and write everything, so the command runs as another user.
        let asNobody = getuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
        try place.succeed("\(asNobody) true")
        try place.succeed("chmod 755 . && chmod 0 plaintext && chmod 644 key key-message && mkdir -m 555 closed")
        try place.fail(
            "\(asNobody) $RNCRYPTOR encrypt --key-file key plaintext", 66,
            saying: "plaintext: It cannot be opened: Perm")
        try place.fail(
            "\(asNobody) $RNCRYPTOR decrypt --key-file key -o closed/out key-message", 73,
            saying: "closed/out: It cannot be created: Permission denied")
    }

    @Test func aFullDisk() throws {
        try place.fail("$RNCRYPTOR encrypt --key-file key -o /dev/full plaintext", 74, saying: "/dev/full: It cannot")
        try place.fail("$RNCRYPTOR decrypt --key-file key key-message > /dev/full", 74, saying: "No space left")
        let before = try place.names()
        // A limit of 1 MiB for the size of files acts as a full disk on a longer output.
        try place.fail(
            "ulimit -f 2048; $RNCRYPTOR decrypt --key-file key -o out key-message", 74, saying: "out: It cannot")
        try place.fail(
            "ulimit -f 2048; $RNCRYPTOR encrypt --key-file key -o out plaintext", 74, saying: "out: It cannot")
        #expect(try place.names() == before)
    }

    @Test func aReaderThatWentAway() throws {
        let outcome = try place.shell(
            "{ $RNCRYPTOR decrypt --key-file key key-message; echo $? > status; } | head -c 1")
        #expect(outcome.output.count == 1)
        #expect(try place.read("status") == Data("74\n".utf8))
        #expect(outcome.complaint.contains("standard output: It cannot be written: Broken pipe"))
    }

    @Test(.enabled(if: canMount, "mounting is not permitted here"))
    func aFullFileSystem() throws {
        try place.succeed("mkdir small")
        let mounted = "mount -t tmpfs -o size=1m none small && cp /dev/null small/there"
        for command in ["encrypt --key-file key plaintext", "decrypt --key-file key key-message"] {
            let outcome = try place.shell(
                "unshare -m sh -c '\(mounted) && $RNCRYPTOR \(command) -o small/out; echo $? > status; ls -A small'")
            #expect(try place.read("status") == Data("74\n".utf8))
            #expect(outcome.complaint.contains("small/out: It cannot be written: No space left on device"))
            #expect(String(decoding: outcome.output, as: UTF8.self) == "there\n", "nothing half-written")
        }
    }

    private static let canMount: Bool = {
        guard let place = try? Workplace() else { return false }
        return (try? place.shell("unshare -m sh -c 'mkdir m && mount -t tmpfs none m'").status) == 0
    }()

    // MARK: Changed between the two passes

    /// The reader of the plaintext is slow, so the second pass has hardly begun when the message is changed.
    private func decrypt(while change: String) throws -> (outcome: Workplace.Outcome, status: String) {
        let outcome = try place.shell(
            """
            { $RNCRYPTOR decrypt --key-file key key-message; echo $? > status; } | { head -c 1; \(change); cat; }
            """)
        return (outcome, String(decoding: try place.read("status"), as: UTF8.self))
    }

    @Test func aSourceThatIsTruncatedInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: "truncate -s 2500000 key-message")
        #expect(status == "74\n")
        #expect(outcome.complaint.contains("key-message: It had 3000066 bytes and ended after"), "\(outcome.complaint)")
        try expectWholeSegments(outcome.output)
    }

    @Test func aSourceThatIsAlteredInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: place.alteration(of: "key-message", at: 2_500_000))
        #expect(status == "77\n")
        #expect(outcome.complaint.contains("key-message: It was changed while it was being"), "\(outcome.complaint)")
        try expectWholeSegments(outcome.output)
    }

    @Test func aSourceThatIsReplacedInTheSecondPass() throws {
        let (outcome, status) = try decrypt(while: "cp plaintext other && mv other key-message")
        #expect(status == "0\n", "the open file is read on: \(outcome.complaint)")
        #expect(try outcome.output == place.read("plaintext"))
    }

    private func expectWholeSegments(_ output: Data) throws {
        let plaintext = try place.read("plaintext")
        #expect(output.count < plaintext.count)
        #expect(output.count.isMultiple(of: 256 * 1024))
        #expect(output == plaintext.prefix(output.count), "what came out is authentic")
    }

    /// Standard input cannot be opened if it is closed, or if it is a folder, which has no name to be searched by.
    @Test(arguments: ["encrypt", "decrypt", "verify", "inspect"]) func noInput(command: String) throws {
        let key = command == "inspect" ? "" : "--key-file key"
        let inputs = command == "encrypt" || command == "decrypt" ? ["", "-"] : ["-"]
        for input in inputs {
            try place.fail(
                "$RNCRYPTOR \(command) \(key) \(input) <&-", 66,
                saying: "standard input: It cannot be opened: Bad file descriptor.")
            let folder = try place.shell("$RNCRYPTOR \(command) \(key) \(input) < . > /dev/null; echo \"exit $?\" >&2")
            #expect(
                folder.complaint == "rncryptor: error: standard input: It cannot be opened: Is a directory.\nexit 66\n",
                "\(folder.complaint)")
        }
    }

    /// An error about a private copy says what the copy is for, since the user has not named its folder.
    @Test func noFolderForACopy() throws {
        let purpose = "the folder for what can be read once only, until it is verified; see TMPDIR"
        for folder in ["/nonexistent", "/proc", "/dev/null"] {
            try place.fail(
                "cat key-message | TMPDIR=\(folder) $RNCRYPTOR decrypt --key-file key", 73,
                saying: "\(folder) (\(purpose)): It cannot be")
        }
    }
}
