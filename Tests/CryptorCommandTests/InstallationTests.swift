import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// What comes with the command: completions, the man page, and what it is linked to.
@Suite struct InstallationTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.succeed("mkdir bin && ln -s \"$RNCRYPTOR\" bin/rncryptor")
    }

    private func output(_ script: String) throws -> String {
        String(decoding: try place.succeed(script), as: UTF8.self)
    }

    /// The command must have the sanitizers of the tests, or these tests would check nothing.
    @Test(.enabled(if: !Sanitizer.present.isEmpty), arguments: Sanitizer.present)
    func theCommandHasTheSanitizersOfTheTests(sanitizer: Sanitizer) throws {
        let help = try place.shell("\(sanitizer.variable)=help=1 $RNCRYPTOR --version").complaint
        #expect(help.contains("Available flags for"))
    }

    @Test(arguments: [
        ("rncryptor en", "encrypt"), ("rncryptor encrypt --password-e", "--password-env"),
        ("rncryptor rekey --new-k", "--new-key-file"), ("rncryptor decrypt --key-file pass", "password"),
        ("rncryptor encrypt --password-env HOM", "HOME"), ("rncryptor completions f", "fish"),
        ("rncryptor verify wrong", "wrong-password"), ("rncryptor decrypt --accept v1,", "v1,v0"),
    ])
    func completionInEveryShell(line: String, word: String) throws {
        let fish = try output("HOME=$PWD fish -c \"$RNCRYPTOR completions fish | source; complete -C '\(line)'\"")
        #expect(fish.split(separator: "\n").contains { $0.split(separator: "\t").first == Substring(word) }, "\(fish)")
        for shell in Shell.allCases {
            let terminal = try start(shell)
            terminal.type("\(line)\t")
            try terminal.wait(for: word)
            terminal.type("\u{15}exit\n")
            _ = terminal.finish()
        }
    }

    /// The shells that only complete at a terminal. fish has a command that lists its completions.
    enum Shell: CaseIterable { case bash, zsh }

    private func start(_ shell: Shell) throws -> PseudoTerminal {
        let start = shell == .bash ? "bash --norc --noprofile -i" : "zsh -f -i"
        let terminal = try PseudoTerminal("HOME=$PWD PATH=$PWD/bin:$PATH TERM=dumb \(start)", in: place.folder)
        let preparation = shell == .bash ? "" : "autoload -U compinit; compinit -u; "
        terminal.type("PS1='rea''dy> '; \(preparation)source <(rncryptor completions \(shell))\n")
        try terminal.wait(for: "ready> ")
        return terminal
    }

    /// The shell completes a name to a word that it reads as that name, and as nothing else.
    @Test(
        arguments: [
            "my file", "my*", "my?[a-z]", "my  two", "my $HOME `id` 'quoted' \"twice\"", "my\\back", "my\nnewline",
        ],
        ["verify", "encrypt -o out"])
    func namesThatShellsRead(name: String, words: String) throws {
        try place.write("", to: name)
        for shell in Shell.allCases {
            let terminal = try start(shell)
            terminal.type("rncryptor() { printf '<%s>' \"$@\" > read; echo do''ne; }\n")
            try terminal.wait(for: "ready> ")
            terminal.type("rncryptor \(words) my\t\n")
            try terminal.wait(for: "done")
            let expected = words.split(separator: " ").map { "<\($0)>" }.joined() + "<\(name)>"
            #expect(try String(decoding: place.read("read"), as: UTF8.self) == expected, "\(shell)")
            terminal.type("exit\n")
            _ = terminal.finish()
        }
        guard !name.contains("\n") else { return }
        let fish = try output(
            "HOME=$PWD fish -c \"$RNCRYPTOR completions fish | source; complete -C 'rncryptor \(words) my'\"")
        #expect(fish.split(separator: "\n").map { $0.split(separator: "\t").first.map(String.init) } == [name])
    }

    @Test func theManPageIsSoundAndComplete() throws {
        try place.succeed("$RNCRYPTOR manual > rncryptor.1")
        // If mandoc finds no error, no other program will.
        #expect(try output("mandoc -T lint -W warning rncryptor.1 || true").isEmpty)
        let page = try output("mandoc -T utf8 rncryptor.1 | col -bx")
        for word in [
            "encrypt", "decrypt", "verify", "inspect", "rekey", "keygen", "--password-file", "--new-key-file",
            "--remove-source", "EXIT STATUS", "TMPDIR", "EXAMPLES",
        ] {
            #expect(page.contains(word), "\(word) is missing")
        }
    }

    /// The general help has every subcommand and every exit status, and each subcommand has a help of its own.
    @Test func helpIsComplete() throws {
        let general = try output("$RNCRYPTOR --help")
        for status in ["0", "64", "65", "66", "70", "73", "74", "77", "130"] {
            #expect(general.contains("\n  \(status) "), "\(status)")
        }
        for name in ["encrypt", "decrypt", "verify", "inspect", "rekey", "keygen", "completions", "manual"] {
            #expect(general.contains("\n  \(name) "), "\(name)")
            let help = try output("$RNCRYPTOR \(name) --help")
            #expect(help.contains("Usage: rncryptor \(name)"), "\(name)")
            #expect(help.split(separator: "\n").allSatisfy { $0.count < 80 }, "\(name): a line is too long")
            #expect(try output("$RNCRYPTOR help \(name)") == help)
        }
    }

    @Test func versionNamesOpenSSLAndTheFormats() throws {
        let version = try output("$RNCRYPTOR --version")
        // The command and the tests run with the same libcrypto.
        #expect(version.contains(Cryptor.version), "\(version), and not \(Cryptor.version)")
        #expect(version.contains("; OpenSSL "), "\(version)")
        #expect(version.contains("writes version 3"), "\(version)")
    }

    /// The command links neither all of Foundation nor ICU, which take time to load and 30 MB.
    @Test func littleIsLinked() throws {
        let libraries = try output("ldd \"$RNCRYPTOR\" | sed 's/^[[:space:]]*//; s/ .*//'")
        let names = libraries.split(separator: "\n")
        #expect(names.contains { $0.hasPrefix("libcrypto") }, "\(libraries)")
        #expect(!names.contains { $0.hasPrefix("libFoundation.") || $0.contains("ICU") }, "\(libraries)")
        #expect(!names.contains { $0.hasPrefix("libFoundationInternationalization") }, "\(libraries)")
    }
}
