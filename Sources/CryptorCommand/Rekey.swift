import CryptorFiles

extension Subcommand {
    static let rekey = Subcommand(
        name: "rekey",
        summary: "Give messages another password or other keys.",
        operands: "FILE...",
        discussion: """
            Verifies the message in FILE, then encrypts its plaintext anew as version 3. Without
            --output, each FILE is replaced, once the new message is whole: a regular file with one
            name, and no link, which is locked meanwhile. One of version 3 that opens under the new
            password or keys already is left as it is. No plaintext touches the disk. Without
            options for them, both passwords are asked for on the terminal, the new one twice.
            """,
        examples: [
            "rncryptor rekey notes.rnc",
            "rncryptor rekey -r --suffix .rnc --key-file old --new-key-file new archive",
        ],
        ownOptions: [
            Option(
                "output", letter: "o", value: .file("FILE"),
                "Write to FILE and leave the old one as it is; '-' is standard output."),
            InputFiles.recursive,
            InputFiles.suffix,
            Conversion.force,
            SpoolLimit.option,
        ]
            + AcceptedVersions.options
            + SecretSource.options()
            + SecretSource.options("new-")
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in try Rekeying(arguments).run() })
}

/// A run of `rekey`: what its options ask for, then the work.
private struct Rekeying {
    private let destination: Destination
    private let jobs: [FileJob]
    private let overwrites: Bool
    private let isQuiet: Bool
    private let accepted: AcceptedVersions
    private let fileOptions: FileOptions
    private let meter: ProgressMeter
    private let old: SecretSource
    private let new: SecretSource

    init(_ arguments: Arguments) throws(CommandError) {
        destination = Destination.named(by: arguments) ?? .inPlace
        jobs = try Self.jobs(arguments, destination)
        overwrites = arguments.contains("force")
        isQuiet = arguments.contains("quiet")
        accepted = try AcceptedVersions(arguments)
        fileOptions = FileOptions(
            overwriting: overwrites,
            base64: true,
            spoolByteLimit: try SpoolLimit.byteCount(arguments))
        meter = try ProgressMeter(
            arguments, withOutput: destination.isTerminal, files: jobs.map(\.input))
        old = try SecretSource(arguments, isNew: false)
        new = try SecretSource(arguments, "new-", isNew: true, beside: old.files)
    }

    private static func jobs(
        _ arguments: Arguments, _ destination: Destination
    ) throws(CommandError) -> [FileJob] {
        var jobs = try InputFiles(arguments).jobs
        guard let output = destination.single else {
            guard !jobs.contains(where: { $0.input.descriptor == STDIN_FILENO }) else {
                throw .usage("standard input needs an --output")
            }
            return jobs
        }
        guard arguments.operands.count == 1, !arguments.contains("recursive") else {
            throw .usage("--output takes one message, and there may be several")
        }
        jobs[0].output = output
        return jobs
    }

    func run() throws(CommandError) {
        var plan = try FilePlan(jobs, secrets: old.files + new.files, overwrites: overwrites)
        if old.isTyped {
            let mayHaveNewKeys = destination.isInPlace && !new.writesUnderPassword
            try plan.lookAtMessages(openingKeys: mayHaveNewKeys, accepted)
        }
        let (oldCredentials, newCredentials) = try credentials()
        let reader = try reader(oldCredentials, newCredentials)
        var leftAlone: [FileEndpoint] = []
        var failure: CommandError?
        do throws(CommandError) {
            try plan.run { (job, index) throws(CommandError) in
                let isRewritten = try rewrite(
                    job, from: reader, into: newCredentials[0], meter.handler(forFile: index))
                if !isRewritten { leftAlone.append(job.input) }
            }
        } catch { failure = error }
        if !isQuiet { try tell(of: leftAlone) }
        if let failure { throw failure }
    }

    private func tell(of leftAlone: [FileEndpoint]) throws(CommandError) {
        let words = "under the new password or keys\n"
        switch leftAlone.count {
        case 0: return
        case 1: try Report.tell("\(leftAlone[0]): already opens \(words)")
        case let count: try Report.tell("\(count) messages already open \(words)")
        }
    }

    // MARK: One file

    /// - Returns: whether it was rewritten, and not left alone.
    private func rewrite(
        _ job: FileJob, from reader: Credential, into new: Credential,
        _ progress: @escaping ProgressMeter.Handler
    ) throws(CommandError) -> Bool {
        let output = job.output ?? job.input
        // Its name may be gone after the work.
        let isStream = output.isStream
        do throws(CryptorError) {
            return try accepted.rekeyFile(
                at: job.input, to: output, from: reader, into: new,
                leavesNew: destination.isInPlace, options: fileOptions, progress: progress)
        } catch {
            throw CommandError(error, writingTo: output, isStream: isStream)
        }
    }

    // MARK: Passwords and keys

    private func credentials() throws(CommandError) -> (old: [Credential], new: [Credential]) {
        if new.isTyped {
            let oldCredentials = try old.credentials()
            return (oldCredentials, try new.credentials())
        }
        // Nobody types the old secret in vain because the new one cannot be read.
        let newCredentials = try new.credentials()
        return (try old.credentials(), newCredentials)
    }

    /// What the messages are read under: the old credentials, and in place first the new ones.
    private func reader(
        _ oldCredentials: [Credential], _ newCredentials: [Credential]
    ) throws(CommandError) -> Credential {
        let keyring = try SecretSource.keyring(oldCredentials)
        guard destination.isInPlace else { return keyring }
        try requireDifference(oldCredentials, newCredentials)
        do throws(CommandError) {
            // A message that the new credential opens already is skipped.
            return try SecretSource.keyring(newCredentials + oldCredentials)
        } catch {
            throw .usage(
                """
                the new and the old passwords and keys are all tried on each FILE: \
                \(error.message)
                """,
                hint: """
                    --output writes to another file, for which only the old ones are tried.
                    """)
        }
    }

    /// Refuses a new and an old pair of keys of which nothing tells which one a message is under: a
    /// run that is repeated could not know what it has done already.
    private func requireDifference(
        _ oldCredentials: [Credential], _ newCredentials: [Credential]
    ) throws(CommandError) {
        for (newName, newOne) in zip(new.names, newCredentials) {
            for (oldName, oldOne) in zip(old.names, oldCredentials) {
                let keyring = try? Credential.keyring(primary: newOne, previous: [oldOne])
                guard keyring == nil else { continue }
                throw .usage(
                    """
                    \(newName) and \(oldName) have the same HMAC key and different encryption \
                    keys, so nothing tells which of them a message in place is under
                    """,
                    hint: """
                        --output writes the new message to another file. Better use random keys.
                        """)
            }
        }
    }
}
