import CryptorFormat

extension Subcommand {
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
            FileArguments.spoolLimit,
        ] + Acceptance.options + SecretSource.options(isNew: false)
            + SecretSource.options(.new, isNew: true)
            + [Batch.jobs] + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            let inputs = try InputFiles(arguments)
            let output = arguments["output"]?.file(dash: .standardOutput)
            guard output == nil || arguments.operands.count == 1 && !arguments.contains("recursive") else {
                throw .usage("--output takes one message, and there may be several")
            }
            guard output != nil || !inputs.readable.contains(.standardInput) else {
                throw .usage("standard input needs an --output")
            }
            let accepting = try Acceptance(arguments)
            _ = try Batch.jobCount(arguments)
            let plan = inputs.readable.map { (input: $0, output: output ?? $0) }
            let meter = try ProgressMeter(arguments, outputs: output.map { [$0] } ?? [])
            if let output, output != .standardOutput { try TerminalOutput.refuseBinary(to: [output]) }
            let old = try SecretSource(arguments, isNew: false)
            let new = try SecretSource(arguments, .new, isNew: true)
            let conflicts = try FilePlan(secrets: [old.file, new.file]).check(plan, replacesInputs: output == nil)
            try SecretSource.refuseSharedStream(old, new)
            let overwrites = arguments.contains("force")
            if old.isTyped || new.isTyped || new.isGenerated {
                try Batch.rehearse(inputs) { (source) throws(CommandError) in
                    try Batch.rehearseReading(source, for: old, accepting: accepting)
                    try Batch.rehearseOpening(
                        source, writingTo: output ?? source, overwriting: overwrites, replacingInput: output == nil)
                }
            }
            // The new secret is read once, even if the old one is asked for again. If it is not asked for on the
            // terminal, it is read before the old one is typed.
            var known = old.isTyped && !new.isTyped && !new.isGenerated ? try new.credential() : nil
            let mayRepeat = inputs.mayBeReadAgain && output?.isFIFOWithName != true
            try old.withSecret(mayRepeat: mayRepeat) { (secret) throws(CommandError) in
                let credential: Credential
                if let known {
                    credential = known
                } else {
                    // The user keeps a generated password that is shown, so a file that it is for is verified first.
                    if new.isGenerated {
                        try Batch.rehearse(inputs) { (source) throws(CommandError) in
                            try verify(source, secret, accepting: accepting)
                        }
                    }
                    credential = try new.credential()
                }
                known = credential
                try Batch.run(inputs.files) { (index) throws(CommandError) in
                    let source = try inputs.file(index)
                    if let conflict = conflicts[source] { throw conflict }
                    let destination = output ?? source
                    let wasStream = destination.isStream
                    do throws(CryptorError) {
                        try Cryptor.rekeyFile(
                            at: source, to: destination, from: secret.credential, into: credential,
                            accepting: accepting, options: FileOptions(overwriting: overwrites, base64: true),
                            progress: meter.handler(forFile: index))
                    } catch {
                        throw CommandError(error, writingTo: destination, wasStream: wasStream).doubting(secret.doubt)
                    }
                }
            }
        })

    private static func verify(
        _ file: FileEndpoint, _ secret: SecretSource.Secret, accepting: Acceptance
    ) throws(CommandError) {
        do throws(CryptorError) {
            try Cryptor.verifyFile(
                at: file, with: secret.credential, accepting: accepting, options: FileOptions(base64: true),
                progress: { _ in try Interruption.check() })
        } catch {
            throw CommandError(error).doubting(secret.doubt)
        }
    }
}
