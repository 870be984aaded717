/// What databases and their tools make of the text of a message.
package enum TableText {
    /// What may divide the columns of a row.
    struct Separator {
        let byte: UInt8
        let name: String
        /// The option of `cut` for it.
        let option: String

        static let tab = Separator(byte: UInt8(ascii: "\t"), name: "tabs", option: "")
        static let comma = Separator(byte: UInt8(ascii: ","), name: "commas", option: "-d , ")
        static let semicolon = Separator(
            byte: UInt8(ascii: ";"), name: "semicolons", option: "-d \";\" ")
        static let bar = Separator(
            byte: UInt8(ascii: "|"), name: "vertical bars", option: "-d \"|\" ")
    }

    private static let shortestColumnByteCount = 64

    /// The columns of one row that may be a message, if there is something in others.
    static func longColumns(
        of row: ArraySlice<UInt8>, dividedBy separator: Separator
    ) -> [ArraySlice<UInt8>] {
        let columns = row.split(separator: separator.byte, omittingEmptySubsequences: false)
        guard columns.count(where: { !$0.isEmpty }) > 1 else { return [] }
        return columns.filter { $0.count >= shortestColumnByteCount }
    }

    /// What to do about a row of which one column may be a message; nil if it is none.
    package static func advice(onRow row: ArraySlice<UInt8>) -> String? {
        for separator in [Separator.tab, .comma, .semicolon, .bar] {
            guard let column = longColumns(of: row, dividedBy: separator).first else { continue }
            return advice(onColumnAfter: row[..<column.startIndex], separator)
        }
        return nil
    }

    /// - Parameter start: the columns before.
    static func advice(onColumnAfter start: ArraySlice<UInt8>, _ separator: Separator) -> String {
        let number = start.count { $0 == separator.byte } + 1
        return """
            It is in a row with other columns, which \(separator.name) divide: extract its column \
            with 'cut \(separator.option)-f \(number)'.
            """
    }

    package static let adviceOnEscapedNewlines = """
        It has \\n in place of newlines, as COPY of PostgreSQL writes them: remove them, for \
        example with 'sed "s/\\\\\\\\[nr]//g"'. In a query, \
        translate(encode(COLUMN, 'base64'), E'\\n', '') avoids them.
        """

    /// Whether a text has an escape of a newline.
    package static func hasEscapedNewline(_ text: ArraySlice<UInt8>) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == (UInt8(ascii: "\\"), UInt8(ascii: "n")) }
    }
}
