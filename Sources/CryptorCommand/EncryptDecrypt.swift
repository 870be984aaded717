import CryptorFormat

extension Subcommand {
    static let encrypt = Subcommand(
        name: "encrypt", summary: "Encrypt files, or standard input, with a password or keys.",
        operands: "[INPUT...]",
        discussion: """
            Reads INPUT, or standard input if there is none or it is '-', and writes a
            message of version 3. Without an option for it, the password is asked for
            on the terminal, twice. A file appears only when it is whole.

            With --lines each line of standard input, without its newline, becomes a
            message of its own, in base64 text, on a line of standard output, in their
            order. A line has at most 16 MiB.
            """,
        options: [
            FileArguments.output, FileArguments.suffix, InputFiles.recursive, FileArguments.force,
            FileArguments.removeSource,
            Option("base64", "Write base64 text and not binary."), LineFilter.encryption,
        ] + SecretSource.options(isNew: true) + [Batch.jobs] + ProgressMeter.options,
        run: { arguments throws(CommandError) in try run(arguments, .encrypt) })

    static let decrypt = Subcommand(
        name: "decrypt", summary: "Decrypt files, or standard input.",
        operands: "[INPUT...]",
        discussion: """
            Reads a message from INPUT, or from standard input if there is none or it is
            '-', and writes its plaintext. Base64 text is recognised. Without an option
            for it, the password is asked for on the terminal. No byte is written
            anywhere to be seen before the whole message was found authentic.

            With --lines each line of standard input is a message of its own, in base64
            text, and its plaintext becomes a line of standard output, in their order.
            A line that cannot be decrypted gets a line on standard error with its
            number, counted from 1, and none on standard output; so does one whose
            plaintext holds a newline and would become two lines. The others are not
            affected, and the exit status at the end is 65, or 70 if OpenSSL failed.
            """,
        options: [
            FileArguments.output, FileArguments.suffix, InputFiles.recursive, FileArguments.force,
            FileArguments.removeSource,
            Option("base64", "Not needed: base64 text is recognised."), LineFilter.decryption,
            FileArguments.spoolLimit,
        ] + Acceptance.options + SecretSource.options(isNew: false) + [Batch.jobs] + ProgressMeter.options,
        run: { arguments throws(CommandError) in try run(arguments, .decrypt) })

    /// Encrypts or decrypts files, or lines.
    private static func run(_ arguments: Arguments, _ direction: FileArguments.Direction) throws(CommandError) {
        let isNew = direction == .encrypt
        if arguments.contains("lines") {
            return isNew ? try LineFilter.encrypt(arguments) : try LineFilter.decrypt(arguments)
        }
        let given = try FileArguments(arguments, direction)
        let asBase64 = arguments.contains("base64")
        if isNew, !asBase64 { try given.refuseTerminals() }
        // `encrypt` has none of these options, so it gets the default.
        let accepting = try Acceptance(arguments)
        _ = try Batch.jobCount(arguments)
        let meter = try ProgressMeter(arguments, outputs: given.possibleTerminals)
        let source = try SecretSource(arguments, isNew: isNew)
        let files = try given.checked(secret: source.file)
        if !arguments.contains("quiet") {
            for file in files.leftAlone {
                Report.note("\(file): Its name has the suffix already, so it was left as it is.")
            }
            if files.inputs.files.isEmpty { Report.note("There is no file to be worked on.") }
        }
        if files.inputs.files.isEmpty { return }
        if source.isTyped || source.isGenerated {
            try Batch.rehearse(files.inputs) { (input) throws(CommandError) in
                if !isNew { try Batch.rehearseReading(input, for: source, accepting: accepting) }
                try Batch.rehearseOpening(
                    input, writingTo: try files.destination(of: input), overwriting: files.overwrites)
            }
        }
        let options = FileOptions(
            overwriting: files.overwrites, takingAttributes: files.writesBesideInputs,
            removingSource: files.removesSource, base64: asBase64 || !isNew)
        try source.withSecret(mayRepeat: !isNew && files.mayBeRepeated) { (secret) throws(CommandError) in
            try Batch.run(files.inputs.files) { (index) throws(CommandError) in
                let input = try files.inputs.file(index)
                let output = try files.destination(of: input)
                let wasStream = output.isStream
                let terminal = isNew ? nil : files.terminal(output)
                let progress = meter.handler(forFile: index)
                do throws(CryptorError) {
                    if isNew {
                        try Cryptor.encryptFile(
                            at: input, to: output, with: secret.credential, options: options, progress: progress)
                    } else if let terminal {
                        try Cryptor.decryptFile(
                            at: input, with: secret.credential, accepting: accepting, options: options,
                            progress: progress
                        ) { verified in
                            if !terminal.show(verified) { throw CancellationError() }
                        }
                    } else {
                        try Cryptor.decryptFile(
                            at: input, to: output, with: secret.credential, accepting: accepting, options: options,
                            progress: progress)
                    }
                } catch {
                    try terminal?.check(atEnd: false)
                    throw CommandError(error, writingTo: output, wasStream: wasStream).doubting(secret.doubt)
                }
                try terminal?.check(atEnd: true)
            }
        }
    }
}
