/// The completions for fish.
enum FishCompletion {
    static var script: String {
        """
        # Completion of rncryptor for fish, as 'rncryptor --generate fish' prints it.
        \(Command.options.map(line).joined(separator: "\n"))
        \(Subcommand.all.map(lines).joined(separator: "\n"))

        """
    }

    private static let start = "complete -c rncryptor -n"

    private static func line(for option: Option) -> String {
        "\(start) __fish_use_subcommand \(words(for: option).joined(separator: " "))"
    }

    private static func lines(for subcommand: Subcommand) -> String {
        let name = subcommand.name
        let summary = quoted(subcommand.summary)
        var lines = ["\(start) __fish_use_subcommand -f -a \(name) -d \(summary)"]
        let condition = "'__fish_seen_subcommand_from \(name)'"
        if subcommand.operands.isEmpty { lines.append("\(start) \(condition) -f") }
        lines += subcommand.options.map { option in
            "\(start) \(condition) \(words(for: option).joined(separator: " "))"
        }
        return lines.joined(separator: "\n")
    }

    private static func words(for option: Option) -> [String] {
        var words = ["-l \(option.name)"]
        if let letter = option.letter { words.append("-s \(letter)") }
        switch option.value {
        case .file: words.append("-r -F")
        case .environmentVariable: words.append("-x -a '(set -nx)'")
        case .word(let some, _): words.append("-x -a '\(some.joined(separator: " "))'")
        case .number, .text: words.append("-x")
        case nil: break
        }
        words.append("-d \(quoted(option.summary))")
        return words
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        return "'\(escaped)'"
    }
}
