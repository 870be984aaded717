import CryptorFiles

extension Subcommand {
    static let verify = Subcommand(
        name: "verify", summary: "Check whether files are authentic.",
        operands: "FILE...",
        discussion: """
            Reads each FILE to its end, checks its HMAC and padding, and writes nothing.
            '-' is standard input; base64 text is recognised. Full success means that
            all of them are authentic.
            """,
        options: [InputFiles.recursive, InputFiles.suffix] + Acceptance.options + SecretSource.options(isNew: false)
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let jobs = try InputFiles(arguments).found.map { FileJob(input: $0.file, output: nil, failure: $0.failure) }
            let accepting = try Acceptance(arguments)
            let meter = try ProgressMeter(arguments, sizes: jobs.map(\.input.byteCount))
            let source = try SecretSource(arguments, isNew: false)
            let plan = try FilePlan(jobs, secrets: [source.file])
            try source.withSecret(mayRepeat: plan.mayBeRepeated) { (secret) throws(CommandError) in
                try plan.run { (job, index) throws(CommandError) in
                    let byteCount: Int
                    do throws(CryptorError) {
                        byteCount = try Cryptor.verifyFile(
                            at: job.input, with: secret.credential, accepting: accepting,
                            options: FileOptions(base64: true), progress: meter.handler(forFile: index))
                    } catch {
                        throw CommandError(error).doubting(secret.doubt)
                    }
                    if !arguments.contains("quiet") {
                        try Report.tell("\(job.input): authentic, \(byteCount) bytes of plaintext\n")
                    }
                }
            }
        })

    static let rekey = Subcommand(
        name: "rekey", summary: "Give messages another password or other keys.",
        operands: "FILE...",
        discussion: """
            Verifies the message in FILE, then encrypts its plaintext anew as version 3.
            Without --output, each FILE is replaced, once the new message is whole: a
            regular file with one name, and no link, which is locked meanwhile. No
            plaintext touches the disk. Without options for them, both passwords are
            asked for on the terminal, the new one twice.
            """,
        options: [
            Option(
                "output", letter: "o", value: "FILE",
                "Write to FILE and leave the old one as it is; '-' is standard output."),
            InputFiles.recursive, InputFiles.suffix,
            Option("force", letter: "f", "Overwrite an output that exists."),
            Acceptance.spoolLimit,
        ] + Acceptance.options + SecretSource.options(isNew: false)
            + SecretSource.options(.new, isNew: true) + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let inputs = try InputFiles(arguments).found
            let output = arguments["output"]?.file(dash: .standardOutput)
            guard output == nil || arguments.operands.count == 1 && !arguments.contains("recursive") else {
                throw .usage("--output takes one message, and there may be several")
            }
            guard output != nil || !inputs.contains(where: { $0.file == .standardInput }) else {
                throw .usage("standard input needs an --output")
            }
            if let output, output != .standardOutput { try TerminalOutput.refuseBinary(to: [output]) }
            let jobs = inputs.map { FileJob(input: $0.file, output: output ?? $0.file, failure: $0.failure) }
            let accepting = try Acceptance(arguments)
            let meter = try ProgressMeter(
                arguments, outputs: output.map { [$0] } ?? [], sizes: jobs.map(\.input.byteCount))
            let old = try SecretSource(arguments, isNew: false)
            let new = try SecretSource(arguments, .new, isNew: true)
            try SecretSource.refuseSharedStream(old, new)
            let overwrites = arguments.contains("force")
            let plan = try FilePlan(
                jobs, secrets: [old.file, new.file], overwrites: overwrites, replacesInputs: output == nil)
            // The new secret is read once, even if the old one is asked for again. If it is not asked for on the
            // terminal, it is read before the old one is typed.
            var known = old.isTyped && !new.isTyped && !new.isGenerated ? try new.secret().credential : nil
            try old.withSecret(mayRepeat: plan.mayBeRepeated) { (secret) throws(CommandError) in
                let credential = if let known { known } else { try new.secret().credential }
                known = credential
                try plan.run { (job, index) throws(CommandError) in
                    let destination = job.output ?? job.input
                    let wasStream = destination.isStream
                    do throws(CryptorError) {
                        try Cryptor.rekeyFile(
                            at: job.input, to: destination, from: secret.credential, into: credential,
                            accepting: accepting, options: FileOptions(overwriting: overwrites, base64: true),
                            progress: meter.handler(forFile: index))
                    } catch {
                        throw CommandError(error, writingTo: destination, wasStream: wasStream).doubting(secret.doubt)
                    }
                }
            }
        })
}
