import CryptorFiles
import CryptorSystem

/// A run of `encrypt` or `decrypt` over files: what its options ask for, then the work.
struct Conversion {
    static let force = Option(
        "force", letter: "f", goesWithLines: true, "Overwrite an output that exists.")

    private static let skipExisting = Option(
        "skip-existing",
        """
        Skip an INPUT whose output exists and is finished, as after an interrupted run. A finished \
        message begins like one, has the right length and is no older than INPUT; a finished \
        plaintext is 1 to 16 bytes shorter than its ciphertext. Any other existing output is an \
        error.
        """)

    private static let removeSource = Option(
        "remove-source",
        """
        Remove each INPUT once its output is a file on the disk, unless INPUT is a link or has \
        changed. With --skip-existing, also remove an INPUT whose output already exists, after \
        decrypting and comparing them, which takes as long as decrypting alone. If their contents \
        differ, INPUT is kept.
        """)

    static let options =
        Destination.options + [InputFiles.recursive, force, skipExisting, removeSource]

    private let direction: Direction
    private let destination: Destination
    private let jobs: [FileJob]
    private let overwrites: Bool
    private let skipsExisting: Bool
    private let removesSources: Bool
    private let writesBase64: Bool
    private let fileOptions: FileOptions
    private let accepted: AcceptedVersions
    private let meter: ProgressMeter
    private let source: SecretSource
    /// The outputs that this run has published.
    private let outputs = PublishedOutputs()

    init(_ direction: Direction, _ arguments: Arguments) throws(CommandError) {
        self.direction = direction
        try arguments.allowOne(of: "force", "skip-existing")
        overwrites = arguments.contains("force")
        skipsExisting = arguments.contains("skip-existing")
        removesSources = arguments.contains("remove-source")
        writesBase64 = direction == .encrypt && arguments.contains("base64")

        destination = try Destination.parsed(arguments, for: direction)
        jobs = try destination.jobs(arguments, for: direction)
        let readsStandardInput = arguments.operands.isEmpty || arguments.operands == ["-"]
        guard !removesSources || destination.isFiles && !readsStandardInput else {
            throw .usage(
                "--remove-source needs files: an INPUT, and --output, --output-dir or --suffix")
        }

        accepted = try AcceptedVersions(arguments)
        fileOptions = accepted.applied(
            to: FileOptions(
                overwriting: overwrites,
                takingAttributes: destination.takesAttributes,
                removingSource: removesSources,
                base64: direction == .decrypt || writesBase64,
                spoolByteLimit: try SpoolLimit.byteCount(arguments)))
        meter = try ProgressMeter(
            arguments, withOutput: destination.isTerminal, files: jobs.map(\.input))
        source = try SecretSource(arguments, isNew: direction == .encrypt)
    }

    func run() throws {
        var plan = try FilePlan(
            jobs,
            secrets: source.files,
            overwrites: overwrites,
            removesSources: removesSources,
            hintForDirectory: direction == .encrypt
                ? """
                Use --recursive to work on its files, or 'tar c DIRECTORY | rncryptor encrypt' to \
                make one message of it.
                """ : FilePlan.hintForDirectory,
            flawOfExisting: skipsExisting ? flaw : nil)
        if let note = note(on: plan) { Report.complain("note", note) }

        guard plan.hasUnfinished || removesSources && plan.finishedCount > 0 else {
            return try work(on: plan) { _, _ in }
        }
        if direction == .encrypt, destination.isProtectedTerminal, !writesBase64 {
            throw TerminalText.isBinary
        }
        if direction == .decrypt, source.isTyped { try plan.lookAtMessages(accepted) }
        var source = source
        // Outputs that are compared have their password already.
        if !plan.hasUnfinished { source.isNew = false }
        source.isInUse = removesSources && plan.finishedCount > 0
        let credential = try source.credential()
        try work(on: plan) { job, index in
            let progress = meter.handler(forFile: index)
            if !job.hasFinishedOutput {
                try convert(job, with: credential, progress)
            } else if removesSources {
                try removeSourceIfEqual(of: job, with: credential, progress)
            }
        }
    }

    /// Makes the directories, calls `convert` for each file, and removes the directories that this
    /// run has made if it fails without an output.
    private func work(
        on plan: FilePlan, _ convert: (FileJob, Int) throws -> Void
    ) throws {
        do {
            let areMade = try destination.directory?.makeDirectories(for: plan.jobs) ?? true
            try plan.run(convert)
            try destination.directory?.makeAgain()
            // Why they could not be made has been said.
            if !areMade { throw CommandError(.cannotCreate, "") }
        } catch {
            if outputs.isEmpty { destination.directory?.removeDirectories() }
            throw error
        }
    }

    // MARK: One file

    private func convert(
        _ job: FileJob, with credential: Credential, _ progress: @escaping ProgressMeter.Handler
    ) throws {
        switch direction {
        case .encrypt where destination.isTerminal && job.input.isTerminal:
            try encryptTyped(job.input, with: credential)
        case .encrypt:
            try write(job) { (output, options) throws(CryptorError) in
                try Cryptor.encryptFile(
                    at: job.input, to: output, with: credential, options: options,
                    progress: progress)
            }
        case .decrypt where destination.isProtectedTerminal:
            try show(job.input, with: credential, progress)
        case .decrypt:
            try write(job) { (output, options) throws(CryptorError) in
                try Cryptor.decryptFile(
                    at: job.input, to: output, with: credential, accepting: accepted.inFull,
                    options: options, progress: progress)
            }
        }
    }

