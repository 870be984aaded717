import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorCommand

/// What the command prints about itself, completions and the man page, and what it is linked to.
@Suite(.onItsOwnThread) struct CompletionTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func generated(_ generator: Generator) throws -> String {
        try place.text("$RNCRYPTOR --generate \(generator.rawValue)")
    }

    // MARK: Names

    /// Each output has every option of every subcommand where it belongs, and no other.
    @Test(arguments: Generator.allCases)
    func theOutputHasAllOptions(generator: Generator) throws {
        let output = try generated(generator)
        for subcommand in Subcommand.all {
            let part = try #require(
                Self.part(of: output, from: generator, about: subcommand.name),
                "nothing about \(subcommand.name)")
            let expected = subcommand.options.flatMap(\.spellings).sorted()
            #expect(Self.options(in: part, from: generator).sorted() == expected, "\(part)")
        }
    }

    /// What is said about a subcommand.
    private static func part(
        of output: String, from generator: Generator, about name: String
    ) -> String? {
        switch generator {
        case .bash, .zsh:
            return output.components(separatedBy: "\n        \(name))\n").last?
                .components(separatedBy: "\n            ;;").first
        case .fish:
            return output.split(separator: "\n").filter { $0.contains("_from \(name)'") }
                .joined(separator: "\n")
        case .man:
            return output.components(separatedBy: "\n.SH \(name.uppercased())\n").last?
                .components(separatedBy: "\n.SH ").first
        }
    }

    private static func options(in part: String, from generator: Generator) -> [String] {
        switch generator {
        case .bash:
            let list = part.components(separatedBy: "options='").last?.prefix { $0 != "'" } ?? ""
            return list.split(separator: " ").map(String.init)
        case .zsh:
            // The brace, or the quote and asterisk, that they begin with, and what ends them.
            let option = #/(?:{|,|'\*?)(--?[a-z0-9\-]+)(?==?[,}\[])/#
            return part.matches(of: option).map { String($0.1) }
        case .fish:
            let long = part.matches(of: #/ -l ([a-z0-9\-]+)/#).map { "--\($0.1)" }
            return long + part.matches(of: #/ -s ([a-z]) /#).map { "-\($0.1)" }
        case .man:
            let names = part.replacing("\\-", with: "-").matches(of: #/\\fB(-[^\\]+)\\fR/#)
            return names.map { String($0.1) }
        }
    }

    @Test func theManPageNamesTheRest() throws {
        let page = try generated(.man)
        for (status, _) in ExitStatus.explanations {
            #expect(page.contains("\\fB\(status)\\fR"), "\(status)")
        }
        for option in Command.options {
            let name = option.name.replacing("-", with: "\\-")
            #expect(page.contains("\\fB\\-\\-\(name)\\fR"), "\(name)")
        }
        for subcommand in Subcommand.all {
            let operands = subcommand.usage.split(separator: " ").dropFirst(2)
            let synopsis = ".B rncryptor \(subcommand.name)\n\(operands.joined(separator: " "))\n"
            #expect(page.contains(synopsis), "\(synopsis)")
        }
        #expect(page.contains("rncryptor \(Cryptor.version.prefix { $0 != " " })"))
    }

    /// If mandoc finds no error, no other program will. The page has no date.
    @Test func theManPageIsSound() throws {
        try place.succeed("$RNCRYPTOR --generate man > page")
        let lint = "mandoc -T lint -W warning page | grep -v 'missing date' || true"
        #expect(try place.text(lint).isEmpty)
    }

    // MARK: Shells

    @Test(arguments: [
        ("rncryptor en", "encrypt"), ("rncryptor --gen", "--generate"),
        ("rncryptor --generate f", "fish"), ("rncryptor encrypt --password-e", "--password-env"),
        ("rncryptor rekey --new-k", "--new-key-file"),
        ("rncryptor decrypt --key-file pass", "password"),
        ("rncryptor encrypt --password-env HOM", "HOME"), ("rncryptor verify my", "my file"),
        ("rncryptor decrypt --accept v1,", "v1,v0"), ("rncryptor inspect --acc", "--accept"),
        ("rncryptor inspect --accept ", "v0"),
        ("rncryptor verify --key-file a --key-file pass", "password"),
    ])
    func everyShellThatIsInstalled(line: String, word: String) throws {
        try place.write("", to: "my file")
        let installed = try place.text(
            "for shell in bash zsh fish; do command -v $shell; done || true")
        if installed.contains("/fish") {
            try place.succeed("$RNCRYPTOR --generate fish > .completion.fish")
            let fish = try place.text(
                "HOME=$PWD fish -c \"source .completion.fish; complete -C '\(line)'\"")
            let words = fish.split(separator: "\n").map { $0.split(separator: "\t").first }
            #expect(words.contains(Substring(word)), "\(fish)")
        }
        if installed.contains("/bash") {
            try complete(
                line, to: word, by: "bash --norc --noprofile -i",
                after: "$RNCRYPTOR --generate bash > .completion; source ./.completion")
        }
        if installed.contains("/zsh") {
            // It is loaded when it is needed, as from a directory of the system.
            try complete(
                line, to: word, by: "zsh -f -i",
                after: "mkdir .zsh; $RNCRYPTOR --generate zsh > .zsh/_rncryptor; "
                    + "fpath=($PWD/.zsh $fpath); autoload -U compinit; compinit -u")
        }
    }

    private func complete(
        _ line: String, to word: String, by shell: String, after preparation: String
    ) throws {
        let terminal = try PseudoTerminal(
            "export RNCRYPTOR; HOME=$PWD TERM=dumb \(shell)", in: place.directory)
        terminal.type("PS1='rea''dy> '; rncryptor() { printf 'word <%s>\\n' \"$@\"; }; ")
        terminal.type("\(preparation)\n")
        try terminal.wait(for: "ready> ")
        terminal.type("\(line)\t\n")
        try terminal.wait(for: "word <\(word)>")
        terminal.type("exit\n")
        _ = terminal.finish()
    }

    // MARK: Sanitizers

    /// The command must have the sanitizers of the tests, or these tests would check nothing.
    @Test(.enabled(if: !Sanitizer.present.isEmpty, Sanitizer.need), arguments: Sanitizer.present)
    func theCommandHasTheSanitizersOfTheTests(sanitizer: Sanitizer) throws {
        let help = try place.shell("\(sanitizer.variable)=help=1 $RNCRYPTOR --version").complaint
        #expect(help.contains("Available flags for"))
    }
}
