import CryptorFormat

extension Subcommand {
    static let rekey = Subcommand(
        name: "rekey", summary: "Give a message another password or other keys.",
        operands: "FILE",
        discussion: """
            Verifies the message in FILE, then encrypts its plaintext anew as version 3.
            Without --output, FILE is replaced, once the new message is whole; one with
            several names (hard links) only with --force, and the other names keep the
            old message. No plaintext touches the disk. Without options for them, both
            passwords are asked for on the terminal, the new one twice.
            """,
        options: [
            Option(
                "output", letter: "o", value: "FILE",
                "Write to FILE and leave the old one as it is; '-' is standard output."),
            FileArguments.force, FileArguments.spoolLimit,
        ] + Acceptance.options + SecretSource.options(isNew: false)
            + SecretSource.options(.new, isNew: true)
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            guard arguments.operands.count == 1, let word = arguments.operands.first else {
                throw .usage("one FILE is needed, and there are \(arguments.operands.count)")
            }
            let source: FileEndpoint = word.file(dash: .standardInput)
            let destination = arguments["output"]?.file(dash: .standardOutput) ?? source
            guard destination != .standardInput else { throw .usage("standard input needs an --output") }
            let accepting = try Acceptance(arguments)
            let meter = try ProgressMeter(arguments, outputs: [destination])
            if destination != .standardOutput { try TerminalOutput.refuseBinary(to: [destination]) }
            try FilePlan(secrets: SecretSource.files(arguments)).check(
                [(source, destination)], replacesInputs: arguments["output"] == nil)
            let inputIsStandardInput = source == .standardInput
            let old = try SecretSource(
                arguments, isNew: false, inputIsStandardInput: inputIsStandardInput
            ).credential()
            let new = try SecretSource(
                arguments, .new, isNew: true, inputIsStandardInput: inputIsStandardInput
            ).credential()
            try Batch.run([source], jobs: 1) { (index, pool) throws(CommandError) in
                let errors = OutputErrors(destination)
                do throws(CryptorError) {
                    try await pool.rekeyFile(
                        at: source, to: destination, from: old, into: new, accepting: accepting,
                        overwriting: arguments.contains("force"), acceptingBase64: true,
                        progress: meter.handler(forFile: index))
                } catch {
                    throw errors.commandError(error)
                }
            }
        })
}
