import CryptorFiles

extension Subcommand {
    static let verify = Subcommand(
        name: "verify",
        summary: "Check whether files are authentic.",
        operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes nothing. '-' is
            standard input; base64 text is recognised. Full success means that all of them are
            authentic.
            """,
        examples: [
            "rncryptor verify notes.rnc",
            "rncryptor verify -r --suffix .rnc --key-file key archive",
        ],
        ownOptions: [InputFiles.recursive, InputFiles.suffix]
            + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let jobs = try InputFiles(arguments).jobs
            let accepted = try AcceptedVersions(arguments)
            let meter = try ProgressMeter(arguments, files: jobs.map(\.input))
            let source = try SecretSource(arguments, isNew: false)
            var plan = try FilePlan(jobs, secrets: source.files)
            if source.isTyped { try plan.lookAtMessages(accepted) }
            let credential = try source.credential()
            let isQuiet = arguments.contains("quiet")
            try plan.run { (job, index) throws(CommandError) in
                let byteCount = try commandError(
                    try accepted.verifyFile(
                        at: job.input, with: credential, options: FileOptions(base64: true),
                        progress: meter.handler(forFile: index)))
                if isQuiet { return }
                try Report.tell("\(job.input): authentic, \(byteCount) bytes of plaintext\n")
            }
        })
}
