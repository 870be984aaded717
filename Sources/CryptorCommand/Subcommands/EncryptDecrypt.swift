extension Subcommand {
    static let encrypt = Subcommand(
        name: "encrypt",
        summary: "Encrypt files, or standard input, with a password or keys.",
        operands: "[INPUT...]",
        discussion: """
            Encrypts INPUT, or standard input if INPUT is missing or '-', into a version 3 message.
            Without an option for a password or keys, you are asked for a password on the terminal,
            twice. An output file appears only when it is complete.

            Several files are encrypted one after the other. To use more cores, run several
            commands: 'xargs -P 4 -n 20 rncryptor encrypt --key-file key ...'.

            With --lines, each line of INPUT, without its newline, becomes a message of its own:
            base64 text on a line of the output, in the same order. As text, every line becomes a
            message, an empty one and \\N too. For NULL, use --json, where null stays null, or
            --plaintext, where \\N stays \\N; with --plaintext hex, an empty line stays empty. A
            plaintext has at most 16 MiB. A line that fails becomes an empty line, and is reported
            on standard error and by the exit status, as by 'rncryptor decrypt --lines'.

            With --json as well, each line is a JSON string, which may contain newlines, and so is
            each message. null stays null, and also replaces a line that fails.
            """,
        examples: [
            "rncryptor encrypt -o notes.rnc notes.txt",
            "tar c photos | rncryptor encrypt --key-file key > photos.rnc",
            "jq -c .note rows.json | rncryptor encrypt --lines --json --key-file key > notes.json",
        ],
        ownOptions: Conversion.options
            + [
                Option("base64", "Write base64 text instead of binary."),
                Lines.option,
                Lines.json,
                PlaintextForm.option,
                Lines.freshSalts,
            ]
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments in
            if try Lines.areWanted(arguments) { return try Lines.encrypt(arguments) }
            try Conversion(.encrypt, arguments).run()
        })

    static let decrypt = Subcommand(
        name: "decrypt",
        summary: "Decrypt files, or standard input.",
        operands: "[INPUT...]",
        discussion: """
            Decrypts the message in INPUT, or in standard input if INPUT is missing or '-'. Base64
            text is recognised. Without an option for a password or keys, you are asked for the
            password on the terminal. No output appears before the whole message is verified.

            With --lines, each line of INPUT is a message of its own, in base64 or in hexadecimal
            (\\x03..., 0x03... or 03...), and line n of the output is the plaintext of line n. A
            line becomes an empty line if it cannot be decrypted or its plaintext contains a
            newline. The first ten of these are named on standard error, the others are counted.
            The exit status is 74 if input or output failed, else 70 if OpenSSL failed, else 77 if
            an HMAC did not match, else 65. A line that is empty, or has only spaces, tabs and
            carriage returns, or is \\N, is copied as it is, because dumps have such cells. Text is
            not written in the format of PostgreSQL's COPY, where a backslash begins an escape: use
            --plaintext hex for that, with which an empty plaintext is \\\\x. Otherwise an empty
            cell, an empty plaintext and a failed line look alike in the output. The file of
            --output appears even if lines failed, but not after any other error.

            With --json as well, each plaintext becomes a JSON string. null stands for null, for an
            empty cell and for a failed line. A message may be a JSON string or unquoted.
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
                Lines.jsonMessages,
                PlaintextForm.option,
                SpoolLimit.option,
            ]
            + AcceptedVersions.options
            + SecretSource.options()
            + ProgressMeter.options,
        run: { arguments in
            if try Lines.areWanted(arguments) { return try Lines.decrypt(arguments) }
            try Conversion(.decrypt, arguments).run()
        })
}