    /// Encrypts what is typed at a terminal, and shows the message when that has ended: otherwise
    /// one would be in the middle of the other.
    private func encryptTyped(
        _ input: FileEndpoint, with credential: Credential
    ) throws {
        var typed = try input.firstBytes(TerminalText.byteLimit + 1, progress: Interruption.check)
        defer { typed.cleanse() }
        guard typed.count <= TerminalText.byteLimit else { throw TerminalText.isTooLong }
        let message = try Cryptor.encrypt(typed, with: credential)
        guard writesBase64 else { return try Report.write(message) }
        var encoder = Base64Encoder()
        var text: [UInt8] = []
        encoder.encode(message, into: &text)
        encoder.finish(into: &text)
        try Report.write(text)
    }

    private func write(
        _ job: FileJob, _ work: (FileEndpoint, FileOptions) throws(CryptorError) -> Void
    ) throws {
        guard let directory = destination.directory, let path = job.pathBelowDirectory else {
            return try write(job, to: job.output ?? .standardOutput, work)
        }
        while true {
            do {
                return try write(job, to: try directory.prepared(path), work)
            } catch let error as CommandError {
                // Another run that had made the directory has failed, and has removed it.
                guard error.meansMissingDirectory, try directory.makeAgain(for: path) else {
                    throw error
                }
            }
        }
    }

    private func write(
        _ job: FileJob, to output: FileEndpoint,
        _ work: (FileEndpoint, FileOptions) throws(CryptorError) -> Void
    ) throws {
        var options = fileOptions
        if job.isOneOfTwoNames { options.overwriting = false }
        if options.overwriting, let existing = output.currentStatus,
            outputs.contains(existing.identity)
        {
            throw OutputDirectory.oneOfTwo(output)
        }
        // Its name may be gone after the work.
        let isStream = output.isStream
        let message = direction == .decrypt ? job.input : nil
        do throws(CryptorError) {
            try AttributeWarning.watch(output, plaintextOf: message) { () throws(CryptorError) in
                try work(output, options)
            }
        } catch {
            if error.isPublished { outputs.add(output, mayBeReplaced: overwrites) }
            if job.isOneOfTwoNames, error.code == .destinationExists {
                throw OutputDirectory.oneOfTwo(output)
            }
            var failure = CommandError(error, writingTo: output, isStream: isStream)
            if skipsExisting, error.code == .destinationExists {
                failure.hint = "It was created meanwhile. Try again: it is skipped if finished."
            }
            throw failure
        }
        outputs.add(output, mayBeReplaced: overwrites)
    }

    /// Decrypts for a terminal, which gets the plaintext when it is known to be harmless.
    private func show(
        _ input: FileEndpoint, with credential: Credential,
        _ progress: @escaping ProgressMeter.Handler
    ) throws {
        var plaintext: [UInt8] = []
        defer { plaintext.cleanse() }
        do throws(CryptorError) {
            try Cryptor.decryptFile(
                at: input, with: credential, accepting: accepted.inFull, options: fileOptions,
                progress: progress
            ) { verified in
                plaintext += verified
                if plaintext.count > TerminalText.byteLimit { throw CancellationError() }
            }
        } catch {
            guard plaintext.count > TerminalText.byteLimit else { throw error }
            throw TerminalText.isTooLong
        }
        try TerminalText.show(plaintext)
    }

    // MARK: Outputs that exist

    /// - Returns: why the output is not finished; nil if it is.
    private func flaw(
        of job: FileJob, _ output: FileEndpoint
    ) throws(CryptorError) -> String? {
        let existing = ExistingOutput(
            at: output, of: job.input, options: fileOptions, progress: Interruption.check)
        switch direction {
        case .encrypt:
            return try existing.flaw(ofMessageUsingPassword: source.writesUnderPassword)
        case .decrypt:
            return try existing.flaw(ofPlaintextAccepting: accepted.inFull)
        }
    }

    /// Removes the source of an output that existed before the run, if both have the same contents.
    private func removeSourceIfEqual(
        of job: FileJob, with credential: Credential, _ progress: @escaping ProgressMeter.Handler
    ) throws {
        let output = job.output ?? .standardOutput
        let existing = ExistingOutput(
            at: output, of: job.input, options: fileOptions, progress: progress)
        let isRemoved =
            switch direction {
            case .encrypt:
                try existing.removePlaintextSource(with: credential)
            case .decrypt:
                try existing.removeMessageSource(with: credential, accepting: accepted.inFull)
            }
        guard isRemoved else {
            throw CommandError(
                .inputOutput,
                """
                \(job.input): It was not removed, because the comparison with its output failed: \
                \(output): Its contents differ.
                """,
                hint: FilePlan.hintForOtherOutput)
        }
    }

    private func note(on plan: FilePlan) -> String? {
        if jobs.isEmpty { return "The directories contain no files to \(direction)." }
        switch plan.finishedCount {
        case 0:
            return nil
        case 1 where removesSources:
            return "1 output exists: its source is removed if their contents match."
        case let count where removesSources:
            return "\(count) outputs exist: their sources are removed if the contents match."
        case 1:
            return "1 file skipped: its output exists and has a plausible length."
        case let count:
            return "\(count) files skipped: their outputs exist and have plausible lengths."
        }
    }
}

/// The files that a run has published.
private final class PublishedOutputs {
    private var identities: Set<FileStatus.Identity> = []
    private(set) var isEmpty = true

    /// - Parameter mayBeReplaced: whether another output of the run could replace it.
    func add(_ output: FileEndpoint, mayBeReplaced: Bool) {
        isEmpty = false
        if mayBeReplaced, let status = output.currentStatus { identities.insert(status.identity) }
    }

    func contains(_ identity: FileStatus.Identity) -> Bool { identities.contains(identity) }
}
