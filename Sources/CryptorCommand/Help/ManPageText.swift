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

    static let aboutRecipes = """
        The status is 0 only if every row was converted. With 65 or 77, all rows that open were;
        the others are NULL or, under new keys, have the message that they had. Shell recipes work
        in a directory of their own, columns-..., which is left unless the status is 0: remove it,
        since it holds rows and plaintexts.
        """

    /// For encrypted columns of tables. A test runs them as they stand in `Command.md`.
    static let recipes = [
        (
            title: "JSON, with jq",
            lines: #"""
            (work=$(mktemp -d "$PWD/columns-XXXXXX") && cd "$work" &&
                jq -c . ../rows.json > rows && jq -c .note rows > cells &&
                { rncryptor decrypt --lines --json --key-file ../key -o notes cells
                code=$?; paste -d '\n' rows notes > pairs; } &&
                jq -c '.note = input' pairs > opened.json && mv opened.json .. &&
                (exit $code) && rm -r "$work")
            """#
        ),
        (
            title: #"CSV, in Python, of COPY ... (FORMAT csv, NULL '\N')"#,
            lines: #"""
            import csv, json, os, subprocess, sys
            csv.field_size_limit(1 << 27)
            with open("rows.csv", newline="", encoding="utf-8") as file:
                rows = [(id, None if cell == r"\N" else cell) for id, cell in csv.reader(file)]
            cells = "".join(json.dumps(cell) + "\n" for id, cell in rows)
            command = "rncryptor decrypt --lines --json --key-file key".split()
            run = subprocess.run(command, input=cells.encode(), stdout=subprocess.PIPE)
            if run.returncode not in (0, 65, 77):
                sys.exit(run.returncode)
            def quote(text):
                return '"' + text.replace('"', '""') + '"'
            unfinished = f"opened-{os.getpid()}.csv"
            with open(unfinished, "x", newline="", encoding="utf-8") as file:
                for (id, cell), line in zip(rows, run.stdout.splitlines(), strict=True):
                    note = json.loads(line)
                    if note is None and cell is not None:
                        print("failed:", id, file=sys.stderr)
                    print(quote(id), r"\N" if note is None else quote(note), sep=",", file=file)
            os.replace(unfinished, "opened.csv")
            sys.exit(run.returncode)
            """#
        ),
        (
            title: "PostgreSQL, into a table with id, message and note (bytea)",
            lines: #"""
            (work=$(mktemp -d "$PWD/columns-XXXXXX") && cd "$work" &&
                psql -qX -c "COPY (SELECT id, note FROM letters) TO STDOUT (NULL '')" > rows &&
                cut -f 2 rows > cells &&
                { rncryptor decrypt --lines --plaintext hex --key-file ../key -o notes cells
                code=$?; paste rows notes > opened; } &&
                psql -qX -c "COPY opened FROM STDIN (NULL '')" < opened &&
                (exit $code) && rm -r "$work")
            """#
        ),
        (
            title: "New keys in PostgreSQL, as a script for cron",
            lines: #"""
            #!/bin/bash
            set -euo pipefail
            old_key=$(cat key)
            new_key=$(cat new)
            directory=$(mktemp -d "$PWD/columns-XXXXXX")
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
            (work=$(mktemp -d "$PWD/columns-XXXXXX") && cd "$work" &&
                sqlite3 ../letters.db "SELECT id, hex(note) FROM letters" > rows &&
                cut -d '|' -f 2 rows > cells &&
                { rncryptor decrypt --lines --plaintext hex --key-file ../key -o notes cells
                code=$?; paste -d '|' rows notes > pairs; } &&
                sed "s/|.*|$/,NULL);/; s/|.*|..x\(.*\)/,x'\1');/; s/|.*|\(.*\)/,'\1');/
                    s/^/INSERT INTO opened VALUES(/" pairs > sql &&
                sqlite3 -bail ../letters.db BEGIN '.read sql' COMMIT &&
                (exit $code) && rm -r "$work")
            """#
        ),
        (
            title: "New keys in SQLite",
            lines: #"""
            (work=$(mktemp -d "$PWD/columns-XXXXXX") && cd "$work" &&
                sqlite3 ../letters.db "SELECT id, hex(note) FROM letters" > rows &&
                cut -d '|' -f 2 rows > cells &&
                { rncryptor rekey --lines --key-file ../key --new-key-file ../new -o notes cells
                code=$?; paste -d '|' rows notes > pairs; } &&
                update="UPDATE letters SET note = x'\3' WHERE id = \1 AND note = x'\2';" &&
                sed "s/\(.*\)|\(.*\)|\(.*\)/$update/" pairs > sql &&
                sqlite3 -bail ../letters.db BEGIN '.read sql' COMMIT &&
                (exit $code) && rm -r "$work")
            """#
        ),
        (
            title: "All cores",
            lines: #"""
            (work=$(mktemp -d "$PWD/columns-XXXXXX") && cd "$work" &&
                { parallel --pipe --keep-order rncryptor decrypt --lines --key-file ../key \
                    < ../messages > notes
                code=$?; test "$(grep -c '' ../messages)" -eq "$(wc -l < notes)"; } &&
                mv notes .. && (exit $code) && rm -r "$work")
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
