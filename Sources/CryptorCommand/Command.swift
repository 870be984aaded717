import CCryptorProcess
import CryptorFormat

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
        Interruption.watch()
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
        case "--help"?, "-h"?, "help"?:
            try Report.tell(words.count > 1 ? try subcommand(words[1]).helpText : helpText)
        case "--version"?:
            try Report.tell("rncryptor \(Cryptor.version)\n")
        case let name?:
            let subcommand = try subcommand(name)
            let hint = "Usage: \(subcommand.usage)\n       'rncryptor \(subcommand.name) --help' explains each option."
            do throws(CommandError) {
                let arguments = try Arguments(words.dropFirst(), options: subcommand.allOptions)
                if arguments.contains("help") { return try Report.tell(subcommand.helpText) }
                try subcommand.run(arguments)
            } catch {
                guard error.status == .usage, error.hint == nil else { throw error }
                throw .usage(error.message, hint: hint)
            }
        }
    }

    private static func subcommand(_ name: Word) throws(CommandError) -> Subcommand {
        guard let subcommand = Subcommand.all.first(where: { Word($0.name.utf8) == name }) else {
            let what = name.bytes.first == UInt8(ascii: "-") ? "option" : "subcommand"
            throw .usage("unknown \(what) \(name.quoted)", hint: Suggestion.forSubcommand(name) ?? helpHint)
        }
        return subcommand
    }

    private static let helpHint = "Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]\n       'rncryptor --help' lists them."

    private static var helpText: String {
        """
        Encrypts and decrypts files in the RNCryptor format: writes version 3, reads
        versions 0 to 3.

        Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]

        Subcommands:
        \(table(Subcommand.all.map { ($0.name, $0.summary) }))

        Options:
        \(table([("-h, --help", "Show this help; 'rncryptor SUBCOMMAND --help' shows the help of one."), ("    --version", "Show the version.")]))

        Exit status:
        \(table(ExitStatus.explanations))

        """
    }
}
