/// An option of a subcommand. Help and the parser use the same tables of options, so they cannot
/// disagree.
struct Option: Sendable {
    /// The long name, without the dashes.
    let name: String
    let letter: Character?
    /// The placeholder for the value in help; nil if the option takes no value.
    let value: String?
    let isRepeatable: Bool
    let help: String

    init(
        _ name: String, letter: Character? = nil, value: String? = nil, isRepeatable: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.isRepeatable = isRepeatable
        self.help = help
    }
}
