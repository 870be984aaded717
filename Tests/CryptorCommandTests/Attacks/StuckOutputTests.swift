import Foundation
import CryptorTestSupport
import Testing

/// A signal ends the command even if nobody reads what it prints.
@Suite(.onItsOwnThread) struct StuckOutputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace(plaintext: "attack at dawn")
        // These are longer than what the command makes a pipe hold: a message, and a list of files.
        try place.succeed(
            "head -c 600000 /dev/zero > large; $RNCRYPTOR encrypt --key-file key -o sealed large")
        for number in 1...1500 {
            let link = place.directory.appendingPathComponent("link-\(number)")
            try FileManager.default.linkItem(
                at: place.directory.appendingPathComponent("message"), to: link)
        }
    }

    /// The command runs with a full pipe of 64 KiB as descriptor 9. After a second it gets a
    /// signal. If that does not end it, it is killed, and the status is 137.
    @Test(
        arguments: [
            "--help >&9", "keygen >&9", "inspect message >&9",
            "verify --key-file key message message message >&9",
            "encrypt --lines --key-file key < plaintext >&9", "encrypt --key-file key large >&9",
            "decrypt --key-file key sealed >&9", "--frobnicate 2>&9",
            "encrypt --key-file key nowhere 2>&9",
            "verify --key-file key nowhere nobody message 2>&9", "inspect nowhere nobody 2>&9",
            "encrypt --lines --key-file nowhere < plaintext 2>&9", "inspect link-* >&9 2>&9",
            "decrypt --lines --key-file key < plaintext 2>&9",
            "yes x | decrypt --lines --key-file key 2>&9",
            "verify --key-file key link-* >&9 2>&9",
        ], [("TERM", Int32(143)), ("INT", 130)])
    func aFullPipe(words: String, signal: (name: String, status: Int32)) throws {
        let (input, command) =
            words.hasPrefix("yes x | ") ? ("yes x | ", String(words.dropFirst(8))) : ("", words)
        // On a busy machine, the command may need more than a second until it sees signals.
        var outcome = Workplace.Outcome(status: 0, output: Data(), complaint: "")
        for seconds in [1, 10] where !outcome.complaint.hasPrefix("rncryptor: error: interrupted") {
            outcome = try place.shell(
                """
                rm -f full; mkfifo full && exec 9<>full && head -c 65536 /dev/zero >&9
                \(input)timeout --foreground --preserve-status -s \(signal.name) -k 60 \(seconds) \
                    $RNCRYPTOR \(command)
                """)
            if words.contains("2>&9") { break }
        }
        #expect(outcome.status == signal.status, "\(words): \(outcome.complaint)")
        #expect(
            words.contains("2>&9") || outcome.complaint.hasPrefix("rncryptor: error: interrupted"),
            "\(words): \(outcome.complaint)")
    }

    /// The command can be ended at a terminal that nobody reads, or that is held by Ctrl-S. The
    /// lines are long, so the terminal has room for only a part of one when it gets full.
    @Test(arguments: ["inspect", "verify --key-file key"], [false, true])
    func terminal(words: String, isHeld: Bool) throws {
        let terminal = try PseudoTerminal(
            "prefix=$(printf './%.0s' $(seq 1000)); read line; "
                + "timeout --foreground --preserve-status -s TERM -k 30 1 "
                + "$RNCRYPTOR \(words) ${prefix}link-1*; "
                + "echo $? > s; mv s status", in: place.directory)
        terminal.type("\n")
        if isHeld { terminal.type("\u{13}") }
        // Nothing is read from the terminal meanwhile.
        for _ in 0..<600 where !place.exists("status") { usleep(100_000) }
        usleep(100_000)
        #expect(try place.exists("status") && place.read("status") == Data("143\n".utf8))
        terminal.type("\u{11}")
        #expect(terminal.finish() == 0)
    }
}
