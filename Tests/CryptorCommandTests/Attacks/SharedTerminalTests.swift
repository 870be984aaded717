import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// The terminal is not the command's alone when it asks for a password: another command asks as well, or somebody
/// changes the settings or has left them in an unusual state.
@Suite struct SharedTerminalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --password-env PASSWORD -o message plaintext", environment: ["PASSWORD": "open sesame"])
    }

    /// Waits for a prompt. Nothing else must come for half a second.
    private func awaitPrompt(_ terminal: PseudoTerminal) throws {
        try terminal.wait(for: ": ")
        #expect(!terminal.echoes)
        #expect(!terminal.showsMore(within: 500), "two prompts at once: \(terminal.screen)")
    }

    /// This is the ordinary way to change a password with a pipe. Whichever command comes first, each asks when the
    /// other is done, and nothing that is typed is shown.
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

    /// Starts two commands that decrypt, with their process IDs in the files "one" and "two". The first one asks.
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

    /// Whatever ends the command that asks, the other then has its turn.
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

    /// The other has its turn while the first is stopped, and the first asks again when it continues.
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

    /// A command that waits for the other can be ended, and the echo does not change.
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

    /// If another program switches the echo on while a password is typed, the command switches it off again.
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

    /// In a terminal that was left raw, Return ends the prompt, backspace removes a letter, and Ctrl-C ends the
    /// command. Afterwards the terminal is as it was.
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
