import CryptorFiles

/// What `--generate` prints: completions for shells, and the man page. They are made of the tables
/// that the parser and help use, so a new option is in all of them.
enum Generator: String, CaseIterable {
    case bash, zsh, fish, man

    static let option = Option(
        "generate", value: .word(allCases.map(\.rawValue), "WHAT"),
        "Print the completions for bash, zsh or fish, or the man page (WHAT is man).")

    /// - Parameter words: the command line, which begins with the option.
    static func run(_ words: ArraySlice<Word>) throws(CommandError) {
        let arguments = try Arguments(words, options: [option])
        guard arguments.operands.isEmpty, let word = arguments["generate"],
            let generator = Generator(rawValue: word.text)
        else {
            let words = allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--generate takes one of these words: \(words)")
        }
        try Report.tell(generator.text)
    }

    private var text: String {
        switch self {
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        case .man: ManPage.text
        }
    }
}
