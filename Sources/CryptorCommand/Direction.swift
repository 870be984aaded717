import CryptorFiles

/// What `encrypt` and `decrypt` have in common.
enum Direction {
    case encrypt, decrypt

    static let output = Option(
        "output", letter: "o", value: "FILE",
        "Write to FILE and not to standard output; '-' is standard output, even if that is a terminal."
    )
    static let suffix = Option(
        "suffix", value: "SUFFIX",
        "Write beside each INPUT: encrypt adds SUFFIX, such as .rnc, to the name, decrypt removes it. The output takes over "
            + "permissions and times of INPUT, and a message its owner.")
    static let force = Option("force", letter: "f", "Overwrite an output that exists.")
    static let skipExisting = Option(
        "skip-existing",
        "Leave an INPUT alone if its output exists and is finished, as after a run that was "
            + "interrupted: a message has to begin like one and to have the right length, a "
            + "plaintext 1 to 16 bytes less than its ciphertext. Any other output is an error.")
    static let removeSource = Option(
        "remove-source",
        "Remove each INPUT, if it is no link and unchanged, once its output is a file on the disk. "
            + "With --skip-existing, an INPUT whose output exists is removed, too, once both were "
            + "read, decrypted and compared, which takes as long as decrypting them; unless their "
            + "contents are equal, it is kept.")
    static let options = [output, suffix, InputFiles.recursive, force, skipExisting, removeSource]

    func run(_ arguments: Arguments) throws(CommandError) {
        if arguments.contains("lines") {
            return self == .encrypt ? try Lines.encrypt(arguments) : try Lines.decrypt(arguments)
        }
        guard !arguments.contains("fresh-salts") else {
            throw .usage("--fresh-salts needs --lines")
        }
        let operands = arguments.operands.isEmpty ? ["-"] : arguments.operands
        let suffix = arguments["suffix"]?.bytes
        try check(arguments, operands, suffix: suffix)

        let output = arguments["output"]?.file(dash: .standardOutput) ?? .standardOutput
        // Whoever names standard output wants it as it is.
        let isProtected = suffix == nil && !arguments.contains("output") && output.isTerminal
        let asBase64 = arguments.contains("base64")
        let single = FileJob(input: operands[0].file(dash: .standardInput), output: output)
        let jobs = if let suffix { try jobs(arguments, suffix) } else { [single] }
        let removesSource = arguments.contains("remove-source")
        guard !removesSource || operands != ["-"] && (suffix != nil || output.descriptor == nil)
        else {
            throw .usage("--remove-source needs files: an INPUT, and --output or --suffix")
        }
        let overwrites = arguments.contains("force")
        // `encrypt` has not all of these options, so it gets the default.
        let options = FileOptions(
            overwriting: overwrites, takingAttributes: suffix != nil, removingSource: removesSource,
            base64: self == .decrypt || asBase64,
            spoolByteLimit: try AcceptedVersions.spoolByteLimit(arguments))
        let accepting = try AcceptedVersions(arguments)
        let isShown = suffix == nil && output.isTerminal
        let meter = try ProgressMeter(arguments, withOutput: isShown, fileCount: jobs.count)
        var source = try SecretSource(arguments, isNew: self == .encrypt)
        let usesPassword = source.arePasswords.first ?? true
        let check = { (job: FileJob, output: FileEndpoint) throws(CommandError) in
            if self == .decrypt, try accepting.beginsLikeVersion0(job.input) {
                throw CommandError(
                    .cannotCreate,
                    "\(output): It exists and was not touched. Whether it is finished, only "
                        + "decryption could tell: its source is of version 0.",
                    hint: Self.writingAnew)
            }
            let existing = ExistingOutput(
                at: output, of: job.input, options: options, progress: Interruption.check)
            try checkIsFinished(existing, usingPassword: usesPassword, accepting: accepting)
        }
        let plan = try FilePlan(
            jobs, secrets: source.files, overwrites: overwrites,
            skippingIf: arguments.contains("skip-existing") ? check : nil)
        if !arguments.contains("quiet"), let note = note(plan, jobs, removing: removesSource) {
            Report.complain("note", note)
        }
        let comparesDone = removesSource && plan.doneCount > 0
        guard plan.hasUnfinished || comparesDone else { return try plan.run { _, _ in } }
        if self == .encrypt, !asBase64, isProtected { throw TerminalText.isBinary }
        // Outputs that are compared have their password already.
        if !plan.hasUnfinished { source.isNew = false }
        let credential = try source.credential()
        try plan.run { (job, index) throws(CommandError) in
            let output = job.output ?? .standardOutput
            let isStream = output.isStream
            let progress = meter.handler(forFile: index)
            if job.isDone {
                guard removesSource else { return }
                let existing = ExistingOutput(
                    at: output, of: job.input, options: options, progress: progress)
                return try removeSource(existing, with: credential, accepting: accepting)
            }
            // A message that may be of version 0 is read whole.
            let isWhole = self == .decrypt ? try accepting.mayBeVersion0(job.input) : false
            var shown: [UInt8] = []
            do throws(CryptorError) {
                if self == .encrypt {
                    try Cryptor.encryptFile(
                        at: job.input, to: output, with: credential, options: options,
                        progress: progress)
                } else if isWhole {
                    let plaintext = try Cryptor.convertVersion0File(
                        at: job.input, to: isProtected ? nil : output, from: credential,
                        accepting: accepting.inFull, options: options, progress: progress)
                    if isProtected { shown = plaintext }
                } else if isProtected {
                    try Cryptor.decryptFile(
                        at: job.input, with: credential, accepting: accepting.inFull,
                        options: options, progress: progress
                    ) { verified in
                        shown += verified
                        if shown.count > TerminalText.byteLimit { throw CancellationError() }
                    }
                } else {
                    try Cryptor.decryptFile(
                        at: job.input, to: output, with: credential, accepting: accepting.inFull,
                        options: options, progress: progress)
                }
            } catch {
                if shown.count > TerminalText.byteLimit { throw TerminalText.isTooLong }
                throw CommandError(error, writingTo: output, isStream: isStream && !isProtected)
            }
            guard isProtected else { return }
            guard shown.count <= TerminalText.byteLimit else { throw TerminalText.isTooLong }
            guard TerminalText.isHarmless(shown) else { throw TerminalText.isHarmful }
            try Report.write(shown)
        }
    }

