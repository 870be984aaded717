import CryptorFiles

/// Where the outputs of a run go. The options say it, and are read for that once.
enum Destination {
    /// Standard output, since no option says anything else. A terminal gets harmless text only.
    case standardOutput
    /// What `--output` names: one file or stream, for one input.
    case named(FileEndpoint)
    /// A file beside each input: encryption adds the suffix to its name, decryption removes it.
    case besideInputs(suffix: [UInt8])
    /// A file for each input, below a directory.
    case below(OutputDirectory)
    /// Each message is replaced by the new one.
    case inPlace

    // MARK: From the options

    private static let output = Option(
        "output", letter: "o", value: .file("FILE"), goesWithLines: true,
        """
        Write to FILE instead of standard output. '-' is standard output, even if it is a \
        terminal.
        """)

    private static let suffix = Option(
        "suffix", value: .text("SUFFIX"),
        """
        Write beside each INPUT: encrypt adds SUFFIX, such as .rnc, to the name, decrypt removes \
        it. The output keeps INPUT's permissions and times, and an encrypted one, made by root, \
        its owner. If the owner changes, nobody else may read it.
        """)

    /// For `encrypt` and `decrypt`.
    static let options = [output, suffix, OutputDirectory.option]

    /// For `encrypt` and `decrypt`: standard output, unless an option says anything else.
    /// - Throws: `usage`, if the inputs do not fit the outputs.
    static func parsed(
        _ arguments: Arguments, for direction: Direction
    ) throws(CommandError) -> Destination {
        try arguments.allowOne(of: "output", "suffix")
        try arguments.allowOne(of: "output", "output-dir")
        let suffix = arguments["suffix"]?.bytes
        if let suffix { try check(suffix: suffix, arguments, for: direction) }
        if let name = arguments["output-dir"] {
            guard !arguments.operands.isEmpty, !arguments.operands.contains("-") else {
                throw .usage("--output-dir needs an INPUT with a name, not standard input")
            }
            return .below(try OutputDirectory(name, suffix: suffix ?? []))
        }
        if let suffix { return .besideInputs(suffix: suffix) }
        guard !arguments.contains("recursive") else {
            let isOfAge = arguments.operands.first?.bytes.starts(with: "age1".utf8) == true
            let start = arguments.contains("output") ? "--output names one file. " : ""
            throw .usage(
                "--recursive needs --suffix SUFFIX or --output-dir DIR",
                hint: isOfAge
                    ? Arguments.hint(for: "--recipient")
                    : "\(start)--suffix writes beside each INPUT, --output-dir below DIR.")
        }
        guard arguments.operands.count <= 1 else {
            throw .usage(
                "there are \(arguments.operands.count) inputs, but only one output",
                hint: "--suffix writes beside each INPUT, --output-dir below DIR.")
        }
        return named(by: arguments) ?? .standardOutput
    }

    /// What `--output` names; nil if it is not given.
    static func named(by arguments: Arguments) -> Destination? {
        guard let word = arguments["output"] else { return nil }
        return .named(word.file(dash: .standardOutput))
    }

    private static func check(
        suffix: [UInt8], _ arguments: Arguments, for direction: Direction
    ) throws(CommandError) {
        guard !suffix.isEmpty, !suffix.contains(UInt8(ascii: "/")) else {
            throw .usage("--suffix takes the end of a file name, such as .rnc")
        }
        guard !arguments.operands.isEmpty, !arguments.operands.contains("-") else {
            throw .usage("--suffix needs an INPUT with a name, not standard input")
        }
        // A dot, or another punctuation mark before the digits.
        guard direction == .encrypt, suffix[0] >= UInt8(ascii: "0") else { return }
        let name = Word("a.txt".utf8 + suffix).shown
        Report.complain("warning", "The suffix does not begin with a dot: a.txt becomes \(name).")
    }

    // MARK: What follows from it

    /// The output, if there is one for the whole run.
    var single: FileEndpoint? {
        switch self {
        case .standardOutput: .standardOutput
        case .named(let output): output
        case .besideInputs, .below, .inPlace: nil
        }
    }

