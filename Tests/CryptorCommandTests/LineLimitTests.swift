import Foundation
import CryptorTestSupport
import Testing

/// `--lines` at its limits, and what happens to the other lines when something fails.
@Suite struct LineLimitTests {
    private let place: Workplace
    private let encrypt = "$RNCRYPTOR encrypt --lines --key-file key"
    private let decrypt = "$RNCRYPTOR decrypt --lines --key-file key"
    private let limit = 16 << 20

    init() throws {
        place = try Workplace()
    }

    /// A file is read in parts whose length is a power of two. The last part ends where the longest line does, before
    /// its newline.
    @Test(arguments: ["", "echo", "echo; echo last"])
    func theLongestLineAtTheStartOfAFile(end: String) throws {
        try place.succeed(
            """
            { head -c \(limit) /dev/zero | tr '\\0' x; \(end.isEmpty ? ":" : end); } > lines
            { cat lines; \(end.isEmpty ? "echo" : ":"); } > expected
            \(encrypt) < lines > messages; \(decrypt) < messages | cmp - expected
            """)
    }

    /// A last line that is too long is refused, although it has no newline by which that would be noticed.
    @Test func aLastLineThatIsTooLong() throws {
        try place.fail(
            "head -c \(limit + 1) /dev/zero | \(encrypt)", 65, saying: "line 1: It has more than 16777216 bytes.")
    }

    /// The longest line makes the longest message under a password. For a line that is a byte longer, the error tells
    /// the limit.
    @Test func theLongestMessage() throws {
        let secret = "--password-file password"
        try place.succeed(
            """
            { head -c \(limit) /dev/zero | tr '\\0' x; echo; } > lines
            $RNCRYPTOR encrypt --lines \(secret) < lines > messages
            $RNCRYPTOR decrypt --lines \(secret) < messages | cmp - lines
            """)
        let count = (limit + 82 + 2) / 3 * 4
        #expect(try place.read("messages").count == count + 1)
        // White space in base64 text counts only for the length.
        try place.fail(
            "sed 's/$/ /' messages | $RNCRYPTOR decrypt --lines \(secret)", 65,
            saying: "line 1: It has more than \(count) bytes.")
    }

    /// The command waits for a pipe that its other owner has made non-blocking.
    @Test func aPipeThatDoesNotBlock() throws {
        try place.write(
            """
            import os, subprocess, sys, threading
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            os.write(writer, b"one\\n")
            threading.Timer(1, lambda: (os.write(writer, b"two\\n"), os.close(writer))).start()
            words = [os.environ["RNCRYPTOR"], "encrypt", "--lines", "--key-file", "key"]
            sys.exit(subprocess.run(words, stdin=reader).returncode)
            """, to: "slow.py")
        #expect(try place.succeed("python3 slow.py > messages; \(decrypt) < messages") == Data("one\ntwo\n".utf8))
    }

    /// `--lines` refuses --spool-limit, since it keeps no part of a line on the disk.
    @Test func noSpool() throws {
        try place.fail("echo x | \(decrypt) --spool-limit 1M", 64, saying: "--lines and --spool-limit exclude each")
    }

    /// The exit status says that OpenSSL has failed, for which the lines are not to blame.
    @Test(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
    func noRandomness() throws {
        let interposer = try Interposer.build("faults", in: place)
        let outcome = try place.fail(
            "printf 'a\\nb\\n' | LD_PRELOAD=\(interposer) \(encrypt)", 70, saying: "line 1: ",
            environment: ["FAULT": "rand:0:failure", "FAULT_NOTE": "/dev/null"])
        #expect(outcome.complaint.contains("no random bytes"), "\(outcome.complaint)")
        #expect(outcome.complaint.hasSuffix("error: 2 of 2 lines failed, as said above\n"), "\(outcome.complaint)")
    }

    /// Each read fails once. The lines before the failure come out and none after it, and the failure is reported,
    /// whatever else has failed.
    @Test(.enabled(if: Interposer.isAvailable, "there is no C compiler, or a sanitizer"))
    func aReadThatFails() throws {
        let interposer = try Interposer.build("faults", in: place)
        try place.succeed("{ echo no message; seq 60000 | \(encrypt); } > messages; seq 60000 > expected")
        let expected = try place.read("expected")
        var counts: [Int] = []
        for number in 1... {
            if place.exists("note") { try place.remove("note") }
            let outcome = try place.shell(
                "LD_PRELOAD=\(interposer) \(decrypt) < messages",
                environment: ["FAULT": "read:\(number):EIO", "FAULT_NOTE": "\(place.folder.path)/note"])
            let note = place.exists("note") ? String(decoding: try place.read("note"), as: UTF8.self) : ""
            guard note.contains("struck") else {
                #expect(outcome.status == 65 && outcome.output == expected, "\(number): \(outcome.complaint)")
                break
            }
            #expect([66, 74].contains(outcome.status), "\(number): \(outcome.status), \(outcome.complaint)")
            #expect(expected.starts(with: outcome.output), "\(number): no line is left out")
            guard !outcome.output.isEmpty else { continue }
            counts.append(outcome.output.count)
            #expect(outcome.status == 74, "\(number)")
            #expect(outcome.complaint.hasPrefix("rncryptor: error: line 1: "), "\(number): \(outcome.complaint)")
            #expect(
                outcome.complaint.hasSuffix("standard input: It cannot be read: Input/output error.\n"),
                "\(number): \(outcome.complaint)")
            #expect(outcome.output.last == 10, "\(number): what came out are whole lines")
            try #require(number < 200, "no end")
        }
        // Nothing is read after a failure, and nothing from before it is lost: when the last read fails, which would
        // have found the end, all lines come out.
        #expect(counts == counts.sorted() && (counts.first ?? .max) < expected.count / 2, "\(counts)")
        #expect(counts.last == expected.count, "\(counts)")
    }
}
