import CryptorFormat

extension Subcommand {
    static let verify = Subcommand(
        name: "verify", summary: "Check whether files are authentic.",
        operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes nothing.
            '-' is standard input; base64 text is recognised. Full success means that
            all of them are authentic.
            """,
        options: [InputFiles.recursive, InputFiles.suffix] + Acceptance.options + SecretSource.options(isNew: false) + [
            Batch.jobs
        ]
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let inputs = try InputFiles(arguments)
            let accepting = try Acceptance(arguments)
            let isQuiet = arguments.contains("quiet")
            _ = try Batch.jobCount(arguments)
            let meter = try ProgressMeter(arguments)
            let source = try SecretSource(arguments, isNew: false)
            try FilePlan(secrets: [source.file]).check(inputs.readable)
            if source.isTyped {
                try Batch.rehearse(inputs) { (file) throws(CommandError) in
                    try Batch.rehearseReading(file, for: source, accepting: accepting)
                }
            }
            try source.withSecret(mayRepeat: inputs.mayBeReadAgain) { (secret) throws(CommandError) in
                try Batch.run(inputs.files) { (index) throws(CommandError) in
                    let file = try inputs.file(index)
                    let byteCount: Int
                    do throws(CryptorError) {
                        byteCount = try Cryptor.verifyFile(
                            at: file, with: secret.credential, accepting: accepting, options: FileOptions(base64: true),
                            progress: meter.handler(forFile: index))
                    } catch {
                        throw CommandError(error).doubting(secret.doubt)
                    }
                    if !isQuiet { try Report.tell("\(file): authentic, \(byteCount) bytes of plaintext\n") }
                }
            }
        })
}
