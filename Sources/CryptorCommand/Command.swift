import CryptorFiles

/// The command `rncryptor`.
@main
enum Command {
    static func main() {
        cprocess_start()
        do {
            try run(try Word.ofCommandLine().dropFirst())
            AttributeWarning.tell()
            Report.clearPassing()
        } catch {
            let error = CommandError(error)
            AttributeWarning.tell()
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
            "Show this help. 'rncryptor SUBCOMMAND --help' explains a subcommand."),
        Option("version", "Show the version."),
        Generator.option,
    ]

    private static func run(_ words: ArraySlice<Word>) throws {
        guard let name = words.first else {
            throw CommandError.usage("a subcommand is missing", hint: usageHint)
        }
        if ["--help", "-h"].contains(name) { return try Report.tell(helpText) }
        if name == "help" { return try help(about: words.dropFirst().first) }
        if name == "--version" { return try Report.tell("rncryptor \(Cryptor.version)\n") }
        if name.bytes.starts(with: "--generate".utf8) { return try Generator.run(words) }
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            throw unknown(name)
        }
        try run(subcommand, words.dropFirst())
    }

    /// `rncryptor help`, and `rncryptor help SUBCOMMAND`.
    private static func help(about name: Word?) throws {
        guard let name else { return try Report.tell(helpText) }
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            throw unknown(name)
        }
        try Report.tell(subcommand.helpText)
    }

    private static func unknown(_ name: Word) -> CommandError {
        let isOption = name.bytes.first == UInt8(ascii: "-")
        let known = isOption ? options.map { "--\($0.name)" } : Subcommand.all.map { $0.name }
        let meant = Suggestion.closest(to: name.text, among: known)
        let suggestion = meant.map { "Did you mean '\($0)'?" }
        return .usage(
            "unknown \(isOption ? "option" : "subcommand") \(name.quoted)",
            hint: Arguments.hint(for: name) ?? suggestion ?? usageHint)
    }

    private static func run(
        _ subcommand: Subcommand, _ words: ArraySlice<Word>
    ) throws {
        do {
            // An error in the words may have a hint, too.
            let takesQuiet = subcommand.options.contains { $0.name == "quiet" }
            Report.isQuiet = takesQuiet && (words.contains("-q") || words.contains("--quiet"))
            let arguments = try Arguments(words, options: subcommand.options)
            Report.isQuiet = arguments.contains("quiet")
            if arguments.contains("help") { return try Report.tell(subcommand.helpText) }
            try subcommand.run(arguments)
        } catch {
            let error = CommandError(error)
            if error.hint == "Use 'rncryptor \(subcommand.name)'." {
                throw CommandError.usage(
                    error.message,
                    hint: "Leave it out: \(subcommand.name) already does that.")
            }
            guard error.status == .usage, error.hint == nil else { throw error }
            let hint = """
                Usage: \(subcommand.usage)
                'rncryptor \(subcommand.name) --help' explains each option.
                """
            throw CommandError.usage(error.message, hint: hint)
        }
    }

    private static let usage = "rncryptor SUBCOMMAND [OPTIONS] [INPUT]"

    private static let usageHint = """
        Usage: \(usage)
        'rncryptor --help' lists them.
        """

    private static var helpText: String {
        let about = """
            Encrypts and decrypts files in the RNCryptor format. Writes version 3, and reads \
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

extension Subcommand {
    static let all = [encrypt, decrypt, verify, inspect, diagnose, rekey, keygen]
}
