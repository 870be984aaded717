import CryptorFormat
import Foundation
import TestSupport
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

    /// Otherwise these tests would look at nothing.
    @Test(.enabled(if: !Sanitizer.present.isEmpty), arguments: Sanitizer.present)
    func theCommandHasTheSanitizersOfTheTests(sanitizer: Sanitizer) throws {
        let help = try place.shell("\(sanitizer.variable)=help=1 $RNCRYPTOR --version").complaint
        #expect(help.contains("Available flags for"))
    }

    @Test(arguments: [
        ("rncryptor en", "encrypt"), ("rncryptor encrypt --password-e", "--password-env"),
        ("rncryptor rekey --new-k", "--new-key-file"), ("rncryptor decrypt --key-file pass", "password"),
        ("rncryptor encrypt --password-env HOM", "HOME"), ("rncryptor completions f", "fish"),
        ("rncryptor verify wrong", "wrong-password"),
    ])
    func completionInEveryShell(line: String, word: String) throws {
        // fish and zsh ask for nothing more than a line; bash's function is given what bash would give it.
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let bash = """
            source <($RNCRYPTOR completions bash)
            COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
            _rncryptor; printf "%s\\n" "${COMPREPLY[@]}"
            """
        try place.write(bash, to: "complete.bash")
        #expect(try output("bash complete.bash").split(separator: "\n").contains(Substring(word)))

        let fish = try output("HOME=$PWD fish -c \"$RNCRYPTOR completions fish | source; complete -C '\(line)'\"")
        #expect(fish.split(separator: "\n").contains { $0.split(separator: "\t").first == Substring(word) }, "\(fish)")

        let zsh = try PseudoTerminal(
            "HOME=$PWD PATH=$PWD/bin:$PATH TERM=dumb zsh -f -i", in: place.folder)
        zsh.type("PS1='ready> '; autoload -U compinit; compinit -u; source <(rncryptor completions zsh)\n")
        try zsh.wait(for: "ready> ")
        zsh.type("\(line)\t")
        try zsh.wait(for: word)
        zsh.type("\u{15}exit\n")
        _ = zsh.finish()
    }

    @Test func theManPageIsSoundAndComplete() throws {
        try place.succeed("$RNCRYPTOR manual > rncryptor.1")
        // What is not an error to mandoc is one to nobody.
        #expect(try output("mandoc -T lint -W warning rncryptor.1 || true").isEmpty)
        let page = try output("mandoc -T utf8 rncryptor.1 | col -bx")
        for word in [
            "encrypt", "decrypt", "verify", "inspect", "rekey", "keygen", "--password-file", "--new-key-file",
            "--remove-source", "EXIT STATUS", "TMPDIR", "EXAMPLES",
        ] {
            #expect(page.contains(word), "\(word) is missing")
        }
    }

    /// Every option of every subcommand is in its help, and every exit status in the general one.
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
        // Both run with the same libcrypto.
        #expect(version.contains(Cryptor.version), "\(version), and not \(Cryptor.version)")
        #expect(version.contains("; OpenSSL "), "\(version)")
        #expect(version.contains("writes version 3"), "\(version)")
    }

    /// Neither the whole of Foundation nor ICU, which take time to load and 30 MB.
    @Test func littleIsLinked() throws {
        let libraries = try output("ldd \"$RNCRYPTOR\" | sed 's/^[[:space:]]*//; s/ .*//'")
        let names = libraries.split(separator: "\n")
        #expect(names.contains { $0.hasPrefix("libcrypto") }, "\(libraries)")
        #expect(!names.contains { $0.hasPrefix("libFoundation.") || $0.contains("ICU") }, "\(libraries)")
        #expect(!names.contains { $0.hasPrefix("libFoundationInternationalization") }, "\(libraries)")
    }
}
