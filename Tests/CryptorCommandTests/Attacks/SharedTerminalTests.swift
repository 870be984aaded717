import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A terminal that is not the command's alone when it asks for a password: another command asks as well, somebody changes
/// the settings, or has left it in a state of its own.
@Suite struct SharedTerminalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --password-env PASSWORD -o message plaintext", environment: ["PASSWORD": "open sesame"])
    }

    /// Waits for a prompt; for half a second nothing else may come.
    private func awaitPrompt(_ terminal: PseudoTerminal) throws {
        try terminal.wait(for: ": ")
        #expect(!terminal.echoes)
        #expect(!terminal.showsMore(within: 500), "two prompts at once: \(terminal.screen)")
    }

    /// The ordinary way to change a password by a pipe. Whoever comes first, each asks when the other is done, and nothing
    /// that is typed is shown.
    @Test func twoCommandsInAPipeline() throws {
        for _ in 0..<3 {
            let terminal = try PseudoTerminal(
                "$RNCRYPTOR decrypt message | $RNCRYPTOR encrypt -f -o other; echo status $?; read line",
                in: place.folder)
            for _ in 0..<3 {
                try awaitPrompt(terminal)
                terminal.type("open sesame\n")
            }
            try terminal.wait(for: "status 0")
            #expect(terminal.echoes)
            #expect(!terminal.everything.contains("sesame"), "\(terminal.everything)")
            let plaintext = try place.succeed(
                "$RNCRYPTOR decrypt --password-env PASSWORD other", environment: ["PASSWORD": "open sesame"])
            #expect(plaintext == Data("attack at dawn".utf8))
            terminal.type("\n")
            #expect(terminal.finish() == 0)
        }
    }

    /// Two that decrypt, their processes in "first" and "second", of which the first asks.
    private func two() throws -> PseudoTerminal {
        let command = "exec $RNCRYPTOR decrypt -o $0 message"
        let terminal = try PseudoTerminal(
            """
            export RNCRYPTOR; { sh -c 'echo $$ > one; \(command)' out-1; echo one $?; } &
            while ! test -e go; do sleep 0.05; done
            { sh -c 'echo $$ > two; \(command)' out-2; echo two $?; } & wait; echo ended; read line
            """, in: place.folder)
        try terminal.wait(for: "Password: ")
        try place.succeed("touch go; until test -s two; do sleep 0.05; done")
        #expect(!terminal.showsMore(within: 500), "two prompts at once: \(terminal.screen)")
        return terminal
    }

    /// Whatever ends the one that asks, the other has its turn then.
    @Test(arguments: [("TERM", 143), ("HUP", 129), ("USR1", 138), (nil, 0)])
    func theOtherHasItsTurn(signal: String?, status: Int) throws {
        let terminal = try two()
        if let signal { try place.succeed("kill -\(signal) $(cat one)") } else { terminal.type("open sesame\n") }
        try terminal.wait { $0.contains("one \(status)") && $0.ranges(of: "Password: ").count == 2 }
        #expect(!terminal.echoes)
        terminal.type("open sesame\n")
        try terminal.wait { $0.contains("ended") }
        #expect(terminal.echoes)
        #expect(!terminal.everything.contains("sesame"), "\(terminal.everything)")
        #expect(terminal.everything.contains("two 0"))
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// And who is stopped meanwhile asks again when it goes on.
    @Test func theOtherHasItsTurnWhileOneIsStopped() throws {
        let terminal = try PseudoTerminal(
            "set -m; $RNCRYPTOR decrypt -o out-1 message; $RNCRYPTOR decrypt -o out-2 message; echo second $?; "
                + "fg; echo first $?; read line", in: place.folder)
        try awaitPrompt(terminal)
        terminal.type("\u{1A}")
        try awaitPrompt(terminal)
        terminal.type("open sesame\n")
        try terminal.wait(for: "second 0")
        try awaitPrompt(terminal)
        terminal.type("open sesame\n")
        try terminal.wait(for: "first 0")
        #expect(terminal.echoes)
        #expect(!terminal.everything.contains("sesame"), "\(terminal.everything)")
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// Whoever waits for the other can be ended, and nobody's echo changes by that.
    @Test(arguments: [("TERM", 143), ("HUP", 129), ("USR1", 138), ("KILL", 137)])
    func theWaitCanBeEnded(signal: String, status: Int) throws {
        let terminal = try two()
        let modes = terminal.modes
        try place.succeed("kill -\(signal) $(cat two)")
        try terminal.wait(for: "two \(status)")
        #expect(!terminal.echoes && terminal.modes == modes)
        terminal.type("open sesame\n")
        try terminal.wait(for: "one 0")
        try terminal.wait(for: "ended")
        #expect(terminal.echoes)
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// Somebody else switches the echo on while a password is typed: it does not stay so.
    @Test func theEchoIsSwitchedOnMeanwhile() throws {
        let terminal = try PseudoTerminal(
            "$RNCRYPTOR decrypt message -o out; echo status $?; read line", in: place.folder)
        try terminal.wait(for: "Password: ")
        for part in ["open ", "ses"] {
            terminal.echoes = true
            for _ in 0..<600 where terminal.echoes { usleep(50_000) }
            #expect(!terminal.echoes)
            terminal.type(part)
        }
        terminal.type("ame\n")
        try terminal.wait(for: "status 0")
        #expect(terminal.echoes)
        #expect(!terminal.everything.contains("ses"), "\(terminal.everything)")
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// A terminal that somebody has left raw: Return ends the prompt, backspace takes a letter away, Ctrl-C ends the
    /// command, and afterwards the terminal is as it was.
    @Test(arguments: ["raw", "raw -echo", "-icanon -icrnl", "igncr", "inlcr -icrnl", "-isig"])
    func terminalsInAnotherState(settings: String) throws {
        for (keys, status) in [("open sesamX\u{7F}e\r", 0), ("open\u{3}", 130)] {
            let terminal = try PseudoTerminal(
                "trap : INT; stty \(settings); before=$(stty -g); $RNCRYPTOR decrypt -f message -o out; "
                    + "echo status $?.; [ $(stty -g) = $before ] && echo same; stty sane; echo ready; read line",
                in: place.folder)
            try terminal.wait(for: "Password: ")
            #expect(!terminal.echoes)
            terminal.type(keys)
            try terminal.wait(for: "status \(status).")
            try terminal.wait(for: "same")
            try terminal.wait(for: "ready")
            terminal.type("\n")
            #expect(terminal.finish() == 0, "\(settings): \(terminal.everything)")
        }
    }
}
