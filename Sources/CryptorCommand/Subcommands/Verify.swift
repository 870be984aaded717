import CryptorFiles

extension Subcommand {
    static let verify = Subcommand(
        name: "verify",
        summary: "Check whether files are authentic.",
        operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes no plaintext. '-'
            is standard input; base64 text is recognised. The exit status is 0 only if all files
            are authentic.

            With --lines, each line of FILE, or of standard input, is a message of its own, as for
            'rncryptor decrypt --lines', and the lines that fail are named. With --json as well,
            each line gets one of these words: true, false, or null for an empty cell.
            """,
        examples: [
            "rncryptor verify notes.rnc",
            "rncryptor verify -r --suffix .rnc --key-file key archive",
            "rncryptor verify --lines --json --key-file key messages | grep -n false",
        ],
        ownOptions: [InputFiles.recursive, InputFiles.suffix, Lines.messagesOption, Lines.verdicts]
            + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments in
            if try Lines.areWanted(arguments) { return try Lines.verify(arguments) }
            let jobs = try InputFiles(arguments).jobs
            let accepted = try AcceptedVersions(arguments)
            let meter = try ProgressMeter(arguments, files: jobs.map(\.input))
            let source = try SecretSource(arguments, isNew: false)
            var plan = try FilePlan(jobs, secrets: source.files)
            if source.isTyped { try plan.lookAtMessages(accepted) }
            let credential = try source.credential()
            try plan.run { job, index in
                let byteCount = try Cryptor.verifyFile(
                    at: job.input, with: credential, accepting: accepted.inFull,
                    options: accepted.applied(to: FileOptions(base64: true)),
                    progress: meter.handler(forFile: index))
                if Report.isQuiet { return }
                let plaintext = "\(byteCount.counted("byte")) of plaintext"
                try Report.tell("\(job.input): authentic, \(plaintext)\n")
            }
        })
}
