/// An option of a subcommand. Help is made from this table, so that it cannot say anything else than what is parsed.
struct Option: Sendable {
    /// Without the dashes.
    let name: String
    let letter: Character?
    /// What stands for the value in help; nil for an option that takes none.
    let valueName: String?
    let help: String

    init(_ name: String, letter: Character? = nil, value valueName: String? = nil, _ help: String) {
        self.name = name
        self.letter = letter
        self.valueName = valueName
        self.help = help
    }
}

/// The words after a subcommand, sorted out: options and operands in any order, `--name value` and `--name=value`,
/// `-o value` and `-ovalue`, and nothing but operands after `--`.
struct Arguments {
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]

    init(_ words: some Sequence<String>, options: [Option]) throws(CommandError) {
        var words = words.makeIterator()
        while let word = words.next() {
            if word == "--" {
                while let operand = words.next() { operands.append(operand) }
            } else if word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let option = try Self.option(options.first { $0.name == parts[0] }, "--\(parts[0])")
                try take(option, parts.count > 1 ? String(parts[1]) : nil, &words)
            } else if word.hasPrefix("-"), word != "-" {
                try takeLetters(word.dropFirst(), options, &words)
            } else {
                operands.append(word)
            }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func contains(_ name: String) -> Bool { values[name] != nil }

    private mutating func takeLetters(
        _ letters: Substring, _ options: [Option], _ words: inout some IteratorProtocol<String>
    ) throws(CommandError) {
        var letters = letters
        while let letter = letters.popFirst() {
            let option = try Self.option(options.first { $0.letter == letter }, "-\(letter)")
            let isLast = option.valueName != nil
            try take(option, isLast && !letters.isEmpty ? String(letters) : nil, &words)
            if isLast { return }
        }
    }

    private static func option(_ option: Option?, _ spelling: String) throws(CommandError) -> Option {
        guard let option else { throw .usage("unknown option '\(spelling)'") }
        return option
    }

    private mutating func take(
        _ option: Option, _ attached: String?, _ words: inout some IteratorProtocol<String>
    ) throws(CommandError) {
        guard values[option.name] == nil else { throw .usage("the option '--\(option.name)' is given twice") }
        guard let valueName = option.valueName else {
            guard attached == nil else { throw .usage("the option '--\(option.name)' takes no value") }
            values[option.name] = ""
            return
        }
        guard let value = attached ?? words.next() else {
            throw .usage("the option '--\(option.name)' needs a value: --\(option.name) \(valueName)")
        }
        values[option.name] = value
    }
}
