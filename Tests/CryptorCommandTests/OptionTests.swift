import Testing

@testable import CryptorCommand

/// The tables of options.
@Suite struct OptionTests {
    /// What goes with `--lines`, in all subcommands that have it. Anything else is refused together
    /// with it, also an option that was added later and does not say anything of it.
    private static let goWithLines: Set = [
        "lines", "fresh-salts", "accept", "accept-shortened-passwords", "password-file",
        "password-env", "password-fd", "key-file", "empty-password", "iterations", "quiet", "help",
        "json", "output", "force", "plaintext",
        // Of `rekey`.
        "new-password-file", "new-password-env", "new-password-fd", "new-key-file",
        "new-empty-password", "new-iterations",
        // Of `diagnose`.
        "iterations-up-to",
    ]

    /// Every option of these subcommands, and a new one that does not say anything of `--lines`.
    private static var all: [(subcommand: String, option: Option)] {
        let added = Option("added-later", value: .text("X"), "A new one.")
        let withLines = Subcommand.all.filter { subcommand in
            subcommand.options.contains { $0.name == "lines" }
        }
        return withLines.flatMap { subcommand in
            (subcommand.options + [added]).map { (subcommand.name, $0) }
        }
    }

    @Test func theseSubcommandsHaveLines() {
        #expect(
            Set(Self.all.map(\.subcommand))
                == ["encrypt", "decrypt", "rekey", "verify", "diagnose"])
    }

    @Test func anOptionIsRefusedWithLinesUnlessItSaysThatItGoesWithThem() throws {
        for (subcommand, option) in Self.all where option.name != "lines" {
            let words: [Word] = ["--lines", Word("--\(option.name)".utf8)]
            let value: [Word] = option.value == nil ? [] : ["x"]
            let arguments = try Arguments(words + value, options: [Lines.option, option])
            let isAccepted = isAccepted(arguments, option)
            #expect(
                isAccepted == Self.goWithLines.contains(option.name),
                "\(subcommand) --\(option.name)")
        }
    }

    private func isAccepted(_ arguments: Arguments, _ option: Option) -> Bool {
        do throws(CommandError) {
            try Lines.checkOptions(arguments)
            return true
        } catch {
            #expect(error.status == .usage)
            #expect(
                error.message == "--lines and --\(option.name) cannot be used together")
            return false
        }
    }
}