    // MARK: Outputs that exist

    private static let writingAnew =
        "Remove it, or use --force and not --skip-existing, to have it written anew."

    /// - Throws: what is wrong with the output.
    private func checkIsFinished(
        _ existing: ExistingOutput, usingPassword: Bool, accepting: AcceptedVersions
    ) throws(CommandError) {
        do throws(CryptorError) {
            switch self {
            case .encrypt: try existing.checkMessage(usingPassword: usingPassword)
            case .decrypt: try existing.checkPlaintext(accepting: accepting.inFull)
            }
        } catch {
            guard error.code == .destinationExists else { throw CommandError(error) }
            throw CommandError(
                .cannotCreate, error.whatHappened, hint: Self.writingAnew)
        }
    }

    /// Removes the source of an output that exists.
    private func removeSource(
        _ existing: ExistingOutput, with credential: Credential, accepting: AcceptedVersions
    ) throws(CommandError) {
        do throws(CryptorError) {
            switch self {
            case .encrypt: try existing.removeEncryptedSource(with: credential)
            case .decrypt:
                try existing.removeDecryptedSource(with: credential, accepting: accepting.inFull)
            }
        } catch {
            guard error.code == .destinationExists else { throw CommandError(error) }
            throw CommandError(
                .inputOutput, error.whatHappened,
                hint: "--force and not --skip-existing writes the output anew.")
        }
    }

    private func note(_ plan: FilePlan, _ jobs: [FileJob], removing: Bool) -> String? {
        if jobs.isEmpty { return "The folders contain no such files." }
        switch plan.doneCount {
        case 0: return nil
        case 1 where removing:
            return "1 output exists: its source is removed if both have the same contents."
        case let count where removing:
            return "\(count) outputs exist: "
                + "their sources are removed if both have the same contents."
        case 1: return "1 file skipped: its output exists and has a length that it may have."
        case let count:
            return
                "\(count) files skipped: their outputs exist and have lengths that they may have."
        }
    }

    // MARK: Inputs and outputs

    private func check(_ arguments: Arguments, _ operands: [Word], suffix: [UInt8]?)
        throws(CommandError)
    {
        try arguments.allowOne(of: "output", "suffix")
        try arguments.allowOne(of: "force", "skip-existing")
        if let suffix {
            guard !suffix.isEmpty, !suffix.contains(UInt8(ascii: "/")) else {
                throw .usage("--suffix takes the end of a name, such as .rnc")
            }
            guard !operands.contains("-") else {
                throw .usage("--suffix needs the name of an INPUT, and standard input has none")
            }
            if self == .encrypt, suffix[0] >= UInt8(ascii: "0") {
                let name = Word("a.txt".utf8 + suffix).shown
                Report.complain(
                    "warning", "The suffix does not begin with a dot: a.txt becomes \(name).")
            }
        } else {
            guard !arguments.contains("recursive") else {
                throw .usage(
                    "--recursive needs --suffix, such as .rnc: each output is beside its INPUT")
            }
            guard operands.count == 1 else {
                throw .usage(
                    "there are \(operands.count) inputs and one output",
                    hint: "--suffix writes beside each INPUT.")
            }
        }
    }

    /// The files, each with the output beside it that has the suffix, or has it no more.
    private func jobs(_ arguments: Arguments, _ suffix: [UInt8]) throws(CommandError) -> [FileJob] {
        let isWanted = { (name: [UInt8]) in name.hasEnding(suffix) == (self == .decrypt) }
        return try InputFiles(arguments, where: isWanted).jobs.map { job in
            // A path that ends with a slash is that of a folder, as its own failure says.
            guard job.failure == nil, let name = job.input.nameBytes else { return job }
            var job = job
            if isWanted(name) {
                job.output = job.input.changingPath {
                    self == .encrypt ? $0 + suffix : $0.dropLast(suffix.count)
                }
            } else {
                let ending =
                    "\(self == .encrypt ? "already ends" : "does not end") in \(Word(suffix).quoted)"
                job.failure = CommandError(
                    .cannotCreate, "\(job.input): Its name \(ending), so it was skipped.")
            }
            return job
        }
    }
}
