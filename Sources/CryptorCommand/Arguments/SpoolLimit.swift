/// `--spool-limit`: how much of a message is kept until it is verified.
enum SpoolLimit {
    static let option = Option(
        "spool-limit", value: .text("SIZE"),
        """
        Keep at most SIZE of a pipe, or of base64 text, in $TMPDIR until it is verified. SIZE is \
        in bytes, or ends in K, M, G or T. The default is half of the free space there.
        """)

    private static let units = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// In bytes; nil if the option is not given.
    static func byteCount(_ arguments: Arguments) throws(CommandError) -> Int? {
        guard let word = arguments["spool-limit"] else { return nil }
        guard let byteCount = byteCount(word.text) else {
            throw .usage(
                """
                --spool-limit takes a number of bytes, such as 500000000 or 20G, not \
                \(word.quoted)
                """)
        }
        return byteCount
    }

    private static func byteCount(_ text: String) -> Int? {
        let unit = text.last.flatMap { units[$0.uppercased()] }
        let digits = unit == nil ? text : String(text.dropLast())
        guard let number = Int(digits), number > 0 else { return nil }
        let (byteCount, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflows ? nil : byteCount
    }
}
