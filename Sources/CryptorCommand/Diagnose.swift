import CryptorFiles

extension Subcommand {
    static let diagnose = Subcommand(
        name: "diagnose",
        summary: "Find out why a message does not open.",
        operands: "FILE...",
        discussion: """
            Tries what people do wrong: a newline in the password, keys in the wrong order, base64
            text, a copy in text mode. It names the first cause that makes the HMAC match, or that
            the bytes show for certain, and what to do. What is only possible is listed. It shows
            no secret and no plaintext.

            Never answer a remote peer with it, since it tells what is true of the password.
            Without an option for it, the password is asked for on the terminal. '-' is standard
            input. A FILE has at most 256 MiB.

            The exit status is 0 if a cause is named, 1 if the message opens as it is, and 65 if no
            cause is found; for several files, the greatest of these.
            """,
        examples: [
            "rncryptor diagnose notes.rnc",
            "rncryptor diagnose --json --key-file key archive/*.rnc",
        ],
        ownOptions: [
            InputFiles.recursive,
            InputFiles.suffix,
            Option("json", "Write a line of JSON for each FILE: file, cause, advice, possible."),
            Option(
                "iterations-up-to", value: .number("N"),
                """
                Also try usual numbers of iterations over 100000, up to N, at about 0.1 s a \
                million.
                """),
        ] + SecretSource.options(),
        run: { arguments throws(CommandError) in
            let iterationLimit = max(100_000, try arguments.number("iterations-up-to") ?? 0)
            let writesJSON = arguments.contains("json")
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(try InputFiles(arguments).jobs, secrets: source.files)
            let examination = Examination(
                try source.credentials(), iterationsUpTo: iterationLimit)
            var status = ExitStatus.success
            try plan.run { (job, _) throws(CommandError) in
                let diagnosis = try diagnosis(of: job.input, by: examination)
                let text = writesJSON ? diagnosis.json(job.input) : diagnosis.text(job.input)
                try Report.tell(text)
                if diagnosis.status.rawValue > status.rawValue { status = diagnosis.status }
            }
            // What there is to say has been written.
            if status != .success { throw CommandError(status, "") }
        })

    private static let byteLimit = 256 * 1024 * 1024

    private static func diagnosis(
        of input: FileEndpoint, by examination: Examination
    ) throws(CommandError) -> Diagnosis {
        let bytes = try commandError(
            try input.firstBytes(byteLimit + 1, progress: Interruption.check))
        guard bytes.count <= byteLimit else {
            throw CommandError(.inputOutput, "\(input): It has more than 256 MiB.")
        }
        do throws(CryptorError) {
            return try examination.diagnosis(of: consume bytes)
        } catch {
            throw CommandError(error)
        }
    }
}
