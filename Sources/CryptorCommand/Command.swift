import CryptorFiles

/// The command `rncryptor`.
@main
enum Command {
    static func main() {
        cprocess_start()
        do throws(CommandError) {
            try run(try Word.ofCommandLine().dropFirst())
            Report.clearPassing()
        } catch {
            Report.complain(error)
            Report.clearPassing()
            let signal = Interruption.signal
            guard signal != 0 else { exit(error.status.rawValue) }
            // A shell that runs this in a loop sees by the signal that the loop is to end, too.
            cprocess_raise_noted_signal()
            exit(128 + signal)
        }
    }

    /// The options that take the place of a subcommand.
    static let options = [
        Option(
            "help", letter: "h",
            "Show this help; 'rncryptor SUBCOMMAND --help' shows the help of one."),
        Option("version", "Show the version."),
    ]

    private static func run(_ words: ArraySlice<Word>) throws(CommandError) {
        guard let name = words.first else {
            throw .usage("a subcommand is missing", hint: usageHint)
        }
        if ["--help", "-h"].contains(name) { return try Report.tell(helpText) }
        if name == "--version" { return try Report.tell("rncryptor \(Cryptor.version)\n") }
        if name.bytes.starts(with: "--generate".utf8) { return try Generator.run(words) }
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            let what = name.bytes.first == UInt8(ascii: "-") ? "option" : "subcommand"
            let hint = Arguments.hint(for: name) ?? usageHint
            throw .usage("unknown \(what) \(name.quoted)", hint: hint)
        }
        try run(subcommand, words.dropFirst())
    }

    private static func run(
        _ subcommand: Subcommand, _ words: ArraySlice<Word>
    ) throws(CommandError) {
        do throws(CommandError) {
            let arguments = try Arguments(words, options: subcommand.options)
            if arguments.contains("help") { return try Report.tell(subcommand.helpText) }
            try subcommand.run(arguments)
        } catch {
            guard error.status == .usage, error.hint == nil else { throw error }
            let hint = """
                Usage: \(subcommand.usage)
                       'rncryptor \(subcommand.name) --help' explains each option.
                """
            throw .usage(error.message, hint: hint)
        }
    }

    private static let usage = "rncryptor SUBCOMMAND [OPTIONS] [INPUT]"

    private static let usageHint = """
        Usage: \(usage)
               'rncryptor --help' lists them.
        """

    private static var helpText: String {
        let about = """
            Encrypts and decrypts files in the RNCryptor format: writes version 3, reads \
            versions \(AcceptedVersions.range).
            """
        return Layout.help(
            [Layout.paragraphs(about), Layout.usage(usage)],
            [
                ("Subcommands", Layout.table(Subcommand.all.map { ($0.name, $0.summary) })),
                ("Options", Layout.optionTable(options)),
                ("Exit status", Layout.table(ExitStatus.explanations)),
            ])
    }
}
