import CryptorFiles

extension Subcommand {
    static let rekey = Subcommand(
        name: "rekey",
        summary: "Change the password or keys of messages.",
        operands: "FILE...",
        discussion: """
            Verifies the message in FILE, then encrypts its plaintext again as version 3. Without
            --output, FILE is replaced once the new message is complete. It must be a regular file
            with only one name and not a link, and is locked meanwhile. A version 3 message that
            already opens with the new password or keys is left alone. No plaintext is written to
            the disk. Without options for them, you are asked for both passwords on the terminal,
            for the new one twice.

            With --lines, each line of FILE, or of standard input, is a message of its own, as for
            'rncryptor decrypt --lines'. The output goes to standard output or --output, never in
            place of FILE. A message stays in its encoding, base64 or hexadecimal, and with --json
            a string stays a string. Some lines are copied as they are: empty cells; version 3
            messages that already open with the new password or keys, so that you can repeat a run;
            and lines that fail, which are named on standard error. A line of more than 32 MiB ends
            the run.

            At the end of --lines, of several FILEs or of -r, a note on standard error counts what
            was done: '3 lines rewritten, 40 already under the new password or keys, 2 empty, 1
            failed', or '0 messages rewritten, ...'. The first count is always there, the others
            only if they are not 0: with 0 and the exit status 0, there was nothing to do. With
            --json, this is a line like
            '{"rewritten": 3, "alreadyNew": 40, "empty": 2, "failed": 1}'. For one FILE there is a
            note only if it was left alone, and with -q there is none.
            """,
        examples: [
            "rncryptor rekey notes.rnc",
            "rncryptor rekey -r --suffix .rnc --key-file old --new-key-file new archive",
            "rncryptor rekey --lines --key-file old --new-key-file new -o column.new column",
        ],
        ownOptions: [
            Option(
                "output", letter: "o", value: .file("FILE"), goesWithLines: true,
                "Write to FILE and leave the original alone. '-' is standard output."),
            InputFiles.recursive,
            InputFiles.suffix,
            Conversion.force,
            Lines.messagesOption,
            Lines.jsonMessages,
            Lines.freshSalts,
            SpoolLimit.option,
        ]
            + AcceptedVersions.options
            + SecretSource.options()
            + SecretSource.options("new-")
            + ProgressMeter.options,
        run: { arguments in
            if try Lines.areWanted(arguments) { return try Lines.rekey(arguments) }
            try Rekeying(arguments).run()
        })
}

/// A run of `rekey`: what its options ask for, then the work.
private struct Rekeying {
    private let destination: Destination
    private let jobs: [FileJob]
    private let overwrites: Bool
    /// Whether one file is named, whose status says that it was rewritten.
    private let isOneFile: Bool
    private let accepted: AcceptedVersions
    private let fileOptions: FileOptions
    private let meter: ProgressMeter
    private let secrets: RekeySecrets

    init(_ arguments: Arguments) throws(CommandError) {
        destination = Destination.named(by: arguments) ?? .inPlace
        jobs = try Self.jobs(arguments, destination)
        overwrites = arguments.contains("force")
        isOneFile = arguments.operands.count == 1 && !arguments.contains("recursive")
        accepted = try AcceptedVersions(arguments)
        fileOptions = accepted.applied(
            to: FileOptions(
                overwriting: overwrites,
                base64: true,
                spoolByteLimit: try SpoolLimit.byteCount(arguments)))
        meter = try ProgressMeter(
            arguments, withOutput: destination.isTerminal, files: jobs.map(\.input))
        secrets = try RekeySecrets(arguments)
    }

    private static func jobs(
        _ arguments: Arguments, _ destination: Destination
    ) throws(CommandError) -> [FileJob] {
        var jobs = try InputFiles(arguments).jobs
        guard let output = destination.single else {
            guard !jobs.contains(where: { $0.input.descriptor == STDIN_FILENO }) else {
                throw .usage("standard input needs --output")
            }
            return jobs
        }
        guard arguments.operands.count == 1, !arguments.contains("recursive") else {
            throw .usage("--output takes only one message")
        }
        jobs[0].output = output
        return jobs
    }

    func run() throws {
        var plan = try FilePlan(jobs, secrets: secrets.files, overwrites: overwrites)
        if secrets.old.isTyped {
            let mayHaveNewKeys = destination.isInPlace && secrets.new.includesKeys
            try plan.lookAtMessages(openingKeys: mayHaveNewKeys, accepted)
        }
        let (reader, writer) = try secrets.credentials(
            leavingNew: destination.isInPlace,
            hint: "With --output, only the old ones are tried."
        ) { old in
            // Of several messages, an earlier run may have rewritten some.
            if isOneFile, jobs[0].input.isExistingFile { try verify(plan, with: old) }
        }
        var counts = OutcomeCounts()
        var isInterrupted = false
        defer { tell(of: counts, isOver: !isInterrupted) }
        do {
            try plan.run { job, index in
                let isRewritten = try rewrite(
                    job, from: reader, into: writer, meter.handler(forFile: index))
                if isRewritten { counts.written += 1 } else { counts.alreadyNew += 1 }
            } whenFailed: { _, _, _ in
                counts.failed += 1
            }
        } catch {
            isInterrupted = CommandError(error).status == .interrupted
            throw error
        }
    }

    private func verify(_ plan: FilePlan, with old: Credential) throws {
        do {
            try plan.run { job, index in
                _ = try Cryptor.verifyFile(
                    at: job.input, with: old, accepting: accepted.inFull, options: fileOptions,
                    progress: Interruption.check)
            }
        } catch var error as CommandError where error.status == .authenticationFailed {
            error.hint = "If it already opens with the new password, there is nothing to do."
            throw error
        }
    }

    private func tell(of counts: OutcomeCounts, isOver: Bool) {
        if isOneFile {
            guard counts.alreadyNew > 0 else { return }
            Report.complain("note", "\(jobs[0].input): already under the new password or keys")
        } else {
            Report.complain("note", counts.rekeyed("message", isOver: isOver))
        }
    }

    // MARK: One file

    /// In its place, a message of the latest version stays as it is if the new credential opens it
    /// already, which is the first of `reader` then.
    /// - Returns: whether it was rewritten, and not left alone.
    private func rewrite(
        _ job: FileJob, from reader: Credential, into new: Credential,
        _ progress: @escaping ProgressMeter.Handler
    ) throws -> Bool {
        let output = job.output ?? job.input
        // Its name may be gone after the work.
        let isStream = output.isStream
        do throws(CryptorError) {
            return try AttributeWarning.watch(output) { () throws(CryptorError) in
                try Cryptor.rekeyFile(
                    at: job.input, to: output, from: reader, accepting: accepted.inFull, into: new,
                    options: fileOptions, progress: progress
                ) { (header, credentialIndex) in
                    destination.isInPlace && header.version == .written && credentialIndex == 0
                }
            }
        } catch {
            throw CommandError(error, writingTo: output, isStream: isStream)
        }
    }
}
