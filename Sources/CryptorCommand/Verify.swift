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
            let meter = try ProgressMeter(arguments, fileCount: jobs.count)
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(jobs, secrets: source.files)
            let credential = try source.credential()
            let isQuiet = arguments.contains("quiet")
            try plan.run { (job, index) throws(CommandError) in
                let byteCount = try plaintextByteCount(
                    of: job.input, with: credential, accepting: accepted,
                    progress: meter.handler(forFile: index))
                if isQuiet { return }
                try Report.tell("\(job.input): authentic, \(byteCount) bytes of plaintext\n")
            }
        })

    /// Verifies a file.
    private static func plaintextByteCount(
        of file: FileEndpoint, with credential: Credential, accepting accepted: AcceptedVersions,
        progress: @escaping ProgressMeter.Handler
    ) throws(CommandError) -> Int {
        let options = FileOptions(base64: true)
        let isWhole = try accepted.mayBeVersion0(file)
        do throws(CryptorError) {
            guard isWhole else {
                return try Cryptor.verifyFile(
                    at: file, with: credential, accepting: accepted.inFull, options: options,
                    progress: progress)
            }
            let plaintext = try Cryptor.convertVersion0File(
                at: file, to: nil, from: credential, accepting: accepted.inFull, options: options,
                progress: progress)
            return plaintext.count
        } catch {
            throw CommandError(error)
        }
    }
}
