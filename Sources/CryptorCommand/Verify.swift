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
        options: AcceptedVersions.options + SecretSource.options(generating: false) + [Batch.jobs]
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let files = arguments.operands.map { $0.file(dash: .standardInput) }
            guard !files.isEmpty else { throw .usage("no FILE is given") }
            let accepting = try AcceptedVersions.versions(arguments)
            let isQuiet = arguments.contains("quiet")
            let jobs = try Batch.jobCount(arguments)
            let meter = try ProgressMeter(arguments)
            let source = try SecretSource(
                arguments, generating: false, inputIsStandardInput: files.contains(.standardInput))
            let credential = AcceptedVersions.credential(arguments, try source.credential(isNew: false))
            let prepare = { @Sendable (group: Range<Int>) in
                credential.prepared(
                    forMessagesAt: Array(files[group]), accepting: accepting, acceptingBase64: true)
            }
            try Batch.run(files, jobs: jobs, with: credential, prepare: prepare) {
                (index, credential) throws(CommandError) in
                let file = files[index]
                let byteCount: Int
                do throws(CryptorError) {
                    byteCount = try Cryptor.verifyFile(
                        at: file, with: credential, accepting: accepting, acceptingBase64: true,
                        progress: meter.handler(forFile: index))
                } catch {
                    throw CommandError(error)
                }
                if !isQuiet { try Report.tell("\(file): authentic, \(byteCount) bytes of plaintext\n") }
            }
        })
}
