/// One subcommand: how it is called, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// Such as "[INPUT]".
    let operands: String
    let discussion: String
    let options: [Option]
    let run: @Sendable (Arguments) throws(CommandError) -> Void

    static let all = [encrypt, decrypt, verify, inspect, rekey, keygen, completions, manual]

    static let help = Option("help", letter: "h", "Show this help.")

    var allOptions: [Option] { options + [Self.help] }

    /// What `--help` prints.
    var helpText: String {
        let rows = allOptions.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return ("\(letter)--\(option.name)\(option.valueName.map { " \($0)" } ?? "")", option.help)
        }
        return """
            \(summary)

            Usage: \(usage)

            \(discussion)

            Options:
            \(table(rows))

            """
    }

    var usage: String { "rncryptor \(name) [OPTIONS]\(operands.isEmpty ? "" : " ")\(operands)" }
}

/// Two columns, the second wrapped by hand in its source.
func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { left, right in
        let lines = right.split(separator: "\n", omittingEmptySubsequences: false)
        let padding = String(repeating: " ", count: width - left.count)
        let indentation = "\n" + String(repeating: " ", count: width + 2)
        return "  \(left)\(padding)\(lines.joined(separator: indentation))"
    }.joined(separator: "\n")
}
