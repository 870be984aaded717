import CryptorFormat

/// The inputs and outputs of `encrypt` and `decrypt`.
struct FileArguments {
    enum Direction: Sendable { case encrypt, decrypt }

    static let output = Option(
        "output", letter: "o", value: "FILE",
        "Write to FILE and not to standard output; '-' is standard output, even if that is a terminal.")
    static let suffix = Option(
        "suffix", value: "SUFFIX",
        "Write beside each INPUT: encrypt adds SUFFIX, such as .rnc, to the name, decrypt removes it. The output takes over "
            + "permissions and times of INPUT, and a message its owner.")
    static let force = Option("force", letter: "f", "Overwrite an output that exists.")
    static let removeSource = Option(
        "remove-source",
        "Remove each INPUT once its output is a file on the disk. A link, or a file that was changed or exchanged, stays."
    )
    static let spoolLimit = Option(
        "spool-limit", value: "SIZE",
        "Keep at most SIZE of an input that can be read only once, such as a pipe, in $TMPDIR while it is verified: bytes, "
            + "or a number with K, M, G or T. Without this option, half of what is free there.")

    let inputs: InputFiles
    /// The inputs of `encrypt` that have the suffix already.
    let leftAlone: [FileEndpoint]
    private let output: FileEndpoint?
    private let suffix: [UInt8]?
    private let direction: Direction
    let removesSource: Bool
    let overwrites: Bool
    /// The failures of inputs whose outputs would harm other files.
    private var conflicts: [FileEndpoint: CommandError] = [:]

    init(_ arguments: Arguments, _ direction: Direction) throws(CommandError) {
        let words: [Word] = arguments.operands.isEmpty ? ["-"] : arguments.operands
        let suffix = arguments["suffix"]?.bytes
        let isRecursive = arguments.contains("recursive")
        let adds = direction == .encrypt
        output = arguments["output"]?.file(dash: .standardOutput)
        self.suffix = suffix
        removesSource = arguments.contains("remove-source")
        overwrites = arguments.contains("force")
        self.direction = direction
        _ = try arguments.onlyOne(of: [Self.output, Self.suffix])
        guard suffix != nil || !isRecursive else {
            throw .usage("--recursive needs --suffix, such as .rnc: each output is beside its INPUT")
        }
        guard suffix.map({ !$0.isEmpty && !$0.contains(UInt8(ascii: "/")) }) ?? true else {
            throw .usage("--suffix takes the end of a name, such as .rnc")
        }
        guard suffix == nil || !words.contains("-") else {
            throw .usage("--suffix needs the name of an INPUT, and standard input has none")
        }
        guard suffix != nil || words.count == 1 else {
            throw .usage("there are \(words.count) inputs and one output", hint: "--suffix writes beside each INPUT.")
        }
        let isDone = { (word: Word) in
            guard adds, let suffix, word.name.hasEnding(suffix) else { return false }
            let file = FileEndpoint.pathBytes(word.bytes)
            return file.exists && file.folderIdentity == nil
        }
        leftAlone = words.filter(isDone).map { .pathBytes($0.bytes) }
        inputs = try InputFiles(words.filter { !isDone($0) }, recursive: isRecursive) { name in
            suffix.map { name.hasEnding($0) != adds } ?? true
        }
        if removesSource, words.contains("-") || (output?.pathBytes ?? suffix) == nil { throw .removalNeedsFiles }
    }

    /// Whether the user gave `--output -`, which allows standard output to be a terminal.
    private var allowsTerminal: Bool { output == .standardOutput }

    /// The outputs that may be a terminal. An output beside an input is a regular file: if anything else has its name,
    /// it is not even opened.
    var possibleTerminals: [FileEndpoint] { writesBesideInputs ? [] : [output ?? .standardOutput] }

    /// Throws if binary output would go to a terminal.
    func refuseTerminals() throws(CommandError) {
        if !allowsTerminal { try TerminalOutput.refuseBinary(to: possibleTerminals) }
    }

    /// The terminal that an output is; nil if it is none, or if the user gave `--output -`.
    func terminal(_ output: FileEndpoint) -> TerminalOutput? {
        allowsTerminal || writesBesideInputs ? nil : TerminalOutput(output)
    }

    /// Whether the outputs are written beside the inputs, and take over their attributes.
    var writesBesideInputs: Bool { suffix != nil }

    /// Checks all inputs and outputs before any output is written.
    /// - Parameter secret: the file that the secret is read from.
    /// - Returns: these arguments, with ``destination(of:)`` throwing for inputs whose outputs would harm others.
    func checked(secret: FileEndpoint?) throws(CommandError) -> FileArguments {
        var jobs: [(FileEndpoint, FileEndpoint)] = []
        var leftAlone = leftAlone
        for input in inputs.readable {
            if let output = try? destination(of: input) {
                jobs.append((input, output))
            } else {
                leftAlone.append(input)
            }
        }
        // Without `--force`, an output that exists already fails by itself, so these files are safe.
        let plan = FilePlan(secrets: [secret], leftAlone: overwrites ? leftAlone : [])
        var checked = self
        checked.conflicts = try plan.check(jobs)
        if removesSource, possibleTerminals.contains(where: \.isTerminal) { throw .removalNeedsFiles }
        return checked
    }

    /// Whether the work can be done again with another password: there is one file, which can be read again, and the
    /// output is no FIFO, whose reader would have left.
    var mayBeRepeated: Bool {
        guard inputs.mayBeReadAgain else { return false }
        return (try? destination(of: inputs.files[0]))?.isFIFOWithName != true
    }

    /// Where the output for an input goes.
    func destination(of input: FileEndpoint) throws(CommandError) -> FileEndpoint {
        if let conflict = conflicts[input] { throw conflict }
        guard let suffix, let path = input.pathBytes else { return output ?? .standardOutput }
        var name = Array(Word(path).name)
        switch direction {
        case .encrypt: name += suffix
        case .decrypt:
            guard name.hasEnding(suffix) else {
                throw CommandError(
                    .usage, "\(input): Its name does not end in \(Word(suffix).quoted), so nothing was done with it.")
            }
            name.removeLast(suffix.count)
        }
        // The input is a folder. Opening it will fail and say so, so any name does as the output.
        guard ![[], Array(".".utf8), Array("..".utf8)].contains(Array(Word(path).name)) else {
            return .pathBytes(path + suffix)
        }
        guard let destination = input.sibling(nameBytes: name) else {
            throw CommandError(.cannotCreate, "\(input): No file can be called \(Word(name).quoted).")
        }
        return destination
    }

    /// The number in `--spool-limit`; nil without it.
    static func spoolByteLimit(_ arguments: Arguments) throws(CommandError) -> Int? {
        guard let word = try arguments["spool-limit"]?.text else { return nil }
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = word.last.flatMap { units[Character($0.uppercased())] }
        let number = Int(unit == nil ? word[...] : word.dropLast())
        guard let number, number > 0, case (let count, false) = number.multipliedReportingOverflow(by: unit ?? 1) else {
            throw .usage(
                "--spool-limit takes a number of bytes, such as 500000000 or 20G, not \(Word(word.utf8).quoted)")
        }
        return count
    }
}

extension CommandError {
    fileprivate static let removalNeedsFiles = usage(
        "--remove-source needs files: an INPUT, and --output or --suffix")
}
