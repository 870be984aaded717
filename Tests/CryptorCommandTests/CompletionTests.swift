import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorCommand

/// What comes with the command: completions, the man page, and what it is linked to.
@Suite struct CompletionTests {
    private static let folder = packageFolder.appendingPathComponent("Completions")
    private let place: Workplace

    init() throws { place = try Workplace() }

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// Each file has every option of every subcommand, where it belongs, with what its help says,
    /// and no other.
    @Test func theFilesHaveAllOptions() throws {
        let (bash, zsh) = (try Self.text("rncryptor.bash"), try Self.text("_rncryptor"))
        let (fish, page) = (try Self.text("rncryptor.fish"), try Self.text("rncryptor.1"))
        var optionCount = 0
        for subcommand in Subcommand.all {
            let name = subcommand.name
            let spellings = subcommand.options.flatMap { option in
                (option.letter.map { ["-\($0)"] } ?? []) + ["--\(option.name)"]
            }
            #expect(
                bash.contains(
                    "        \(name)) options='\(spellings.joined(separator: " "))' ;;\n"),
                "bash: \(name)")
            let inZsh = try #require(
                zsh.components(separatedBy: "\n        \(name))\n").last?.components(
                    separatedBy: ";;")[0])
            let inPage = try #require(
                page.components(separatedBy: "\n.SH \(name.uppercased())\n").last?.components(
                    separatedBy: "\n.SH ")[0])
            let helpInPage = inPage.replacing("\\-", with: "-").split(
                whereSeparator: \.isWhitespace
            ).joined(
                separator: " ")
            for option in subcommand.options {
                optionCount += 1
                let spelling = option.letter.map { "{-\($0),--" } ?? "--"
                let helpInZsh = option.help.replacing("'", with: "'\\''").replacing(
                    ":", with: "\\:")
                let isInZsh = inZsh.split(separator: "\n").contains { line in
                    line.contains("\(spelling)\(option.name)") && line.contains("[\(helpInZsh)]")
                }
                #expect(isInZsh, "zsh: \(name) \(option.name)")
                let start =
                    "_from \(name)' -l \(option.name)\(option.letter.map { " -s \($0)" } ?? "") "
                let end = "-d '\(option.help.replacing("'", with: "\\'"))'"
                let isInFish = fish.split(separator: "\n").contains {
                    $0.contains(start) && $0.hasSuffix(end)
                }
                #expect(isInFish, "fish: \(name) \(option.name)")
                let isInPage = inPage.contains(
                    "\\-\\-" + option.name.replacing("-", with: "\\-") + "\\fR")
                #expect(isInPage && helpInPage.contains(option.help), "man: \(name) \(option.name)")
            }
            #expect(
                inPage.components(separatedBy: "\n.TP\n").count - 1 == subcommand.options.count,
                "man: \(name)")
        }
        #expect(fish.components(separatedBy: " -l ").count - 1 == optionCount)
        for (status, _) in ExitStatus.explanations {
            #expect(page.contains("\\fB\(status)\\fR"), "man: \(status)")
        }
        #expect(page.contains("rncryptor \(Cryptor.version.prefix { $0 != " " })"))
    }

    /// If mandoc finds no error, no other program will.
    @Test func theManPageIsSound() throws {
        let file = Self.folder.appendingPathComponent("rncryptor.1").path
        #expect(try place.succeed("mandoc -T lint -W warning '\(file)' || true").isEmpty)
    }

    @Test(arguments: [
        ("rncryptor en", "encrypt"), ("rncryptor encrypt --password-e", "--password-env"),
        ("rncryptor rekey --new-k", "--new-key-file"),
        ("rncryptor decrypt --key-file pass", "password"),
        ("rncryptor encrypt --password-env HOM", "HOME"), ("rncryptor verify my", "my file"),
        ("rncryptor decrypt --accept v1,", "v1,v0"), ("rncryptor inspect --acc", "--accept"),
    ])
    func everyShellThatIsInstalled(line: String, word: String) throws {
        try place.write("", to: "my file")
        let installed = try place.text(
            "for shell in bash zsh fish; do command -v $shell; done || true")
        if installed.contains("/fish") {
            let fish = try place.text(
                "HOME=$PWD fish -c \"source '\(Self.folder.path)/rncryptor.fish'; complete -C '\(line)'\""
            )
            #expect(
                fish.split(separator: "\n").contains {
                    $0.split(separator: "\t").first == Substring(word)
                }, "\(fish)")
        }
        for (shell, script) in [
            ("bash --norc --noprofile -i", "rncryptor.bash"), ("zsh -f -i", "_rncryptor"),
        ] where installed.contains("/\(shell.prefix { $0 != " " })") {
            let terminal = try PseudoTerminal("HOME=$PWD TERM=dumb \(shell)", in: place.folder)
            let preparation = shell.hasPrefix("zsh") ? "autoload -U compinit; compinit -u; " : ""
            terminal.type("PS1='rea''dy> '; rncryptor() { printf 'word <%s>\\n' \"$@\"; }; ")
            terminal.type("\(preparation)source '\(Self.folder.path)/\(script)'\n")
            try terminal.wait(for: "ready> ")
            terminal.type("\(line)\t\n")
            try terminal.wait(for: "word <\(word)>")
            terminal.type("exit\n")
            _ = terminal.finish()
        }
    }

    /// The command must have the sanitizers of the tests, or these tests would check nothing.
    @Test(.enabled(if: !Sanitizer.present.isEmpty), arguments: Sanitizer.present)
    func theCommandHasTheSanitizersOfTheTests(sanitizer: Sanitizer) throws {
        let help = try place.shell("\(sanitizer.variable)=help=1 $RNCRYPTOR --version").complaint
        #expect(help.contains("Available flags for"))
    }
}
