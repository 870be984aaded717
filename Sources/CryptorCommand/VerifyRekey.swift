import CryptorFiles

extension Subcommand {
    static let verify = Subcommand(
        name: "verify", summary: "Check whether files are authentic.", operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes nothing. '-' is standard input; base64
            text is recognised. Full success means that all of them are authentic.
            """,
        examples: [
            "rncryptor verify notes.rnc",
            "rncryptor verify -r --suffix .rnc --key-file key archive",
        ],
        ownOptions: [InputFiles.recursive, InputFiles.suffix] + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let jobs = try InputFiles(arguments).jobs
            let accepting = try AcceptedVersions(arguments)
            let meter = try ProgressMeter(arguments, fileCount: jobs.count)
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(jobs, secrets: source.files)
            let credential = try source.credential()
            try plan.run { (job, index) throws(CommandError) in
                let progress = meter.handler(forFile: index)
                let options = FileOptions(base64: true)
                let isWhole = try accepting.mayBeVersion0(job.input)
                let byteCount: Int
                do throws(CryptorError) {
                    byteCount =
                        isWhole
                        ? try Cryptor.convertVersion0File(
                            at: job.input, to: nil, from: credential,
                            accepting: accepting.inFull, options: options, progress: progress
                        ).count
                        : try Cryptor.verifyFile(
                            at: job.input, with: credential, accepting: accepting.inFull,
                            options: options, progress: progress)
                } catch { throw CommandError(error) }
                if !arguments.contains("quiet") {
                    try Report.tell("\(job.input): authentic, \(byteCount) bytes of plaintext\n")
                }
            }
        })

    static let rekey = Subcommand(
        name: "rekey", summary: "Give messages another password or other keys.",
        operands: "FILE...",
        discussion: """
            Verifies the message in FILE, then encrypts its plaintext anew as version 3. Without --output, each FILE is
            replaced, once the new message is whole: a regular file with one name, and no link, which is locked
            meanwhile. One of version 3 that opens under the new password or keys already is left as it is. No plaintext
            touches the disk. Without options for them, both passwords are asked for on the terminal, the new one twice.
            """,
        examples: [
            "rncryptor rekey notes.rnc",
            "rncryptor rekey -r --suffix .rnc --key-file old --new-key-file new archive",
        ],
        ownOptions: [
            Option(
                "output", letter: "o", value: "FILE",
                "Write to FILE and leave the old one as it is; '-' is standard output."),
            InputFiles.recursive, InputFiles.suffix, Direction.force, AcceptedVersions.spoolLimit,
        ] + AcceptedVersions.options + SecretSource.options() + SecretSource.options("new-")
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            var jobs = try InputFiles(arguments).jobs
            let output = arguments["output"]?.file(dash: .standardOutput)
            guard output == nil || arguments.operands.count == 1 && !arguments.contains("recursive")
            else {
                throw .usage("--output takes one message, and there may be several")
            }
            guard output != nil || !jobs.contains(where: { $0.input.descriptor == 0 }) else {
                throw .usage("standard input needs an --output")
            }
            if output != nil { jobs[0].output = output }
            let overwrites = arguments.contains("force")
            let accepting = try AcceptedVersions(arguments)
            let options = FileOptions(
                overwriting: overwrites, base64: true,
                spoolByteLimit: try AcceptedVersions.spoolByteLimit(arguments))
            let meter = try ProgressMeter(
                arguments, withOutput: output?.isTerminal == true, fileCount: jobs.count)
            let old = try SecretSource(arguments, isNew: false)
            let new = try SecretSource(arguments, "new-", isNew: true, beside: old.files)
            let plan = try FilePlan(jobs, secrets: old.files + new.files, overwrites: overwrites)
            // Nobody types the old secret in vain because the new one cannot be read.
            let given = new.isTyped ? nil : try new.credentials()
            let oldCredentials = try old.credentials()
            let newCredentials = if let given { given } else { try new.credentials() }
            var reader = try SecretSource.keyring(oldCredentials)
            if output == nil {
                try requireDifference(
                    new: zip(new.names, newCredentials), old: zip(old.names, oldCredentials))
                // When rewriting in place, skip a message that the new credential already opens.
                do throws(CommandError) {
                    reader = try SecretSource.keyring(newCredentials + oldCredentials)
                } catch {
                    throw .usage(
                        "the new and the old passwords and keys are all tried on each FILE: \(error.message)",
                        hint:
                            "--output writes to another file, for which only the old ones are tried."
                    )
                }
            }
            let terms = ReadingTerms(credential: reader, accepting: accepting.inFull)
            try plan.run { (job, index) throws(CommandError) in
                let destination = job.output ?? job.input
                let isStream = destination.isStream
                let progress = meter.handler(forFile: index)
                let isWhole = try accepting.mayBeVersion0(job.input)
                var isNew = true
                do throws(CryptorError) {
                    if isWhole {
                        try Cryptor.convertVersion0File(
                            at: job.input, to: destination, from: reader,
                            into: newCredentials[0], accepting: accepting.inFull,
                            options: options, progress: progress)
                    } else {
                        isNew = try Cryptor.rekeyFile(
                            at: job.input, to: destination, under: terms, into: newCredentials[0],
                            options: options, progress: progress
                        ) { output == nil && $0.credentialIndex == 0 && $0.header.version == .v3 }
                    }
                } catch { throw CommandError(error, writingTo: destination, isStream: isStream) }
                if !isNew, !arguments.contains("quiet") {
                    try Report.tell("\(job.input): already opens under the new password or keys\n")
                }
            }
        })
}

extension Subcommand {
    /// Refuses a new and an old key pair of which nothing tells which one a message is under: a run
    /// that is repeated could not know what it has done already.
    private static func requireDifference(
        new: some Sequence<(String, Credential)>, old: some Sequence<(String, Credential)>
    ) throws(CommandError) {
        for (newName, newOne) in new {
            for (oldName, oldOne) in old {
                guard (try? Credential.keyring(primary: newOne, previous: [oldOne])) == nil else {
                    continue
                }
                throw .usage(
                    "\(newName) and \(oldName) have the same HMAC key and different encryption keys, "
                        + "so nothing tells which of them a message in place is under",
                    hint: "--output writes the new message to another file. Better use random keys."
                )
            }
        }
    }
}
