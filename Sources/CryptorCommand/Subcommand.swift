/// A subcommand: how it is invoked, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The operands in the usage line, such as "[INPUT...]".
    let operands: String
    let discussion: String
    let examples: [String]
    /// Its options but `--help`.
    let ownOptions: [Option]
    let run: @Sendable (Arguments) throws(CommandError) -> Void

    static let all = [encrypt, decrypt, verify, inspect, diagnose, rekey, keygen]

    var options: [Option] { ownOptions + [Option("help", letter: "h", "Show this help.")] }

    var usage: String { "rncryptor \(name) [OPTIONS]\(operands.isEmpty ? "" : " ")\(operands)" }

    var helpText: String {
        let rows = options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return ("\(letter)--\(option.name)\(option.value.map { " \($0)" } ?? "")", option.help)
        }
        let examples = examples.map { Layout.wrapped("  \($0)", Layout.helpColumns, hanging: 4) }
        return Layout.help(
            [Layout.paragraphs(summary), Layout.usage(usage), Layout.paragraphs(discussion)],
            [("Examples", examples.joined(separator: "\n")), ("Options", Layout.table(rows))])
    }
}
