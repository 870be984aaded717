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

    /// The columns of one row that may be a message, if there is something in others, without their
    /// quotes.
    static func longColumns(
        of row: ArraySlice<UInt8>, dividedBy separator: Separator
    ) -> [ArraySlice<UInt8>] {
        let columns = row.split(separator: separator.byte, omittingEmptySubsequences: false)
        guard columns.count(where: { !$0.isEmpty }) > 1 else { return [] }
        return columns.filter { $0.count >= shortestColumnByteCount }.map { column in
            let quote = UInt8(ascii: "\"")
            let isQuoted =
                column.first == quote && column.last == quote && column.count { $0 == quote } == 2
            return isQuoted ? column.dropFirst().dropLast() : column
        }
    }

    /// What to do about a line that has a message among other things; nil if it has none.
    /// - Parameter decode: what a text in a line stands for.
    package static func advice(
        onLine line: ArraySlice<UInt8>, _ decode: Diagnoser.LineDecoder
    ) -> String? {
        func isMessage(_ text: [UInt8]) -> Bool {
            decode(text).map { MessageShape($0).isSound } ?? false
        }
        if line.contains(UInt8(ascii: "\\")),
            let text = Decoding.withoutEscapedNewlines()(Array(line), true), isMessage(text)
        {
            return adviceOnEscapedNewlines
        }
        for separator in [Separator.tab, .comma, .semicolon, .bar] {
            let columns = longColumns(of: line, dividedBy: separator)
            guard let column = columns.first(where: { isMessage(Array($0)) }) else { continue }
            return advice(onColumnAfter: line[..<column.startIndex], separator)
        }
        return nil
    }

    /// - Parameter start: what is before the column, of which a quotation mark belongs to it.
    static func advice(onColumnAfter start: ArraySlice<UInt8>, _ separator: Separator) -> String {
        let number = start.count { $0 == separator.byte } + 1
        let removal = start.last == UInt8(ascii: "\"") ? " | tr -d \\\"" : ""
        return """
            It is in a row with other columns, which \(separator.name) divide: extract its column \
            with 'cut \(separator.option)-f \(number)\(removal)'.
            """
    }

    static let adviceOnEscapedNewlines = """
        It has \\n in place of newlines, as COPY of PostgreSQL writes them: remove them, for \
        example with 'sed "s/\\\\\\\\[nr]//g"'. In a query, \
        translate(encode(COLUMN, 'base64'), E'\\n', '') avoids them.
        """
}
