/// An option of a subcommand. The parser, help, completions and the man page are made of the same
/// tables of options, so they cannot disagree.
struct Option: Sendable {
    /// What the value of an option is, and the placeholder for it in help.
    enum Value: Sendable {
        /// The path of a file or of a directory.
        case file(String)
        /// The name of an environment variable.
        case environmentVariable(String)
        case number(String)
        /// One of these words.
        case word([String], String)
        /// Text that no completion can guess.
        case text(String)

        var placeholder: String {
            switch self {
            case .file(let placeholder), .environmentVariable(let placeholder),
                .number(let placeholder), .word(_, let placeholder), .text(let placeholder):
                placeholder
            }
        }
    }

    /// The long name, without the dashes.
    let name: String
    let letter: Character?
    /// Nil if the option takes no value.
    let value: Value?
    let isRepeatable: Bool
    /// Whether the option may be used together with `--lines`.
    let goesWithLines: Bool
    let help: String

    init(
        _ name: String,
        letter: Character? = nil,
        value: Value? = nil,
        isRepeatable: Bool = false,
        goesWithLines: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.isRepeatable = isRepeatable
        self.goesWithLines = goesWithLines
        self.help = help
    }

    /// The short spelling, if there is one, and the long one: `-o` and `--output`.
    var spellings: [String] {
        let long = "--\(name)"
        guard let letter else { return [long] }
        return ["-\(letter)", long]
    }

    /// The first sentence of the help, for lists.
    var summary: String { help.firstSentence }
}

extension String {
    /// The text up to the first full stop before a space.
    var firstSentence: String {
        guard let end = firstRange(of: ". ") else { return self }
        return "\(self[..<end.lowerBound])."
    }
}

extension Layout {
    /// The options with their help. Long names are below each other.
    static func optionTable(_ options: [Option]) -> String {
        table(
            options.map { option in
                let spellings = option.spellings.joined(separator: ", ")
                let names = option.letter == nil ? "    \(spellings)" : spellings
                guard let value = option.value else { return (names, option.help) }
                return ("\(names) \(value.placeholder)", option.help)
            })
    }
}
