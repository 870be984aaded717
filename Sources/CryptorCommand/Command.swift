import CryptorFormat

/// The command `rncryptor`.
@main
enum Command {
    static func main() {
        // A reader that went away and a file over its limit are errors of write(2), which are reported: no silent death.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        do throws(CommandError) {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            complain(error)
            exit(error.status.rawValue)
        }
    }

    private static func run(_ words: [String]) throws(CommandError) {
        switch words.first {
        case nil:
            throw .usage("a subcommand is missing", hint: helpHint)
        case "--help"?, "-h"?, "help"?:
            try show(words.count > 1 ? try subcommand(words[1]).helpText : helpText)
        case "--version"?:
            try show("rncryptor \(Cryptor.version)\n")
        case let name?:
            let subcommand = try subcommand(name)
            let hint = "Usage: \(subcommand.usage)\n       'rncryptor \(name) --help' explains each option."
            do throws(CommandError) {
                let arguments = try Arguments(words.dropFirst(), options: subcommand.options + [Subcommand.help])
                if arguments.contains("help") { return try show(subcommand.helpText) }
                try subcommand.run(arguments)
            } catch {
                guard error.status == .usage, error.hint == nil else { throw error }
                throw .usage(error.message, hint: hint)
            }
        }
    }

    private static func subcommand(_ name: String) throws(CommandError) -> Subcommand {
        guard let subcommand = Subcommand.all.first(where: { $0.name == name }) else {
            let what = name.hasPrefix("-") ? "option" : "subcommand"
            throw .usage("unknown \(what) '\(name)'", hint: helpHint)
        }
        return subcommand
    }

    private static let helpHint = "Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]\n       'rncryptor --help' lists them."

    private static var helpText: String {
        """
        Encrypts and decrypts files in the RNCryptor format, version 3.

        Usage: rncryptor SUBCOMMAND [OPTIONS] [INPUT]

        Subcommands:
        \(table(Subcommand.all.map { ($0.name, $0.summary) }))

        Options:
        \(table([("-h, --help", "Show this help; 'rncryptor SUBCOMMAND --help' shows that of one."), ("    --version", "Show the version.")]))

        Exit status:
        \(table(exitStatuses))

        """
    }

    private static let exitStatuses = [
        ("0", "full success"), ("64", "wrong usage, empty password"), ("65", "malformed message or key file"),
        ("66", "the input cannot be opened"), ("70", "OpenSSL failed"),
        ("73", "the output exists or cannot be created"), ("74", "reading or writing failed"),
        ("77", "wrong password or keys, or an altered message"), ("130", "interrupted"),
    ]

    private static func show(_ text: String) throws(CommandError) {
        guard writeAll(text, to: STDOUT_FILENO) else {
            throw CommandError(.inputOutput, "standard output: It cannot be written: \(systemMessage(errno)).")
        }
    }

    /// Data goes to standard output; what concerns people to standard error.
    private static func complain(_ error: CommandError) {
        var text = "rncryptor: error: \(error.message)\n"
        if let hint = error.hint { text += "rncryptor: hint: \(hint)\n" }
        _ = writeAll(text, to: STDERR_FILENO)
    }
}

/// Writes all of `text`, or says that it could not.
func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
