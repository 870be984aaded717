import Foundation
import CryptorTestSupport
import Testing

/// The table of bad input in the documentation: each case has its exit status and a sentence, and leaves nothing
/// half-written.
@Suite struct RefusalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write(Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }), to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o key-message plaintext")
    }

    /// Each kind of damaged message is refused with a sentence of its own.
    @Test(arguments: [
        (": > bad", 65, "The message is empty"),
        ("head -c 81 message > bad", 65, "the shortest of its kind has 82"),
        ("head -c 1000000 message > bad", 65, "not a multiple of 16"),
        ("{ cat message; echo; } > bad", 65, "not a multiple of 16"),
        ("{ printf '\\004'; tail -c +2 message; } > bad", 65, "The first byte is 4"),
        ("{ printf 'RNC\\004'; cat message; } > bad", 65, "version 4 is a draft that is not supported"),
        ("{ printf '\\003\\003'; tail -c +3 message; } > bad", 65, "The options byte is 3"),
        (
            "base64 message | sed '1000s/./!/' > bad", 65,
            "starts as base64 text, but what is at byte 76923 is not base64"
        ),
        ("base64 message | tail -c +3 > bad", 65, "The first byte is"),
        ("base64 key-message > bad", 65, "encrypted with keys, and a password was given"),
        ("cp key-message bad", 65, "encrypted with keys, and a password was given"),
        ("{ head -c 2000000 message; printf x; tail -c +2000002 message; } > bad", 77, "The HMAC does not match"),
        ("{ head -c 82 message; tail -c +99 message; } > bad", 77, "The HMAC does not match"),
        ("cp plaintext bad", 65, "The input starts as version 0, and only versions 3 and 2 are accepted here"),
    ])
    func messages(spoil: String, status: Int32, words: String) throws {
        try place.succeed(spoil)
        let before = try place.names()
        try place.fail("$RNCRYPTOR decrypt --password-file password bad", status, saying: "bad: ")
        try place.fail("$RNCRYPTOR decrypt --password-file password -o out bad", status, saying: words)
        try place.fail("cat bad | $RNCRYPTOR decrypt --password-file password -o out", status, saying: words)
        try place.fail("$RNCRYPTOR decrypt --password-file password < bad", status, saying: words)
        try place.fail("cat bad | $RNCRYPTOR decrypt --password-file password", status, saying: words)
        #expect(try place.names() == before)
    }

    @Test func keysForAPasswordMessage() throws {
        try place.fail(
            "$RNCRYPTOR decrypt --key-file key message", 65, saying: "encrypted with a password, and keys were given")
    }

    /// A wrong password and an altered message get the same text, since nobody can tell them apart.
    @Test func wrongPasswordAndAlteredMessageGetTheSameText() throws {
        try place.succeed("{ cat message; head -c 16 /dev/zero; } > bad")
        let wrong = try place.fail("$RNCRYPTOR decrypt --password-file wrong-password message", 77, saying: "HMAC")
        let altered = try place.fail("$RNCRYPTOR decrypt --password-file password bad", 77, saying: "HMAC")
        #expect(wrong.complaint == altered.complaint.replacingOccurrences(of: "bad:", with: "message:"))
    }

    /// If one bit of a message of 10 MiB is altered, in any of 1,000 places, not a byte comes out.
    @Test func tamperedMessagesReleaseNothing() throws {
        try place.succeed("head -c 10485760 /dev/urandom | $RNCRYPTOR encrypt --key-file key > long")
        let message = try place.read("long")
        var generator = SeededGenerator()
        let edges = [0, 1, 2, 17, 18, message.count - 49, message.count - 33, message.count - 32, message.count - 1]
        let offsets = edges + (edges.count..<1000).map { _ in Int.random(in: 0..<message.count, using: &generator) }
        let script = """
            import os, subprocess, sys
            command, offsets = os.environ["RNCRYPTOR"], map(int, sys.argv[1].split(","))
            for round, offset in enumerate(offsets):
                with open("long", "r+b") as file:
                    file.seek(offset); byte = file.read(1)[0]
                    file.seek(offset); file.write(bytes([byte ^ 1 << round % 8]))
                words = [command, "decrypt", "--key-file", "key", "long"] + (["-o", "out"] if round % 2 else [])
                run = subprocess.run(words, capture_output=True)
                if run.returncode not in (65, 77) or run.stdout or os.path.exists("out"):
                    sys.exit(f"bit {round % 8} of byte {offset}: exit {run.returncode}, {len(run.stdout)} bytes came out")
                with open("long", "r+b") as file:
                    file.seek(offset); file.write(bytes([byte]))
            """
        try place.write(script, to: "tamper.py")
        let list = offsets.map(String.init).joined(separator: ",")
        let outcome = try place.shell("python3 tamper.py \(list)")
        #expect(outcome.status == 0, "\(generator): \(outcome.complaint)")
        #expect(try place.read("long") == message, "the test put every bit back")
        try place.succeed("$RNCRYPTOR verify --quiet --key-file key long")
    }

    // MARK: Usage

    @Test(arguments: [
        "", "frobnicate", "--frobnicate", "encrypt --frobnicate", "encrypt -x", "encrypt --help=1",
    ])
    func misuse(words: String) throws {
        let outcome = try place.fail("$RNCRYPTOR \(words)", 64, saying: "rncryptor: error: ")
        #expect(outcome.complaint.contains("Usage: rncryptor "))
    }

    @Test(arguments: ["--help", "-h", "help encrypt", "encrypt --help", "decrypt -h", "--version"])
    func help(words: String) throws {
        let text = String(decoding: try place.succeed("$RNCRYPTOR \(words)"), as: UTF8.self)
        #expect(text.contains(words == "--version" ? "OpenSSL " : "Usage: rncryptor "))
    }
}
