import CryptorTestSupport
import Foundation
import Testing

/// The scripts in `Scripts`: commands that a user could have typed, and beside them what they
/// print.
///
/// `$ command` runs a line of `sh`, and lines with `> ` continue it. Each has a shell of its own:
/// only files remain. Below it are standard output,
/// standard error with `! `, and `? 64` for an exit status other than 0. An empty line of output is
/// written as `\`, and so is the end of a last line without a newline. `...` within a line stands
/// for any text, and alone on a line for any number of lines. Lines with `#` are comments. A script
/// runs in a directory of its own, with the files of ``Workplace``.
///
/// `rounds 5 80` prints the numbers up to 5, and in a thorough run up to 80.
///
/// What comes after `% root` is left out unless the tests run as root, who can act for other users.
/// `% faults` stands for `Interposers/faults.c`, and so on: the rest is left out where there are no
/// interposers, and `$INTERPOSER` is its path.
@Suite(.onItsOwnThread) struct ScriptTests {
    struct Script: Sendable, CustomTestStringConvertible {
        let url: URL

        var testDescription: String { url.lastPathComponent }

        /// All scripts.
        static func all() throws -> [Script] {
            let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Scripts")
            let scripts = try FileManager.default.contentsOfDirectory(
                at: directory, includingPropertiesForKeys: nil
            )
            .filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
            guard !scripts.isEmpty else {
                throw PseudoTerminal.Failure(description: "no scripts in \(directory.path)")
            }
            return scripts.map(Script.init)
        }
    }

    struct Command {
        let lineNumber: Int
        /// What the commands below this line need; there is no command in it.
        var need: String?
        var words = ""
        var output: [Substring] = []
        var complaint: [Substring] = []
        var status: Int32 = 0

        static func all(in text: String) throws -> [Command] {
            var commands: [Command] = []
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                if line.hasPrefix("$ ") {
                    commands.append(
                        Command(lineNumber: index + 1, words: String(line.dropFirst(2))))
                } else if line.hasPrefix("% ") {
                    commands.append(Command(lineNumber: index + 1, need: String(line.dropFirst(2))))
                } else if !line.isEmpty, !line.hasPrefix("#") {
                    let last = commands.count - 1
                    guard last >= 0 else {
                        throw PseudoTerminal.Failure(description: "no command before: \(line)")
                    }
                    if line.hasPrefix("> ") {
                        commands[last].words += "\n" + line.dropFirst(2)
                    } else if line.hasPrefix("! ") {
                        commands[last].complaint.append(line.dropFirst(2))
                    } else if line.hasPrefix("? ") {
                        commands[last].status = try #require(
                            Int32(line.dropFirst(2)), "line \(index + 1)")
                    } else {
                        commands[last].output.append(line)
                    }
                }
            }
            return commands
        }
    }

    @Test(arguments: try Script.all()) func script(_ script: Script) throws {
        let commands = try Command.all(in: String(contentsOf: script.url, encoding: .utf8))
        try #require(!commands.isEmpty, "an empty script")
        let place = try Workplace()
        let directory = URL(fileURLWithPath: BuiltCommand.path).deletingLastPathComponent().path
        var environment: [String: String] = [:]
        for command in commands {
            if let need = command.need {
                guard need == "root" ? geteuid() == 0 : Interposer.isAvailable else { return }
                if need != "root" { environment["INTERPOSER"] = try Interposer.path(need) }
                continue
            }
            let rounds = "rounds() { seq \(Thoroughness.isThorough ? "$2" : "$1"); }"
            let outcome = try place.shell(
                "PATH='\(directory)':$PATH; \(rounds)\n\(command.words)", environment: environment)
            let output = Self.lines(String(decoding: outcome.output, as: UTF8.self))
            let complaint = Self.lines(outcome.complaint)
            var differences: [String] = []
            if try !Self.matches(output, command.output) {
                differences += command.output.map { "- \($0)" } + output.map { "+ \($0)" }
            }
            if try !Self.matches(complaint, command.complaint) {
                differences += command.complaint.map { "- ! \($0)" } + complaint.map { "+ ! \($0)" }
            }
            // Errors must not name calls of the library: a user of the command has options.
            differences += ["accepting:", "Acceptance.", "Cryptor.", "to be overwritten"]
                .filter(outcome.complaint.contains).map { "+ ! ...\($0)..." }
            if outcome.status != command.status {
                differences += ["- ? \(command.status)", "+ ? \(outcome.status)"]
            }
            #expect(
                differences.isEmpty,
                """
                \(script.testDescription):\(command.lineNumber): $ \(command.words)
                \(differences.joined(separator: "\n"))
                """)
        }
    }

    #if os(Linux)
    @Test func signalsOfAScriptAreNotIgnored() throws {
        let before = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, before) }
        #expect(try Workplace().shell("kill -USR2 $$").status == -SIGUSR2)
    }
    #endif

    /// The lines of what a command has printed, in the way of a script.
    private static func lines(_ text: String) -> [Substring] {
        guard !text.isEmpty else { return [] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "\\" }
        return lines.map { $0.isEmpty ? "\\" : $0 }
    }

    private static func matches(_ lines: [Substring], _ pattern: [Substring]) throws -> Bool {
        let expression = pattern.map { line in
            if line == "..." { return #"(.*\n)*"# }
            let parts = line.components(separatedBy: "...").map {
                NSRegularExpression.escapedPattern(for: $0)
            }
            return parts.joined(separator: ".*") + "\n"
        }.joined()
        let text = lines.map { $0 + "\n" }.joined()
        let whole = NSRange(location: 0, length: text.utf16.count)
        let matches = try NSRegularExpression(pattern: #"\A\#(expression)\z"#)
        return matches.firstMatch(in: text, range: whole) != nil
    }
}
