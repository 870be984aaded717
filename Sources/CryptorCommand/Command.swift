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
            throw .usage("unknown \(what) \(name.quoted)", hint: helpHint)
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

/// A subcommand: how it is invoked, and what it does.
struct Subcommand: Sendable {
    let name: String
    let summary: String
    /// The operands in the usage line, such as "[INPUT...]".
    let operands: String
    let discussion: String
    let options: [Option]
    let run: @Sendable (Arguments) throws(CommandError) -> Void

    static let all = [encrypt, decrypt, verify, inspect, rekey, keygen]

    init(
        name: String, summary: String, operands: String, discussion: String, options: [Option],
        run: @escaping @Sendable (Arguments) throws(CommandError) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.discussion = discussion
        self.options = options + [Option("help", letter: "h", "Show this help.")]
        self.run = run
    }

    /// What `--help` prints.
    var helpText: String {
        let rows = options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            return ("\(letter)--\(option.name)\(option.valueName.map { " \($0)" } ?? "")", option.help)
        }
        return "\(summary)\n\nUsage: \(usage)\n\n\(discussion)\n\nOptions:\n\(table(rows))\n"
    }

    var usage: String { "rncryptor \(name) [OPTIONS]\(operands.isEmpty ? "" : " ")\(operands)" }
}

/// Formats two columns, the second in lines that end before column 80.
func table(_ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 4
    return rows.map { left, right in
        var lines = ["  \(left)\(String(repeating: " ", count: width - left.count - 2))"]
        var column = width
        for word in right.split(separator: " ") {
            if column > width && column + word.count >= 79 {
                lines.append(String(repeating: " ", count: width))
                column = width
            }
            lines[lines.count - 1] += (column > width ? " " : "") + word
            column += word.count + 1
        }
        return lines.joined(separator: "\n")
    }.joined(separator: "\n")
}
