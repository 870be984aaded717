import CryptorFiles

/// The words after a subcommand, split into options and operands. These may come in any order:
/// `--name value` and `--name=value`, `-o value` and `-ovalue`. After `--` there are only operands.
struct Arguments {
    private(set) var operands: [Word] = []
    /// The options in the order in which they came, with an empty value for those that take none.
    private(set) var options: [(option: Option, value: Word)] = []

    private static let dash = UInt8(ascii: "-")

    init(_ words: some Sequence<Word>, options table: [Option]) throws(CommandError) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                return
            }
            if let error = Self.typographicDash(of: word, table) { throw error }
            if word == "-" || word.bytes.first != Self.dash {
                operands.append(word)
            } else {
                try take(word, followedBy: &words, from: table)
            }
        }
    }

    subscript(name: String) -> Word? { options.first { $0.option.name == name }?.value }

    func contains(_ name: String) -> Bool { self[name] != nil }

    /// The value of an option that takes a positive number.
    func number(_ name: String) throws(CommandError) -> Int? {
        guard let word = self[name] else { return nil }
        guard let number = Int(word.text), number > 0 else {
            throw .usage("--\(name) takes a number, such as 100000, not \(word.quoted)")
        }
        return number
    }

    /// Throws if more than one of these options is given.
    func allowOne(of names: String...) throws(CommandError) {
        let given = names.filter(contains)
        guard given.count <= 1 else {
            let list = given.map { "--\($0)" }.joined(separator: " and ")
            throw .usage("\(list) cannot be used together")
        }
    }

    // MARK: The parser

    /// Takes a word that begins with a dash: one option, or several letters.
    private mutating func take(
        _ word: Word, followedBy words: inout ArraySlice<Word>, from table: [Option]
    ) throws(CommandError) {
        let parts = word.bytes.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = Word(parts[0])
        if let option = table.first(where: { Word("--\($0.name)".utf8) == name }) {
            let attached = parts.count > 1 ? Word(parts[1]) : nil
            return try take(option, attached: attached, followedBy: &words)
        }
        if let option = table.first(where: { Word("-\($0.name)".utf8) == name }) {
            throw .usage("unknown option \(name.quoted)", hint: "Write --\(option.name).")
        }
        // One word, such as openssl's -out, would otherwise be read as several letters.
        let isForeignWord = word.bytes.count > 2 && Self.hint(for: word) != nil
        guard !word.bytes.starts(with: "--".utf8), !isForeignWord else {
            throw Self.unknown(name, of: table)
        }
        try takeLetters(of: word, followedBy: &words, from: table)
    }

    /// Takes the letters after one dash. The value of the first that takes one is what follows it.
    private mutating func takeLetters(
        of word: Word, followedBy words: inout ArraySlice<Word>, from table: [Option]
    ) throws(CommandError) {
        var letters = word.bytes.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = table.first(where: { $0.letter?.asciiValue == letter }) else {
                guard !FileEndpoint.pathBytes(word.bytes).isExistingFile else {
                    throw .usage(
                        "\(word.shown) is read as options",
                        hint: "Write the file name as ./\(word.shown).")
                }
                throw Self.unknown(Word([Self.dash, letter]), of: table)
            }
            var attached: Word?
            if option.value != nil, !letters.isEmpty {
                attached = Word(letters)
                letters = []
            }
            try take(option, attached: attached, followedBy: &words)
        }
    }

    /// - Parameter attached: what is in the same word as the option, and may be its value.
    private mutating func take(
        _ option: Option, attached: Word?, followedBy words: inout ArraySlice<Word>
    ) throws(CommandError) {
        if contains(option.name), !option.isRepeatable {
            throw .usage("the option '--\(option.name)' is given twice")
        }
        guard let value = option.value else {
            guard attached == nil else {
                throw .usage("the option '--\(option.name)' takes no value")
            }
            options.append((option, ""))
            return
        }
        guard let word = attached ?? words.popFirst() else {
            let example = "--\(option.name) \(value.placeholder)"
            throw .usage("the option '--\(option.name)' needs a value: \(example)")
        }
        options.append((option, word))
    }

    // MARK: Options of other programs

    /// The error leaves out what follows the name, in this word or in the next: it may be a secret.
    private static func unknown(_ name: Word, of table: [Option]) -> CommandError {
        let meant = Suggestion.closest(to: name.text, among: table.map { "--\($0.name)" })
        return .usage(
            "unknown option \(name.quoted)",
            hint: hint(for: name) ?? meant.map { "Did you mean '\($0)'?" })
    }

    private static let typographicDashes = [
        "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}",
    ]
    .map { Array($0.utf8) }

    /// Word processors and web pages make one long dash of two, and also of one.
    private static func typographicDash(of word: Word, _ table: [Option]) -> CommandError? {
        let typed = word.bytes.prefix { $0 != UInt8(ascii: "=") }
        guard typographicDashes.contains(where: { typed.starts(with: $0) }),
            !FileEndpoint.pathBytes(word.bytes).isExistingFile
        else { return nil }
        var name = typed
        let dashes = typographicDashes + [[dash]]
        while let first = dashes.first(where: { name.starts(with: $0) }) {
            name = name.dropFirst(first.count)
        }
        let isLetter = name.count == 1 && table.contains { $0.letter?.asciiValue == name.first }
        let plain = Word((isLetter ? "-" : "--").utf8 + name)
        return .usage(
            "\(Word(typed).quoted) begins with a long dash",
            hint: "Write \(plain.shown), with \(isLetter ? "one hyphen" : "two hyphens").")
    }

    /// What an option of age, gzip or openssl is here.
    static func hint(for word: Word) -> String? {
        let found = foreign.first { names, _ in
            names.split(separator: " ").contains { Word($0.utf8) == word }
        }
        return found?.hint
    }

    private static let foreign: [(names: String, hint: String)] = [
        ("-i --identity", "Give INPUT without an option. --key-file FILE reads keys."),
        (
            "-R --recipient --recipients-file",
            "The format has no public keys. Use a password or a shared key: see --key-file."
        ),
        (
            "-p --passphrase",
            "You are asked for the password if no option gives one. --password-file FILE reads one."
        ),
        (
            "-pass -kfile --password --passphrase-file",
            "--password-file FILE or --password-env NAME reads a password."
        ),
        ("-d dec --decrypt --decompress --uncompress", "Use 'rncryptor decrypt'."),
        ("enc -enc", "Use 'rncryptor encrypt' or 'rncryptor decrypt'."),
        ("-e --encrypt --symmetric", "Use 'rncryptor encrypt'."),
        ("-t --test test check", "Use 'rncryptor verify'."),
        ("-l --list list ls info", "Use 'rncryptor inspect'."),
        ("passwd rotate", "Use 'rncryptor rekey'."),
        ("-c --stdout --to-stdout", "--output - writes to standard output."),
        (
            "-k --keep",
            "INPUT is kept unless --remove-source is given. See --key-file and --password-file."
        ),
        ("-a --armor", "--base64 writes text."),
        ("-S", "--suffix SUFFIX sets the suffix."),
        ("-v --verbose", "--progress shows progress."),
        ("-V version", "'rncryptor --version' shows the version."),
        ("-in --input", "Give INPUT without an option."),
        ("-out --out", "--output FILE names the output."),
        ("-iter", "--iterations N sets the number of iterations."),
        ("-K -iv", "--key-file FILE reads keys."),
        ("-aes-256-cbc -pbkdf2 -salt -nosalt -md", "Leave it out: the format itself defines that."),
    ]
}
