import CryptorTestSupport
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Signals while a password is typed: the echo is on whenever the command is not running to hide
/// what is typed.
@Suite(.onItsOwnThread) struct PromptSignalTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed(
            "$RNCRYPTOR encrypt --password-env PASSWORD -o message plaintext",
            environment: ["PASSWORD": "open sesame"])
    }

    /// The command, which notes its process ID in a file.
    private static let decrypt =
        "sh -c 'echo $$ > process; exec \"$0\" decrypt message -o out' $RNCRYPTOR"

    /// A shell loop that waits until a process is stopped.
    private static func untilStopped(_ process: String) -> String {
        "for round in $(seq 600); do ps -o state= -p \(process) | grep -q T && break; "
            + "sleep 0.05; done"
    }

    /// A shell loop that waits until the command has ended.
    private static let untilEnded =
        "for round in $(seq 600); do ps -o state= -p $(cat process) | grep -q '[^Z]' || break; "
        + "sleep 0.05; done"

    /// Starts a script that runs the command, and waits for the prompt.
    private func prompt(_ script: String = "(\(decrypt)); echo status $?; read line") throws
        -> PseudoTerminal
    {
        let terminal = try PseudoTerminal(script, in: place.directory)
        try terminal.wait(for: "Password: ")
        #expect(!terminal.echoes)
        return terminal
    }

    private func send(_ signal: String) throws {
        try place.succeed("kill -\(signal) $(cat process)")
    }

    /// Lets the shell end after the command.
    private func end(_ terminal: PseudoTerminal) {
        #expect(terminal.echoes)
        terminal.type("\n")
        #expect(terminal.finish() == 0, "\(terminal.everything)")
    }

    /// Types the password, which opens the message.
    private func finish(_ terminal: PseudoTerminal) throws {
        #expect(!terminal.echoes)
        terminal.type("open sesame\n")
        try terminal.wait(for: "status 0")
        #expect(!terminal.screen.contains("sesame"))
        #expect(try place.read("out") == Data("attack at dawn".utf8))
        end(terminal)
    }

    /// Signals that do not end the command, and those that stop it.
    private static let harmless = [SIGCHLD, SIGURG, SIGWINCH, SIGPIPE, SIGXFSZ]
    private static let stopping = [SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT]

    /// The signals that end a process and can be caught: all others, but for those that the C
    /// library does not let anybody handle. A sanitizer handles those of faults.
    private static let ending: [Int32] = {
        let faults = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS]
        var others = harmless + stopping + [SIGKILL, SIGSTOP]
        if Sanitizer.watchesMemory { others += faults }
        #if os(Linux)
        return (1...64).filter { !(others + [32, 33]).contains($0) }
        #else
        return (1...31).filter { !(others + [SIGIO, SIGINFO]).contains($0) }
        #endif
    }()

    /// What ends it brings the echo back, be it Ctrl-C or Ctrl-\. What was typed does not become
    /// the beginning of the shell's next line.
    @Test(arguments: ending) func ended(number: Int32) throws {
        let terminal = try prompt(
            "trap : INT QUIT; (\(Self.decrypt)); echo status $?; read next; "
                + "echo \"<$next>\"; read line")
        terminal.type("open")
        try place.succeed("sleep 0.2")
        switch number {
        case SIGINT: terminal.type("\u{3}")
        case SIGQUIT: terminal.type("\u{1C}")
        default: try send("\(number)")
        }
        try terminal.wait(for: "status \(128 + number)")
        #expect(terminal.echoes, "after signal \(number)")
        #expect(!place.exists("out"))
        terminal.type("x\n")
        try terminal.wait(for: "<x>")
        end(terminal)
    }

    /// A signal that ends nothing leaves the prompt as it is.
    @Test(arguments: harmless) func notEnded(number: Int32) throws {
        let terminal = try prompt()
        try send("\(number)")
        try finish(terminal)
    }

    /// Ctrl-C ends a loop of bash and its command as a whole, at the prompt and while a message is
    /// read: bash looks whether its child was ended by the signal. Ctrl-\ ends the command, and the
    /// loop goes on, as it does with any command.
    @Test(arguments: ["decrypt message", "encrypt --key-file key /dev/zero"])
    func aLoopOfBash(words: String) throws {
        let terminal = try PseudoTerminal(
            """
            exec bash -c 'for round in first second; do
                echo $round round; "$0" \(words) -o out; echo $? after the $round
            done; echo after the loop' $RNCRYPTOR
            """, in: place.directory)
        for (round, key) in [("first", "\u{1C}"), ("second", "\u{3}")] {
            try terminal.wait(for: "\(round) round")
            if words.hasPrefix("decrypt") {
                try terminal.wait(for: "Password: ")
            } else {
                try place.succeed("sleep 1")
            }
            terminal.type(key)
        }
        #expect(terminal.finish() == -SIGINT, "\(terminal.everything)")
        #expect(terminal.everything.contains("131 after the first"), "\(terminal.everything)")
        #expect(!terminal.everything.contains("after the second"), "\(terminal.everything)")
        #expect(!terminal.everything.contains("after the loop"), "\(terminal.everything)")
        #expect(!place.exists("out"))
    }

    /// A terminal that is closed ends the command, too.
    @Test func theTerminalIsClosed() throws {
        _ = try prompt("(\(Self.decrypt))")
        try place.succeed(
            "\(Self.untilEnded); ! ps -o state= -p $(cat process) | grep '[^Z]' && ! test -e out")
    }

    /// Signals that are ignored, as after nohup(1), stay ignored.
    @Test(arguments: ["HUP", "INT", "TERM", "USR1", "ALRM", "TSTP"]) func ignoredSignals(
        name: String
    ) throws {
        let terminal = try prompt("trap '' \(name); (\(Self.decrypt)); echo status $?; read line")
        try send(name)
        try finish(terminal)
    }

    /// After Ctrl-Z the shell shows what is typed. After `fg` the prompt comes again and hides it,
    /// and what was typed before is discarded. This works twice.
    @Test(arguments: ["\u{1A}", "TSTP", "TTIN", "TTOU"]) func stoppedAndContinued(how: String)
        throws
    {
        let terminal = try prompt(
            "set -m; \(Self.decrypt); echo first $?; read line; fg; echo second $?; read line; "
                + "fg; echo status $?; read line")
        for round in ["first", "second"] {
            #expect(!terminal.echoes)
            terminal.type("wrong\u{4}")
            if how == "\u{1A}" { terminal.type(how) } else { try send(how) }
            try terminal.wait(for: "\(round) ")
            #expect(terminal.echoes, "\(how), \(round)")
            terminal.type("\n")
            try terminal.wait(for: "Password: ")
        }
        // No alarm of the command's own follows.
        if how == "TSTP" { try place.succeed("sleep 1.2") }
        try finish(terminal)
    }

    /// After a stop, an alarm of somebody else ends the command as before, also while it is
    /// stopped. One that was ignored at the start stays ignored.
    @Test(arguments: [false, true], [false, true])
    func anAlarmAfterAStop(isIgnored: Bool, isStopped: Bool) throws {
        let terminal = try prompt(
            "\(isIgnored ? "trap '' ALRM;" : "") set -m; \(Self.decrypt); echo first $?; "
                + "read line; fg; echo status $?; read line")
        try send("TSTP")
        try terminal.wait(for: "first ")
        if isStopped { try send("ALRM") }
        terminal.type("\n")
        if isIgnored || !isStopped { try terminal.wait(for: "Password: ") }
        if !isStopped { try send("ALRM") }
        guard !isIgnored else { return try finish(terminal) }
        try terminal.wait(for: "status \(128 + SIGALRM)")
        end(terminal)
    }

    /// SIGSTOP cannot be caught. If a shell turns the echo on meanwhile, the command turns it off
    /// again when it continues.
    @Test(arguments: [false, true]) func stoppedUnseenAndContinued(echoComesBack: Bool) throws {
        let terminal = try prompt()
        try send("STOP")
        try place.succeed(Self.untilStopped("$(cat process)"))
        terminal.type("wrong")
        if echoComesBack { terminal.echoes = true }
        try send("CONT")
        try terminal.wait(for: "Password: ")
        try finish(terminal)
    }

    /// In the background, where the terminal is not its own, the command waits until it is brought
    /// to the foreground.
    @Test func startedInTheBackground() throws {
        let terminal = try PseudoTerminal(
            """
            set -m; \(Self.decrypt) &
            \(Self.untilStopped("$!"))
            echo it waits; read line; fg; echo status $?; read line
            """, in: place.directory)
        try terminal.wait(for: "it waits")
        #expect(terminal.echoes)
        #expect(!terminal.screen.contains("Password: "))
        terminal.type("\n")
        try terminal.wait(for: "Password: ")
        try finish(terminal)
    }

    /// A command that was stopped by SIGSTOP and is then ended in the background leaves the
    /// settings as the shell has made them.
    @Test func endedWhileStopped() throws {
        let terminal = try prompt(
            """
            set -m; \(Self.decrypt); echo stopped
            stty sane ixany; before=$(stty -g); kill -TERM $(cat process); kill -CONT $(cat process)
            \(Self.untilEnded)
            [ "$(stty -g)" = "$before" ] && echo same; stty sane; echo ended; read line
            """)
        try send("STOP")
        try terminal.wait(for: "ended")
        #expect(terminal.everything.contains("same"), "\(terminal.everything)")
        end(terminal)
    }
}
