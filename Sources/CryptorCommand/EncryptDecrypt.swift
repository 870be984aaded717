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

            With --lines each line of INPUT, without its newline, becomes a message of its own, in
            base64 text, on a line of the output, in the same order. An empty line becomes a
            message, too: for NULL use --json. A line has at most 16 MiB. In place of one that
            fails there is an empty line, and standard error and the exit status say so, as for
            'rncryptor decrypt --lines'.

            With --json as well, each line is a string of JSON, which may hold newlines, and so is
            each message. null stays null, and stands for a line that fails.
            """,
        examples: [
            "rncryptor encrypt -o notes.rnc notes.txt",
            "tar c photos | rncryptor encrypt --key-file key > photos.rnc",
            "jq -c .note rows.json | rncryptor encrypt --lines --json --key-file key > notes.json",
        ],
        ownOptions: Conversion.options
            + [
                Option("base64", "Write base64 text and not binary."),
                Lines.option,
                Lines.json,
                Lines.freshSalts,
            ]
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            if try Lines.areWanted(arguments) { return try Lines.encrypt(arguments) }
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

            With --lines each line of INPUT is a message of its own, in base64 text or in
            hexadecimal, such as \\x03..., 0x03... or 03..., and line n of the output is the
            plaintext of line n. A line that cannot be decrypted, or whose plaintext holds a
            newline, gives an empty line. The first ten of them are named on standard error, the
            others are counted, and the exit status is 74 if input or output failed, else 70 if
            OpenSSL did, else 77 if an HMAC did not match, else 65. A line that is empty, or has
            only spaces, tabs and carriage returns, passes through as it is: dumps have empty
            cells. In the output, an empty cell, an empty plaintext and a line that failed look
            alike. An --output with failed lines is published, and none after another error.

            With --json as well, each plaintext is a string of JSON, and null stands for null, an
            empty cell and a line that failed. A message may be a string or stand without quotes.
            """,
        examples: [
            "rncryptor decrypt -o notes.txt notes.rnc",
            "rncryptor decrypt --key-file key photos.rnc | tar x",
            "rncryptor decrypt --lines --json --key-file key -o notes.json messages",
        ],
        ownOptions: Conversion.options
            + [
                Option("base64", "Not needed: base64 text is recognised."),
                Lines.option,
                Lines.json,
                SpoolLimit.option,
            ]
            + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments throws(CommandError) in
            if try Lines.areWanted(arguments) { return try Lines.decrypt(arguments) }
            try Conversion(.decrypt, arguments).run()
        })
}
