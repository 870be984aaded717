import Foundation
import Testing

/// A signal ends the command even if nobody reads what it prints.
@Suite struct StuckOutputTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        // The message is longer than what the command makes a pipe hold.
        try place.succeed("head -c 600000 /dev/zero > large; $RNCRYPTOR encrypt --key-file key -o sealed large")
    }

    /// Runs the command with a full pipe of 64 KiB as descriptor 9. After a second the command gets a signal. If that
    /// does not end it, it is killed, and the status is 137.
    private func run(_ words: String, signal: String) throws -> Workplace.Outcome {
        try place.shell(
            """
            mkfifo full && exec 9<>full && head -c 65536 /dev/zero >&9
            exec timeout --preserve-status -s \(signal) -k 30 1 $RNCRYPTOR \(words)
            """)
    }

    private static let signals = [("TERM", Int32(143)), ("INT", 130)]

    @Test(
        arguments: [
            "--help", "keygen", "inspect message", "verify --key-file key message",
            "verify --key-file key message message message", "inspect message",
            "encrypt --lines --key-file key < plaintext", "encrypt --lines --key-file key < password",
            "encrypt --key-file key large", "decrypt --key-file key sealed",
        ], signals)
    func standardOutput(words: String, signal: (name: String, status: Int32)) throws {
        let outcome = try run("\(words) >&9", signal: signal.name)
        #expect(outcome.status == signal.status, "\(words): \(outcome.complaint)")
        #expect(outcome.complaint.hasPrefix("rncryptor: error: interrupted"), "\(words): \(outcome.complaint)")
    }

    @Test(
        arguments: [
            "--frobnicate", "encrypt --key-file key nowhere", "verify --key-file key nowhere nobody message",
            "verify --key-file key nowhere nobody noone nothing", "inspect nowhere nobody",
            "encrypt --lines --key-file nowhere < plaintext", "decrypt --lines --key-file key < plaintext",
        ], signals)
    func standardError(words: String, signal: (name: String, status: Int32)) throws {
        let outcome = try run("\(words) 2>&9", signal: signal.name)
        #expect(outcome.status == signal.status, "\(words)")
    }

    /// The command can be ended while it reports thousands of wrong lines.
    @Test func manyLines() throws {
        try place.succeed("yes x | head -n 200000 > wrong")
        let outcome = try run("decrypt --lines --key-file key < wrong 2>&9", signal: "TERM")
        #expect(outcome.status == 143)
    }

    /// The command can be ended while both its outputs are stuck: 1,500 files take more lines than a pipe holds.
    @Test func manyFiles() throws {
        try place.succeed("for number in $(seq 1500); do ln message link-$number; done")
        for words in ["inspect", "verify --key-file key"] {
            try place.succeed("rm -f full")
            let outcome = try run("\(words) link-* >&9 2>&9", signal: "TERM")
            #expect(outcome.status == 143, "\(words)")
        }
    }

    /// The command can be ended at a terminal that nobody reads, or that is held by Ctrl-S. The lines are long, so the
    /// terminal has room for only a part of one when it gets full.
    @Test(arguments: ["inspect", "verify --key-file key"], [false, true])
    func terminal(words: String, isHeld: Bool) throws {
        try place.succeed("for number in $(seq 300); do ln message link-$number; done")
        let terminal = try PseudoTerminal(
            "prefix=$(printf './%.0s' $(seq 1000)); read line; "
                + "timeout --foreground --preserve-status -s TERM -k 30 1 $RNCRYPTOR \(words) ${prefix}link-*; "
                + "echo $? > status", in: place.folder)
        terminal.type("\n")
        if isHeld { terminal.type("\u{13}") }
        // Nothing is read from the terminal meanwhile.
        for _ in 0..<600 where !place.exists("status") { usleep(100_000) }
        usleep(100_000)
        #expect(place.exists("status"))
        #expect(try String(decoding: place.read("status"), as: UTF8.self) == "143\n")
        terminal.type("\u{11}")
        #expect(terminal.finish() == 0)
    }
}
