extension Subcommand {
    static let encrypt = Subcommand(
        name: "encrypt",
        summary: "Encrypt files, or standard input, with a password or keys.",
        operands: "[INPUT...]",
        discussion: """
            Reads INPUT, or standard input if there is none or it is '-', and writes a message of
            version 3. Without an option for it, you are asked for the password on the terminal,
            twice. A file appears only when it is complete.

            Several files are worked on one after the other. To use more cores, run several
            commands: 'xargs -P 4 -n 20 rncryptor encrypt --key-file key ...'.

            With --lines each line of standard input, without its newline, becomes a message of its
            own, in base64 text, on a line of standard output, in the same order. A line has at
            most 16 MiB. In place of one that fails there is an empty line, and standard error and
            the exit status say so, as for 'rncryptor decrypt --lines'.
            """,
        examples: [
            "rncryptor encrypt -o notes.rnc notes.txt",
            "tar c photos | rncryptor encrypt --key-file key > photos.rnc",
        ],
        ownOptions: Conversion.options
            + [
                Option("base64", "Write base64 text and not binary."),
                Lines.option,
                Lines.freshSalts,
            ]
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            if arguments.contains("lines") { return try Lines.encrypt(arguments) }
            guard !arguments.contains("fresh-salts") else {
                throw .usage("--fresh-salts needs --lines")
            }
            try Conversion(.encrypt, arguments).run()
        })

    static let decrypt = Subcommand(
        name: "decrypt",
        summary: "Decrypt files, or standard input.",
        operands: "[INPUT...]",
        discussion: """
            Reads a message from INPUT, or from standard input if there is none or it is '-', and
            writes its plaintext. Base64 text is recognised. Without an option for it, you are
            asked for the password on the terminal. Nothing becomes visible before the whole
            message was verified.

            With --lines each line of standard input is a message of its own, in base64 text, and
            line n of standard output is the plaintext of line n. A line that cannot be decrypted,
            or whose plaintext holds a newline, gives an empty line. The first ten of them are
            named on standard error, the others are counted, and the exit status is 74 if input or
            output failed, else 70 if OpenSSL did, else 77 if an HMAC did not match, else 65. A
            line that is empty, or has only spaces, tabs and carriage returns, passes through as it
            is: dumps have empty cells. In the output, an empty cell, an empty plaintext and a line
            that failed look alike.
            """,
        examples: [
            "rncryptor decrypt -o notes.txt notes.rnc",
            "rncryptor decrypt --key-file key photos.rnc | tar x",
        ],
        ownOptions: Conversion.options
            + [
                Option("base64", "Not needed: base64 text is recognised."),
                Lines.option,
                SpoolLimit.option,
            ]
            + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            if arguments.contains("lines") { return try Lines.decrypt(arguments) }
            try Conversion(.decrypt, arguments).run()
        })
}
