/// A subcommand: how it is invoked, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The operands in the usage line, such as "[INPUT...]".
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

/// Formats two columns, the second in lines that end before column 80.
func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 4
    return rows.map { left, right in
        var lines = ["  \(left)\(String(repeating: " ", count: width - left.count - 2))"]
        var column = width
        for word in right.split(separator: " ") {
            if column > width && column + word.count >= 79 {
                lines.append(String(repeating: " ", count: width))
                column = width
            }
            lines[lines.count - 1] += (column > width ? " " : "") + word
            column += word.count + 1
        }
        return lines.joined(separator: "\n")
    }.joined(separator: "\n")
}
