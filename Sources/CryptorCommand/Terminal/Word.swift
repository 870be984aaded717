import CryptorFiles

/// A word of the command line. It is bytes, since the names of files and environment variables need
/// not be UTF-8.
struct Word: Sendable, Hashable, ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    init(stringLiteral text: String) { self.init(text.utf8) }

    /// Invalid UTF-8 is replaced; use this only for words that have to be UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The file that it names; `dash` is what a dash stands for.
    func file(dash: FileEndpoint) -> FileEndpoint { self == "-" ? dash : .pathBytes(bytes) }

    /// The word for a person to read where a name is expected, as the library shows names: it
    /// cannot pass for other words of the same line, and no terminal obeys it. If need be, it is
    /// quoted as in a shell: `$'a\nb'`.
    var shown: String { FileEndpoint.pathBytes(bytes).description }

    var quoted: String { shown.hasPrefix("$'") ? shown : "'\(shown)'" }

    /// The words of the command line, the name of the command first, as the system passed them:
    /// Swift's strings would change bytes that are not UTF-8.
    /// - Throws: `inputOutput`, if Linux does not show them.
    static func ofCommandLine() throws(CommandError) -> [Word] {
        let pointers = unsafe UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        let words = unsafe pointers.compactMap { word in
            unsafe word.map { unsafe Word(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
        #if os(Linux)
        // Swift's runtime reads them from there, and finds none where it cannot.
        guard !words.isEmpty else {
            throw CommandError(
                .inputOutput, "the arguments cannot be read from /proc/self/cmdline",
                hint: "Mount it first: 'mount -t proc proc /proc'.")
        }
        #endif
        return words
    }
}
