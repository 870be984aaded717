import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Signals while a password is typed: the echo is on whenever the command is not running to hide what is typed.
@Suite struct PromptSignalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --password-env PASSWORD -o message plaintext", environment: ["PASSWORD": "open sesame"])
    }

    /// A shell loop that waits until a process is stopped.
    private func untilStopped(_ process: String) -> String {
        "for round in $(seq 600); do ps -o state= -p \(process) | grep -q T && break; sleep 0.05; done"
    }

    /// Starts the command and waits for its prompt. The file "process" has its process ID, and its shell then waits for
    /// a line.
    private func prompt(_ prologue: String = "", epilogue: String = "") throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            "\(prologue) (sh -c 'echo $$ > process; exec \"$0\" decrypt message -o out' $RNCRYPTOR); "
                + "echo status $?; \(epilogue) read line", in: place.folder)
        try terminal.wait(for: "Password: ")
        #expect(!terminal.echoes)
        return terminal
    }

    private func finish(_ terminal: PseudoTerminal) throws {
        terminal.type("open sesame\n")
        try terminal.wait(for: "status 0")
        #expect(terminal.echoes)
        #expect(!terminal.screen.contains("sesame"))
        #expect(try place.read("out") == Data("attack at dawn".utf8))
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    private static var ending: [Int32] {
        let numbers = [
            SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM,
            SIGTERM,
            SIGXCPU, SIGVTALRM, SIGPROF, SIGSYS, SIGIO,
        ]
        #if os(Linux)
        return numbers + [SIGSTKFLT, SIGPWR, 34, 50, 64]
        #else
        return numbers
        #endif
    }

    @Test(arguments: ending) func whateverEndsItBringsTheEchoBack(number: Int32) throws {
        let terminal = try prompt()
        terminal.type("open")
        try place.succeed("kill -\(number) $(cat process)")
        try terminal.wait(for: "status \(128 + number)")
        #expect(terminal.echoes, "after signal \(number)")
        #expect(!place.exists("out"))
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// Signals that are ignored, as after nohup(1), stay ignored.
    @Test(arguments: ["HUP", "INT", "TERM", "USR1", "ALRM", "TSTP"]) func ignoredSignals(name: String) throws {
        let terminal = try prompt("trap '' \(name);")
        try place.succeed("kill -\(name) $(cat process)")
        try finish(terminal)
    }

    /// After Ctrl-Z the shell shows what is typed. After `fg` the prompt comes again and hides it, and what was typed
    /// before is discarded. This works twice.
    @Test(arguments: ["\u{1A}", "TSTP", "TTIN", "TTOU"]) func stoppedAndContinued(how: String) throws {
        let terminal = try PseudoTerminal(
            "set -m; sh -c 'echo $$ > process; exec \"$0\" decrypt message -o out' $RNCRYPTOR; echo first $?; read line; "
                + "fg; echo second $?; read line; fg; echo status $?; read line", in: place.folder)
        try terminal.wait(for: "Password: ")
        for round in ["first", "second"] {
            #expect(!terminal.echoes)
            terminal.type("wrong\u{4}")
            if how == "\u{1A}" { terminal.type(how) } else { try place.succeed("kill -\(how) $(cat process)") }
            try terminal.wait(for: "\(round) ")
            #expect(terminal.echoes, "\(how), \(round)")
            terminal.type("\n")
            try terminal.wait(for: "Password: ")
        }
        #expect(!terminal.echoes)
        try finish(terminal)
    }

    /// SIGSTOP cannot be caught. If a shell turns the echo on meanwhile, the command turns it off again when it
    /// continues.
    @Test(arguments: [false, true]) func stoppedUnseenAndContinued(echoComesBack: Bool) throws {
        let terminal = try prompt()
        try place.succeed(
            """
            kill -STOP $(cat process)
            \(untilStopped("$(cat process)"))
            """)
        terminal.type("wrong")
        if echoComesBack {
            terminal.echoes = true
        }
        try place.succeed("kill -CONT $(cat process)")
        try terminal.wait(for: "Password: ")
        #expect(!terminal.echoes)
        try finish(terminal)
    }

    /// In the background, where the terminal is not its own, the command waits until it is brought to the foreground.
    @Test func startedInTheBackground() throws {
        let terminal = try PseudoTerminal(
            """
            set -m; sh -c 'echo $$ > process; exec "$0" decrypt message -o out' $RNCRYPTOR &
            \(untilStopped("$!"))
            echo it waits; read line; fg; echo status $?; read line
            """, in: place.folder)
        try terminal.wait(for: "it waits")
        #expect(terminal.echoes)
        #expect(!terminal.screen.contains("Password: "))
        terminal.type("\n")
        try terminal.wait(for: "Password: ")
        #expect(!terminal.echoes)
        try finish(terminal)
    }

    /// A command that was stopped by SIGSTOP and is then ended in the background turns the echo on, since nobody else
    /// would.
    @Test func endedWhileStopped() throws {
        let terminal = try PseudoTerminal(
            """
            set -m; sh -c 'echo $$ > process; exec "$0" decrypt message -o out' $RNCRYPTOR; echo stopped
            kill -USR1 $(cat process); kill -CONT $(cat process)
            for round in $(seq 600); do ps -o state= -p $(cat process) | grep -q '[^Z]' || break; sleep 0.05; done
            echo ended; read line
            """, in: place.folder)
        try terminal.wait(for: "Password: ")
        try place.succeed("kill -STOP $(cat process)")
        try terminal.wait(for: "ended")
        #expect(terminal.echoes)
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// What was typed of a password does not become the beginning of the next command.
    @Test(arguments: ["TERM", "USR1"]) func nothingOfItIsLeftForTheShell(signal: String) throws {
        let terminal = try prompt(epilogue: "read next; echo \"<$next>\";")
        terminal.type("open")
        try place.succeed("sleep 0.2; kill -\(signal) $(cat process)")
        try terminal.wait(for: "status ")
        terminal.type("x\n")
        try terminal.wait(for: "<x>")
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// A command that is ended in the background leaves the settings of the shell as they are, whether they differ in
    /// the input, the output or the rest.
    @Test(arguments: ["ixany", "-onlcr", "-echoe", "raw -echo"]) func endedUnderOthersSettings(settings: String) throws
    {
        let terminal = try PseudoTerminal(
            """
            set -m; sh -c 'echo $$ > process; exec "$0" decrypt message -o out' $RNCRYPTOR; echo stopped
            stty \(settings); before=$(stty -g); kill -USR1 $(cat process); kill -CONT $(cat process)
            for round in $(seq 600); do ps -o state= -p $(cat process) | grep -q '[^Z]' || break; sleep 0.05; done
            after=$(stty -g); stty sane; [ "$after" = "$before" ] && echo same; echo ended; read line
            """, in: place.folder)
        try terminal.wait(for: "Password: ")
        try place.succeed("kill -STOP $(cat process)")
        try terminal.wait(for: "ended")
        #expect(terminal.everything.contains("same"), "\(terminal.everything)")
        terminal.type("\n")
        #expect(terminal.finish() == 0)
    }

    /// Work that is stopped in the middle continues where it was.
    @Test(arguments: ["encrypt --progress --key-file key", "encrypt --lines --key-file key", "verify --key-file key -"])
    func workIsStoppedAndContinued(words: String) throws {
        let plaintext = Data(String(repeating: "attack at dawn\n", count: 40_000).utf8)
        try place.write(plaintext, to: "long")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o long-message long; mkfifo in")
        let input = words.hasPrefix("verify") ? "long-message" : "long"
        // The script runs at a terminal, where it starts with no signal blocked.
        let terminal = try PseudoTerminal(
            """
            true; $RNCRYPTOR \(words) < in > result & process=$!
            exec 3> in; head -c 300000 \(input) >&3
            kill -STOP $process; \(untilStopped("$process"))
            sleep 0.6; kill -CONT $process
            tail -c +300001 \(input) >&3; exec 3>&-
            wait $process
            """, in: place.folder)
        #expect(terminal.finish() == 0, "\(words): \(terminal.screen)")
        switch words.split(separator: " ")[1] {
        case "--progress": #expect(try place.succeed("$RNCRYPTOR decrypt --key-file key result") == plaintext)
        case "--lines": #expect(try place.succeed("$RNCRYPTOR decrypt --lines --key-file key < result") == plaintext)
        default:
            #expect(try place.read("result") == Data("standard input: authentic, 600000 bytes of plaintext\n".utf8))
        }
    }
}
