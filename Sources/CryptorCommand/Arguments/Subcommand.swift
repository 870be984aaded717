/// A subcommand: how it is invoked, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The operands in the usage line, such as "[INPUT...]"; empty if there are none.
    let operands: String
    let discussion: String
    let examples: [String]
    /// Its options but `--help`.
    let ownOptions: [Option]
    let run: @Sendable (Arguments) throws -> Void

    private static let help = Option("help", letter: "h", goesWithLines: true, "Show this help.")

    var options: [Option] { ownOptions + [Self.help] }

    var usage: String {
        let usage = "rncryptor \(name) [OPTIONS]"
        return operands.isEmpty ? usage : "\(usage) \(operands)"
    }

    var helpText: String {
        let examples = examples.map { Layout.wrapped("  \($0)", Layout.helpColumns, hanging: 4) }
        return Layout.help(
            [
                Layout.paragraphs(summary),
                Layout.usage(usage),
                Layout.paragraphs(discussion),
            ],
            [
                ("Examples", examples.joined(separator: "\n")),
                ("Options", Layout.optionTable(options)),
            ])
    }
}