    var isTerminal: Bool { single?.isTerminal ?? false }

    /// Whether only harmless text may be written: to a terminal that no option names. Whoever names
    /// standard output wants it as it is.
    var isProtectedTerminal: Bool {
        switch self {
        case .standardOutput: isTerminal
        case .named, .besideInputs, .below, .inPlace: false
        }
    }

    /// Whether the messages themselves are replaced.
    var isInPlace: Bool {
        switch self {
        case .inPlace: true
        case .standardOutput, .named, .besideInputs, .below: false
        }
    }

    /// Whether every output is a file, after which its source may be removed.
    var isFiles: Bool {
        switch self {
        case .standardOutput: false
        case .named(let output): output.descriptor == nil
        case .besideInputs, .below, .inPlace: true
        }
    }

    /// Whether an output takes over permissions and times of its input.
    var takesAttributes: Bool {
        switch self {
        case .besideInputs, .below: true
        case .standardOutput, .named, .inPlace: false
        }
    }

    /// The inputs of `encrypt` or `decrypt`, each with its output.
    func jobs(
        _ arguments: Arguments, for direction: Direction
    ) throws(CommandError) -> [FileJob] {
        switch self {
        case .standardOutput, .named:
            let operand = arguments.operands.first ?? "-"
            return [FileJob(input: operand.file(dash: .standardInput), output: single)]
        case .besideInputs(let suffix):
            let files = try InputFiles(
                arguments, direction == .encrypt ? .notEnding(suffix) : .ending(suffix))
            return files.jobs.map { job in withOutput(job, suffix: suffix, for: direction) }
        case .below(let directory):
            let suffix = directory.suffix
            // A message that is encrypted again has both suffixes, and its source stays apart.
            let files = try InputFiles(
                arguments, .ending(direction == .encrypt ? [] : suffix), eachByItself: true)
            guard !directory.isBelow(files.directories) else {
                throw .usage("the directory of --output-dir must not be an INPUT or below one")
            }
            directory.add(files.foundDirectories)
            let jobs = files.jobs.map { job in
                withOutput(job, suffix: suffix, below: directory, for: direction)
            }
            return OutputDirectory.withoutFilesInPlaceOfDirectories(jobs)
        case .inPlace:
            return try InputFiles(arguments).jobs
        }
    }

    /// The directory of `--output-dir`.
    var directory: OutputDirectory? {
        switch self {
        case .below(let directory): directory
        case .standardOutput, .named, .besideInputs, .inPlace: nil
        }
    }

    /// The job with an output beside its input, or below a directory. Its name has the suffix, or
    /// has it no more.
    private func withOutput(
        _ job: FileJob, suffix: [UInt8], below directory: OutputDirectory? = nil,
        for direction: Direction
    ) -> FileJob {
        guard job.failure == nil else { return job }
        var job = job
        guard !job.input.isPipeOrDevice else {
            job.failure = CommandError(
                .noInput, "\(job.input): It is not a regular file.",
                hint: "Without --suffix and --output-dir, what comes from it is one INPUT.")
            return job
        }
        guard let name = job.input.nameBytes else {
            job.failure = CommandError(
                .noInput, "\(job.input): It is a directory, or its path ends with a slash.")
            return job
        }
        let isEncryptedAgain = directory != nil && direction == .encrypt
        guard isEncryptedAgain || direction.isInput(name, suffix: suffix) else {
            let ending = direction == .encrypt ? "already ends" : "does not end"
            job.failure = CommandError(
                .cannotCreate,
                "\(job.input): Its name \(ending) in \(Word(suffix).quoted), so it was skipped.")
            return job
        }
        func changed(_ path: [UInt8]) -> [UInt8] {
            switch direction {
            case .encrypt: path + suffix
            case .decrypt: path.dropLast(suffix.count)
            }
        }
        guard let directory else {
            job.output = job.input.changingPath(changed)
            job.nameBesideInput = changed(name)
            return job
        }
        return directory.job(job, writing: changed(job.pathFromOperand ?? name))
    }
}
