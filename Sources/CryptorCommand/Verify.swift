import CryptorFormat

extension Subcommand {
    static let verify = Subcommand(
        name: "verify", summary: "Say of each file whether it is authentic.",
        operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes nothing.
            '-' is standard input; base64 text is recognised. Full success means that
            all of them are authentic.
            """,
        options: Acceptance.options + SecretSource.options(isNew: false) + [Batch.jobs]
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let files = arguments.operands.map { $0.file(dash: .standardInput) }
            guard !files.isEmpty else { throw .usage("no FILE is given") }
            let accepting = try Acceptance(arguments)
            let isQuiet = arguments.contains("quiet")
            let jobs = try Batch.jobCount(arguments)
            let meter = try ProgressMeter(arguments)
            let source = try SecretSource(
                arguments, isNew: false, inputIsStandardInput: files.contains(.standardInput))
            let credential = try source.credential()
            try Batch.run(files, jobs: jobs) { (index, pool) throws(CommandError) in
                let file = files[index]
                let byteCount: Int
                do throws(CryptorError) {
                    byteCount = try await pool.verifyFile(
                        at: file, with: credential, accepting: accepting, acceptingBase64: true,
                        progress: meter.handler(forFile: index))
                } catch {
                    throw CommandError(error)
                }
                if !isQuiet { try Report.tell("\(file): authentic, \(byteCount) bytes of plaintext\n") }
            }
        })
}
