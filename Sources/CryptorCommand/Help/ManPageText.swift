/// The prose of the man page that is not in a help text.
enum ManPageText {
    static let name = "encrypt and decrypt files in the RNCryptor format"

    static let description = """
        Writes version 3 of the format: AES-256-CBC, then HMAC-SHA256 over the header and the
        ciphertext. The two keys are random, or are derived from a password by PBKDF2-HMAC-SHA1
        with only 10,000 iterations: use long generated passwords, or keys.

        An output file appears only when it is complete and, if decrypted, verified. Passwords are
        never taken from an argument, which every user of the machine could read.

        Instead of a subcommand, you can use one of these options.
        """

    static let environment = [
        (
            "TMPDIR",
            """
            The directory for a temporary copy of a message that comes from a pipe or is base64 \
            text. The copy is ciphertext without a name, and is kept until the message is \
            verified. The default is /tmp.
            """
        )
    ]

    /// For encrypted columns of tables. A test runs them as they stand in `Command.md`.
    static let recipes = [
        (
            title: "JSON, with jq",
            lines: #"""
            jq -c .note rows.json | rncryptor decrypt --lines --json --key-file key > notes.json
            paste -d '\n' rows.json notes.json | jq -c '.note = input' > opened.json
            """#
        ),
        (
            title: "CSV, in Python",
            lines: #"""
            import csv, json, subprocess, sys
            rows = list(csv.DictReader(sys.stdin))
            cells = "".join(json.dumps(row["note"] or None) + "\n" for row in rows)
            command = "rncryptor decrypt --lines --json --key-file key".split()
            opened = subprocess.check_output(command, input=cells.encode())
            writer = csv.DictWriter(sys.stdout, rows[0])
            writer.writeheader()
            for row, note in zip(rows, opened.splitlines(), strict=True):
                writer.writerow(row | {"note": json.loads(note)})
            """#
        ),
        (
            title: "New keys in PostgreSQL, bytea or base64",
            lines: #"""
            psql -c "COPY (SELECT id, note FROM letters) TO STDOUT (NULL '')" > rows
            cut -f 2 rows | rncryptor rekey --lines --key-file key --new-key-file new > notes
            cut -f 1 rows | paste - notes | psql -c "COPY renewed FROM STDIN (NULL '')"
            """#
        ),
        (
            title: "All cores",
            lines: #"""
            parallel --pipe --keep-order rncryptor decrypt --lines --key-file key < messages > notes
            """#
        ),
        (
            title: "Which lines fail",
            lines: #"""
            rncryptor verify --lines --json --key-file key messages | grep -n false
            """#
        ),
    ]

    static let seeAlso = [
        (name: "age", section: "1"),
        (name: "gpg", section: "1"),
        (name: "openssl-enc", section: "1ssl"),
    ]
}
