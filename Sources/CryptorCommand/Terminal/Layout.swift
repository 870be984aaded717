/// Text for people, in lines that are as wide as their terminal. Lines are broken between words.
enum Layout {
    /// The columns for help, whose lines should not be longer than what one likes to read.
    static var helpColumns: Int { min(terminalColumns(STDOUT_FILENO) ?? 79, 100) }

    /// The parts of a help text, between which there are empty lines: some without a title, then
    /// some with one.
    static func help(_ parts: [String], _ titled: [(title: String, text: String)]) -> String {
        let titledParts = titled.map { "\($0.title):\n\($0.text)" }
        return (parts + titledParts).joined(separator: "\n\n") + "\n"
    }

    static func usage(_ text: String) -> String {
        wrapped("Usage: \(text)", helpColumns, hanging: 4)
    }

    /// - Parameter hanging: how far all lines but the first are indented. A line of `text` that is
    ///   indented keeps that.
    static func wrapped(_ text: String, _ columns: Int, hanging: Int = 0) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            wrapped(line: line, columns, hanging: hanging)
        }.joined(separator: "\n")
    }

    private static func wrapped(line: Substring, _ columns: Int, hanging: Int) -> String {
        let margin = line.prefix { $0 == " " }.count
        let nextMargin = margin + hanging
        var result = String(repeating: " ", count: margin)
        var column = margin
        let words = line.dropFirst(margin).split(separator: " ", omittingEmptySubsequences: false)
        for (index, word) in words.enumerated() {
            if index == 0 {
                column += word.count
            } else if column + 1 + word.count <= columns {
                result += " "
                column += 1 + word.count
            } else {
                result += "\n" + String(repeating: " ", count: nextMargin)
                column = nextMargin + word.count
            }
            result += word
        }
        return result
    }

    /// The paragraphs of a text in which empty lines are between them.
    static func split(intoParagraphs text: String) -> [String] {
        text.replacing("\n\n", with: "\u{0}").replacing("\n", with: " ").split(separator: "\u{0}")
            .map(String.init)
    }

    /// Paragraphs, between which there are empty lines.
    static func paragraphs(_ text: String) -> String {
        split(intoParagraphs: text).map { wrapped($0, helpColumns) }.joined(separator: "\n\n")
    }

    /// Two columns. The second is below the first in a narrow terminal, and where the first is
    /// long.
    static func table(_ rows: [(String, String)]) -> String {
        let longest = rows.map(\.0.count).filter { $0 <= 24 }.max() ?? 0
        let width = longest + 4
        let isNarrow = helpColumns - width < 20
        let indentation = String(repeating: " ", count: isNarrow ? 4 : width)
        return rows.map { left, right in
            let lines = wrapped(indentation + right, helpColumns)
            if isNarrow {
                return "\(left.trimmingPrefix(while: { $0 == " " }))\n\(lines)"
            }
            if left.count > longest { return "  \(left)\n\(lines)" }
            return "  \(left)\(lines.dropFirst(left.count + 2))"
        }.joined(separator: "\n")
    }
}
