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
            rm -f notes
            jq -c . rows.json > rows && jq -c .note rows > cells &&
                rncryptor decrypt --lines --json --key-file key -o notes cells
            paste -d '\n' rows notes > pairs && jq -c '.note = input' pairs > opened.json
            """#
        ),
        (
            title: #"CSV, in Python, of COPY ... (FORMAT csv, NULL '\N')"#,
            lines: #"""
            import csv, json, subprocess, sys
            csv.field_size_limit(1 << 27)
            with open("rows.csv", newline="", encoding="utf-8") as file:
                rows = [(id, None if cell == r"\N" else cell) for id, cell in csv.reader(file)]
            cells = "".join(json.dumps(cell) + "\n" for id, cell in rows)
            command = "rncryptor decrypt --lines --json --key-file key".split()
            run = subprocess.run(command, input=cells.encode(), stdout=subprocess.PIPE)
            if run.returncode not in (0, 65, 77):
                sys.exit(run.returncode)
            with open("opened.csv", "w", newline="", encoding="utf-8") as file:
                for (id, cell), line in zip(rows, run.stdout.splitlines(), strict=True):
                    note = json.loads(line)
                    if note is None and cell is not None:
                        print("failed:", id, file=sys.stderr)
                    note = r"\N" if note is None else '"' + note.replace('"', '""') + '"'
                    print(id, note, sep=",", file=file)
            """#
        ),
        (
            title: "PostgreSQL, into a table with id, message and note (bytea)",
            lines: #"""
            rm -f notes
            psql -qX -c "COPY (SELECT id, note FROM letters) TO STDOUT (NULL '')" > rows &&
                cut -f 2 rows > cells &&
                rncryptor decrypt --lines --plaintext hex --key-file key -o notes cells
            paste rows notes > opened && psql -qX -c "COPY opened FROM STDIN (NULL '')" < opened
            """#
        ),
        (
            title: "New keys in PostgreSQL, as a script for cron",
            lines: #"""
            #!/bin/bash
            set -euo pipefail
            old_key=$(cat key)
            new_key=$(cat new)
            directory=$(mktemp -d)
            trap 'rm -r "$directory"' EXIT
            cd "$directory"
            psql -qX -c "COPY (SELECT id, note FROM letters) TO STDOUT (NULL '')" > rows
            cut -f 2 rows > cells
            status=0
            rncryptor rekey --lines --key-file /dev/fd/3 --new-key-file /dev/fd/4 \
                -o notes cells 3<<< "$old_key" 4<<< "$new_key" || status=$?
            case $status in
            0) ;;
            65 | 77)
                echo "These ids keep their messages, which did not open:" >&2
                rncryptor verify --lines --json --key-file /dev/fd/3 notes 3<<< "$new_key" \
                    > valid 2> errors || true
                paste valid rows | sed -n 's/^false//p' | cut -f 2 >&2
                ;;
            *) exit "$status" ;;
            esac
            paste rows notes > renewed
            psql -qX1 -v ON_ERROR_STOP=1 \
                -c "CREATE TEMP TABLE r AS SELECT id, note old, note new FROM letters LIMIT 0" \
                -c "COPY r FROM STDIN (NULL '')" \
                -c "UPDATE letters SET note = new FROM r
                    WHERE letters.id = r.id AND note = old" \
                < renewed
            exit "$status"
            """#
        ),
        (
            title: "SQLite, from BLOBs into a table with id and note",
            lines: #"""
            rm -f notes
            sqlite3 letters.db "SELECT id, hex(note) FROM letters" > rows &&
                cut -d '|' -f 2 rows > cells &&
                rncryptor decrypt --lines --plaintext hex --key-file key -o notes cells
            paste -d '|' rows notes > pairs &&
                sed "s/|.*|..x\(.*\)/,x'\1');/; s/|.*|$/,NULL);/
                    s/^/INSERT INTO opened VALUES(/" pairs > sql &&
                sqlite3 -bail letters.db BEGIN '.read sql' COMMIT
            """#
        ),
        (
            title: "New keys in SQLite",
            lines: #"""
            rm -f notes
            sqlite3 letters.db "SELECT id, hex(note) FROM letters" > rows &&
                cut -d '|' -f 2 rows > cells &&
                rncryptor rekey --lines --key-file key --new-key-file new -o notes cells
            update="UPDATE letters SET note = x'\3' WHERE id = \1 AND note = x'\2';"
            paste -d '|' rows notes > pairs &&
                sed "s/\(.*\)|\(.*\)|\(.*\)/$update/" pairs > sql &&
                sqlite3 -bail letters.db BEGIN '.read sql' COMMIT
            """#
        ),
        (
            title: "All cores",
            lines: #"""
            parallel --pipe --keep-order rncryptor decrypt --lines --key-file key \
                < messages > notes
            test "$(grep -c '' messages)" -eq "$(wc -l < notes)" || rm notes
            """#
        ),
        (
            title: "Which lines fail, and why",
            lines: #"""
            rncryptor verify --lines --json --key-file key messages | grep -n false
            rncryptor diagnose --lines --key-file key messages
            """#
        ),
    ]

    static let seeAlso = [
        (name: "age", section: "1"),
        (name: "gpg", section: "1"),
        (name: "openssl-enc", section: "1ssl"),
    ]
}
