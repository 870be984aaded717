import CryptorFiles

/// A word of the command line. It is bytes, since the names of files and environment variables need not be UTF-8.
struct Word: Sendable, Hashable, ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    init(stringLiteral text: String) { self.init(text.utf8) }

    /// What is no UTF-8 in it is replaced, so only what may be UTF-8 is read with this.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The file that it names.
    /// - Parameter dash: what a dash stands for.
    func file(dash: FileEndpoint) -> FileEndpoint { self == "-" ? dash : .pathBytes(bytes) }

    /// The word for a person to read where a name is expected, as the library shows names: it cannot pass for other
    /// words of the same line, and no terminal obeys it. If need be, it is quoted as in a shell: `$'a\nb'`.
    var shown: String { FileEndpoint.pathBytes(bytes).description }

    /// The word in quotes, for a sentence.
    var quoted: String { shown.hasPrefix("$'") ? shown : "'\(shown)'" }
}

/// The words of the command line, the name of the command first, as the system passed them: Swift's strings would
/// change bytes that are not UTF-8.
func commandLineWords() -> [[UInt8]] {
    var next = unsafe CommandLine.unsafeArgv
    var words: [[UInt8]] = []
    while let word = unsafe next.pointee {
        words.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        unsafe next += 1
    }
    return words
}

/// An option of a subcommand. Help and the parser use the same tables of options, so they cannot disagree.
struct Option: Sendable {
    /// The long name, without the dashes.
    let name: String
    let letter: Character?
    /// The placeholder for the value in help; nil if the option takes no value.
    let valueName: String?
    let help: String
    /// Whether it may be given several times.
    let isRepeatable: Bool

    init(
        _ name: String, letter: Character? = nil, value valueName: String? = nil, repeatable: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.letter = letter
        self.valueName = valueName
        self.help = help
        isRepeatable = repeatable
    }

    var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
}

/// The words after a subcommand, split into options and operands. These may come in any order: `--name value` and
/// `--name=value`, `-o value` and `-ovalue`. After `--` there are only operands.
struct Arguments {
    /// What options of age, gzip and openssl are here.
    static let elsewhere: [String: String] = {
        let meanings: [(String, String)] = [
            ("-i --identity", "--key-file FILE reads keys."),
            ("-R --recipient --recipients-file", "The format knows passwords and shared keys only: see --key-file."),
            ("-p --passphrase", "The password is asked for if no option names one."),
            ("-pass -kfile --password", "--password-file FILE or --password-env NAME reads a password."),
            ("-d --decrypt --decompress --uncompress", "Use 'rncryptor decrypt'."),
            ("-e -enc --encrypt", "Use 'rncryptor encrypt'."),
            ("-t --test", "Use 'rncryptor verify'."),
            ("-l --list", "Use 'rncryptor inspect'."),
            ("-c --stdout --to-stdout", "--output - writes to standard output."),
            ("-k --keep", "INPUT is kept unless --remove-source is given; --password-file FILE reads a password."),
            ("-a --armor", "--base64 writes text."),
            ("-S", "--suffix SUFFIX sets the end of the names."),
            ("-v --verbose", "--progress shows the progress."),
            ("-in", "Name the INPUT without an option."),
            ("-out", "--output FILE names the output."),
            ("-iter", "--iterations N sets the number."),
        ]
        let pairs = meanings.flatMap { names, meaning in names.split(separator: " ").map { (String($0), meaning) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    private(set) var operands: [Word] = []
    private var values: [String: Word] = [:]
    /// The options that may be given several times, in the order in which they came.
    private(set) var repeated: [(name: String, value: Word)] = []

    private static let dash = UInt8(ascii: "-")

    init(_ words: some Sequence<Word>, options: [Option]) throws(CommandError) {
        var words = words.makeIterator()
        while let word = words.next() {
            if word == "--" {
                while let operand = words.next() { operands.append(operand) }
            } else if word.bytes.starts(with: [Self.dash, Self.dash]) {
                let parts = word.bytes.dropFirst(2)
                    .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard let option = options.first(where: { $0.name.utf8.elementsEqual(parts[0]) }) else {
                    let likely = options.first { $0.name.utf8.starts(with: parts[0]) }
                    let hint = Self.elsewhere["--\(Word(parts[0]).text)"] ?? likely.map { "Did you mean --\($0.name)?" }
                    throw Self.unknown("--", parts[0], hint: hint)
                }
                try take(option, attached: parts.count > 1 ? Word(parts[1]) : nil, followedBy: &words)
            } else if word.bytes.first == Self.dash, word != "-" {
                try takeLetters(word.bytes.dropFirst(), among: options, followedBy: &words)
            } else {
                operands.append(word)
            }
        }
    }

    subscript(name: String) -> Word? { values[name] }

    func contains(_ name: String) -> Bool { values[name] != nil }

    /// The option of these that is given, if one is.
    /// - Throws: if there are several, because they exclude each other.
    func onlyOne(of options: [Option]) throws(CommandError) -> Option? {
        let given = options.filter { contains($0.name) }
        guard given.count <= 1 else {
            throw .usage(given.map { "--\($0.name)" }.joined(separator: " and ") + " cannot be used together")
        }
        return given.first
    }

    private mutating func takeLetters(
        _ letters: ArraySlice<UInt8>, among options: [Option], followedBy words: inout some IteratorProtocol<Word>
    ) throws(CommandError) {
        // One word of openssl, such as -out, would be read as several letters.
        if letters.count > 1, let hint = Self.elsewhere["-\(Word(letters).text)"] {
            throw Self.unknown("-", letters, hint: hint)
        }
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter?.asciiValue == letter }) else {
                throw Self.unknown("-", [letter], hint: Self.elsewhere["-\(Character(Unicode.Scalar(letter)))"])
            }
            let isLast = option.valueName != nil
            try take(option, attached: isLast && !letters.isEmpty ? Word(letters) : nil, followedBy: &words)
            if isLast { return }
        }
    }

    /// The error leaves out what follows the name, in this word or in the next: it may be a secret.
    private static func unknown(_ dashes: String, _ spelling: ArraySlice<UInt8>, hint: String?) -> CommandError {
        .usage("unknown option \(Word(Array(dashes.utf8) + spelling).quoted)", hint: hint)
    }

    private mutating func take(
        _ option: Option, attached: Word?, followedBy words: inout some IteratorProtocol<Word>
    ) throws(CommandError) {
        guard values[option.name] == nil || option.isRepeatable else {
            throw .usage("the option '--\(option.name)' is given twice")
        }
        guard let valueName = option.valueName else {
            guard attached == nil else { throw .usage("the option '--\(option.name)' takes no value") }
            values[option.name] = ""
            if option.isRepeatable { repeated.append((option.name, "")) }
            return
        }
        guard let value = attached ?? words.next() else {
            throw .usage("the option '--\(option.name)' needs a value: --\(option.name) \(valueName)")
        }
        values[option.name] = value
        if option.isRepeatable { repeated.append((option.name, value)) }
    }
}
