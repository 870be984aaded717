/// Text for people, in lines that are as wide as their terminal. Lines are broken between words.
enum Layout {
    /// The columns for help, whose lines should not be longer than what one likes to read.
    static var helpColumns: Int { min(terminalColumns(STDOUT_FILENO) ?? 79, 100) }

    /// The parts of a help text, between which there are empty lines: some without a title, then
    /// some with one.
    static func help(_ parts: [String], _ titled: [(title: String, text: String)]) -> String {
        (parts + titled.map { "\($0):\n\($1)" }).joined(separator: "\n\n") + "\n"
    }

    static func usage(_ text: String) -> String {
        wrapped("Usage: \(text)", helpColumns, hanging: 4)
    }

    /// - Parameter hanging: how far all lines but the first are indented. A line of `text` that is
    ///   indented keeps that.
    static func wrapped(_ text: String, _ columns: Int, hanging: Int = 0) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let indentation = String(line.prefix(while: { $0 == " " }))
            let next = "\n\(indentation)\(String(repeating: " ", count: hanging))"
            var result = indentation
            var column = indentation.count
            let words = line.dropFirst(indentation.count).split(
                separator: " ", omittingEmptySubsequences: false)
            for (index, word) in words.enumerated() {
                let isNext = index > 0 && column + 1 + word.count > columns
                result += isNext ? next + word : (index > 0 ? " " : "") + word
                column =
                    isNext ? next.count - 1 + word.count : column + (index > 0 ? 1 : 0) + word.count
            }
            return result
        }.joined(separator: "\n")
    }

    /// Paragraphs, between which there are empty lines.
    static func paragraphs(_ text: String) -> String {
        text.replacing("\n\n", with: "\u{0}").replacing("\n", with: " ").split(separator: "\u{0}")
            .map { wrapped(String($0), helpColumns) }.joined(separator: "\n\n")
    }

    /// Two columns; in a narrow terminal the second is below the first.
    static func table(_ rows: [(String, String)]) -> String {
        let width = (rows.map(\.0.count).max() ?? 0) + 4
        let isNarrow = helpColumns - width < 20
        return rows.map { left, right in
            let lines = wrapped(
                String(repeating: " ", count: isNarrow ? 4 : width) + right, helpColumns)
            let below = "\(left.trimmingPrefix(while: { $0 == " " }))\n\(lines)"
            return isNarrow ? below : "  \(left)\(lines.dropFirst(left.count + 2))"
        }.joined(separator: "\n")
    }
}
