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

    private static func run(_ words: ArraySlice<Word>) throws(CommandError) {
        let help =
            "Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]\n       'rncryptor --help' lists them."
        guard let name = words.first else { throw .usage("a subcommand is missing", hint: help) }
        if ["--help", "-h"].contains(name) { return try Report.tell(helpText) }
        if name == "--version" { return try Report.tell("rncryptor \(Cryptor.version)\n") }
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            let what = name.bytes.first == UInt8(ascii: "-") ? "option" : "subcommand"
            throw .usage("unknown \(what) \(name.quoted)", hint: Arguments.hint(for: name) ?? help)
        }
        do throws(CommandError) {
            let arguments = try Arguments(words.dropFirst(), options: subcommand.options)
            if arguments.contains("help") { return try Report.tell(subcommand.helpText) }
            try subcommand.run(arguments)
        } catch {
            let help =
                "Usage: \(subcommand.usage)\n       'rncryptor \(subcommand.name) --help' explains each option."
            throw error.status == .usage && error.hint == nil
                ? .usage(error.message, hint: help) : error
        }
    }

    private static var helpText: String {
        let about =
            "Encrypts and decrypts files in the RNCryptor format: writes version 3, reads versions 0 to 3."
        let options = [
            ("-h, --help", "Show this help; 'rncryptor SUBCOMMAND --help' shows the help of one."),
            ("    --version", "Show the version."),
        ]
        return Layout.help(
            [Layout.paragraphs(about), Layout.usage("rncryptor SUBCOMMAND [OPTIONS] [INPUT]")],
            [
                ("Subcommands", Layout.table(Subcommand.all.map { ($0.name, $0.summary) })),
                ("Options", Layout.table(options)),
                ("Exit status", Layout.table(ExitStatus.explanations)),
            ])
    }
}
