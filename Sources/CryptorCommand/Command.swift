import CCryptorProcess
import CryptorFiles

/// The command `rncryptor`.
@main
enum Command {
    static func main() {
        // This comes before anything is opened, since a file would get the number of a stream that is missing.
        let missing = cprocess_occupy_standard_streams()
        guard missing == 0 else {
            Report.complain(
                CommandError(
                    .inputOutput,
                    "standard input, output or error is closed, and cannot be replaced: \(systemMessage(missing))."))
            exit(ExitStatus.inputOutput.rawValue)
        }
        // This comes before any secret is read.
        cprocess_forbid_dumps()
        // If the reader has gone or a file exceeds its limit, write(2) now returns an error, which is reported. The
        // signal would end the process without a word.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        cprocess_note_signals()
        do throws(CommandError) {
            try run(commandLineWords().dropFirst().map(Word.init))
            Report.clearPassing()
        } catch {
            Report.complain(error)
            exit(Interruption.signal.map { 128 + $0 } ?? error.status.rawValue)
        }
    }

    private static func run(_ words: [Word]) throws(CommandError) {
        switch words.first {
        case nil:
            throw .usage("a subcommand is missing", hint: helpHint)
        case "--help"?, "-h"?:
            try Report.tell(helpText)
        case "--version"?:
            try Report.tell("rncryptor \(Cryptor.version)\n")
        case let name?:
            let subcommand = try subcommand(name)
            do throws(CommandError) {
                let arguments = try Arguments(words.dropFirst(), options: subcommand.options)
                if arguments.contains("help") { return try Report.tell(subcommand.helpText) }
                try subcommand.run(arguments)
            } catch {
                guard error.status == .usage, error.hint == nil else { throw error }
                throw .usage(
                    error.message,
                    hint:
                        "Usage: \(subcommand.usage)\n       'rncryptor \(subcommand.name) --help' explains each option."
                )
            }
        }
    }

    private static func subcommand(_ name: Word) throws(CommandError) -> Subcommand {
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            let what = name.bytes.first == UInt8(ascii: "-") ? "option" : "subcommand"
            throw .usage("unknown \(what) \(name.quoted)", hint: Arguments.elsewhere[name.text] ?? helpHint)
        }
        return subcommand
    }

    private static let helpHint = "Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]\n       'rncryptor --help' lists them."

    private static var helpText: String {
        let about = "Encrypts and decrypts files in the RNCryptor format: writes version 3, reads versions 0 to 3."
        let options = [
            ("-h, --help", "Show this help; 'rncryptor SUBCOMMAND --help' shows the help of one."),
            ("    --version", "Show the version."),
        ]
        return """
            \(Layout.paragraphs(about))

            \(Layout.wrapped("Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]", Layout.helpColumns, hanging: 4))

            Subcommands:
            \(Layout.table(Subcommand.all.map { ($0.name, $0.summary) }))

            Options:
            \(Layout.table(options))

            Exit status:
            \(Layout.table(ExitStatus.explanations))

            """
    }
}

/// A subcommand: how it is invoked, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The operands in the usage line, such as "[INPUT...]".
    let operands: String
    let discussion: String
    let examples: [String]
    let options: [Option]
    let run: @Sendable (Arguments) throws(CommandError) -> Void

    static let all = [encrypt, decrypt, verify, inspect, diagnose, rekey, keygen]

    init(
        name: String, summary: String, operands: String, discussion: String, examples: [String], options: [Option],
        run: @escaping @Sendable (Arguments) throws(CommandError) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.discussion = discussion
        self.examples = examples
        self.options = options + [Option("help", letter: "h", "Show this help.")]
        self.run = run
    }

    /// What `--help` prints.
    var helpText: String {
        let rows = options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return ("\(letter)--\(option.name)\(option.valueName.map { " \($0)" } ?? "")", option.help)
        }
        let examples = examples.map { Layout.wrapped("  \($0)", Layout.helpColumns, hanging: 4) }
        return """
            \(Layout.paragraphs(summary))

            \(Layout.wrapped("Usage: \(usage)", Layout.helpColumns, hanging: 4))

            \(Layout.paragraphs(discussion))

            Examples:
            \(examples.joined(separator: "\n"))

            Options:
            \(Layout.table(rows))

            """
    }

    var usage: String { "rncryptor \(name) [OPTIONS]\(operands.isEmpty ? "" : " ")\(operands)" }
}
