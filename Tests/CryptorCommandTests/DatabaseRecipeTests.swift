import Foundation
import Testing

/// The recipes for PostgreSQL and SQLite, with real databases. Each is killed half-way, once in
/// each of its programs: then every row is as it was, and the recipe can be repeated. And each runs
/// twice at the same time, the first time also without its shell, while rows move.
@Suite(.onItsOwnThread, .enabled(if: PostgreSQL.isWanted, "PostgreSQL is not installed"))
struct DatabaseRecipeTests {
    private let place: Workplace
    private let environment: [String: String]

    private static let count = 60
    /// The rows whose messages were altered and cut off.
    private static let broken = [7, 17]
    /// The rows that `runTwice` moves, before and after.
    private static let moved = [21, 31, 121, 131]

    /// A table `plain` of what is hard to write, and `messages`, encrypted as the article says.
    init() throws {
        place = try Workplace()
        environment = try PostgreSQL.environment(
            schema: "test_\(UUID().uuidString.prefix(8).lowercased())")
        try sql(
            #"""
            CREATE TABLE plain (id bigint, note bytea);
            INSERT INTO plain SELECT id, CASE id % 10
                WHEN 0 THEN NULL
                WHEN 1 THEN ''
                WHEN 2 THEN convert_to('C:\new\table', 'UTF8')
                WHEN 3 THEN convert_to(E'a tab\t, CR \r, two lines\r\nand more\n', 'UTF8')
                WHEN 4 THEN convert_to('"quotes", ''more'' and a comma,', 'UTF8')
                WHEN 5 THEN convert_to('\N', 'UTF8')
                WHEN 6 THEN '\x00ff5c0a0d'
                WHEN 7 THEN convert_to(repeat('long ', 300), 'UTF8')
                WHEN 8 THEN convert_to('\\x616263|é,' || id, 'UTF8')
                ELSE convert_to('NULL', 'UTF8') END FROM generate_series(1, \#(Self.count)) id;
            """#)
        try place.succeed("cp key new && tr 0-9a-f 1-9a-f0 < key > new && chmod 600 new")
        try sql("CREATE TABLE opened (id bigint PRIMARY KEY, plaintext bytea, note text)")
        let outcome = try Recipe(with: "COPY opened FROM STDIN")
            .replacing(["decrypt": "encrypt", "letters": "plain"])
            .run(in: place, environment: environment)
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try sql(
            """
            CREATE TABLE messages AS SELECT id, decode(note, 'base64') AS note FROM opened;
            UPDATE messages SET note = set_byte(note, 40, get_byte(note, 40) # 1) WHERE id = 7;
            UPDATE messages SET note = substr(note, 1, length(note) - 1) WHERE id = 17;
            DROP TABLE opened;
            """)
    }

    @discardableResult private func sql(_ text: String) throws -> String {
        try place.write(text, to: "script.sql")
        return String(
            decoding: try place.succeed(
                "psql -qXAt -v ON_ERROR_STOP=1 -f script.sql", environment: environment),
            as: UTF8.self)
    }

    private func expect(
        _ query: String, _ answer: String, _ what: String = "",
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try sql(query)
        #expect(found == answer + "\n", "\(what)", sourceLocation: location)
    }

    /// Asks how many rows differ in two tables, without those that are broken.
    private func differences(_ table: String, _ other: String, without broken: [Int] = broken)
        -> String
    {
        """
        SELECT count(*) FROM \(table) a FULL JOIN \(other) b USING (id)
        WHERE (a.note IS DISTINCT FROM b.note OR a.id IS NULL OR b.id IS NULL)
            AND id <> ALL ('{\(broken.map(String.init).joined(separator: ","))}')
        """
    }

    /// Kills a recipe in each of its programs, without and with its shell.
    private func kill(
        _ recipe: Recipe, _ victims: [String], andShell shells: [Bool] = [false, true],
        check: (_ what: String) throws -> Void
    ) throws {
        for victim in victims {
            for killsShell in shells {
                let what = "\(victim)\(killsShell ? " and the shell" : "")"
                try place.succeed("rm -rf was-killed")
                let outcome = try recipe.run(
                    in: place, environment: environment, killing: victim, andShell: killsShell)
                #expect(place.exists("was-killed"), "\(what)")
                #expect(outcome.status != 0, "\(what)")
                try check(what)
            }
        }
        try place.succeed("rm -rf columns-*")
    }

    /// Runs a recipe twice at the same time, as `Recipe.runTwice` says, with and without killing
    /// the first shell. A row moves to the end in between, so that line n is of another row.
    /// - Parameter tables: where else it moves.
    private func runTwice(
        _ recipe: Recipe, holding program: String, moving tables: [String],
        check: (_ what: String) throws -> Void
    ) throws {
        let client = place.exists("letters.db") ? "sqlite3 letters.db" : "psql -qX -c"
        for (killsShell, id) in [(true, 21), (false, 31)] {
            let outcome = try recipe.runTwice(
                in: place, environment: environment, holding: program, killingShell: killsShell,
                changing: "\(client) 'UPDATE letters SET id = id + 100 WHERE id = \(id)'")
            let what = "status \(outcome.status), \(killsShell): \(outcome.complaint)"
            // If both go on and load the same rows, only one can.
            #expect([65, 77].contains(outcome.status) || !killsShell, "\(what)")
            for table in tables { try sql("UPDATE \(table) SET id = id + 100 WHERE id = \(id)") }
            try check(what)
        }
    }

    // MARK: PostgreSQL

    @Test(arguments: ["bytea", "text"]) func decryptInPostgreSQL(type: String) throws {
        let recipe = try Recipe(with: "COPY opened FROM STDIN")
        try makeLetters(of: type)
        try sql("CREATE TABLE opened (id bigint PRIMARY KEY, message \(type), note bytea)")
        let victims = ["psql *TO STDOUT*", "cut *", "rncryptor *", "paste *", "psql *FROM STDIN*"]
        if type == "bytea" {
            try kill(recipe, victims) { what in
                try expect("SELECT count(*) FROM opened", "0", what)
            }
            try runTwice(recipe, holding: "rncryptor *", moving: ["plain"]) { what in
                try expect(
                    differences("plain", "opened", without: Self.broken + Self.moved), "0", what)
                try sql("DELETE FROM opened")
            }
        }
        let outcome = try recipe.run(in: place, environment: environment)
        #expect(outcome.status == 77, "\(outcome.complaint)")
        try expect(differences("plain", "opened"), "0")
        try expect(
            "SELECT id FROM opened WHERE note IS NULL AND message IS NOT NULL ORDER BY id", "7\n17")
        for line in ["line 7: ", "line 17: "] { #expect(outcome.complaint.contains(line)) }
    }

    @Test(arguments: ["bytea", "text"]) func newKeysInPostgreSQL(type: String) throws {
        let recipe = try Recipe(with: "#!/bin/bash")
        try makeLetters(of: type)
        try sql("CREATE TABLE before AS SELECT * FROM letters")
        let victims = [
            "psql *TO STDOUT*", "cut *", "rncryptor *", "paste rows*", "psql *FROM STDIN*",
        ]
        if type == "bytea" {
            try kill(recipe, victims) { what in
                try expect(differences("before", "letters"), "0", what)
            }
            try runTwice(recipe, holding: "rncryptor rekey*", moving: ["plain", "before"]) { _ in }
        }
        let outcome = try recipe.run(in: place, environment: environment)
        #expect([65, 77].contains(outcome.status), "\(outcome.complaint)")
        #expect(outcome.complaint.hasSuffix(":\n7\n17\n"), "\(outcome.complaint)")
        try expect(differences("before", "letters"), "\(Self.count - Self.count / 10 - 2)")
        // All else opens under the new keys.
        try sql("CREATE TABLE opened (id bigint PRIMARY KEY, message \(type), note bytea)")
        try place.succeed("mv key old-key && cp -p new key")
        let opened = try Recipe(with: "COPY opened FROM STDIN").run(
            in: place, environment: environment)
        #expect(opened.status == 77, "\(opened.complaint)")
        try expect(differences("plain", "opened"), "0")
        // The broken rows have the messages that they had.
        try expect("SELECT id FROM before JOIN letters USING (id, note) ORDER BY id", "7\n17")
    }

    private func makeLetters(of type: String) throws {
        let base64 = "translate(encode(note, 'base64'), E'\\n', '')"
        try sql(
            """
            CREATE TABLE letters AS
                SELECT id, \(type == "text" ? base64 : "note") AS note FROM messages ORDER BY id
            """)
    }

    // MARK: Others

    @Test func csvFromPostgreSQL() throws {
        let recipe = try Recipe(with: "import csv")
        try makeLetters(of: "text")
        try sql("CREATE TABLE opened (id bigint, note text)")
        try sql(#"\copy (SELECT id, note FROM letters) TO rows.csv (FORMAT csv, NULL '\N')"#)
        try kill(recipe, ["rncryptor *"]) { what in
            #expect(!place.exists("opened.csv"), "\(what)")
        }
        let outcome = try recipe.run(in: place, environment: environment)
        #expect(outcome.status == 77, "\(outcome.complaint)")
        // Those that are no text fail as well.
        let failed = (1...Self.count).filter { $0 % 10 == 6 || Self.broken.contains($0) }
        let names = outcome.complaint.split(separator: "\n").filter { $0.hasPrefix("failed: ") }
        #expect(names == failed.map { "failed: \($0)" }, "\(outcome.complaint)")
        try sql(#"\copy opened FROM opened.csv (FORMAT csv, NULL '\N')"#)
        try sql(
            """
            CREATE TABLE bytes AS SELECT id, convert_to(note, 'UTF8') AS note FROM opened;
            UPDATE plain SET note = NULL WHERE id % 10 = 6
            """)
        try expect(differences("plain", "bytes"), "0")
    }

    /// `letters.db` with the table `letters`, and an empty one, `opened`.
    private func makeSQLite() throws {
        try place.succeed(
            """
            psql -qXAt -c "SELECT 'INSERT INTO letters VALUES (' || id || ',' || coalesce(
                'x''' || encode(note, 'hex') || '''', 'NULL') || ');' FROM messages" > insertions
            { echo 'CREATE TABLE letters (id INTEGER PRIMARY KEY, note BLOB);'
            echo 'CREATE TABLE opened (id INTEGER PRIMARY KEY, note BLOB);'
            cat insertions; } | sqlite3 letters.db
            """, environment: environment)
    }

    /// Puts a table of SQLite into one of PostgreSQL.
    private func fetch(_ table: String, as name: String) throws {
        try place.succeed(
            """
            psql -qX -c 'CREATE TABLE \(name) (id bigint, note bytea)'
            sqlite3 letters.db "SELECT id || ',' || CASE WHEN note IS NULL THEN ''
                ELSE '\\x' || hex(note) END FROM \(table)" > fetched
            psql -qX -c "COPY \(name) FROM STDIN (FORMAT csv)" < fetched
            """, environment: environment)
    }

    private static let victims = [
        "sqlite3 *SELECT*", "cut *", "rncryptor *", "paste *", "sed *", "sqlite3 *.read*",
    ]

    @Test func decryptInSQLite() throws {
        let recipe = try Recipe(with: "INSERT INTO opened")
        try makeSQLite()
        try kill(recipe, Self.victims) { what in
            let count = try place.text("sqlite3 letters.db 'SELECT count(*) FROM opened'")
            #expect(count == "0\n", "\(what)")
        }
        try runTwice(recipe, holding: "rncryptor *", moving: ["plain"]) { what in
            try fetch("opened", as: "opened")
            try expect(
                differences("plain", "opened", without: Self.broken + Self.moved), "0", what)
            try sql("DROP TABLE opened")
            try place.succeed("sqlite3 letters.db 'DELETE FROM opened'")
        }
        let outcome = try recipe.run(in: place)
        #expect(outcome.status == 77, "\(outcome.complaint)")
        for line in ["line 7: ", "line 17: "] { #expect(outcome.complaint.contains(line)) }
        try fetch("opened", as: "opened")
        try expect(differences("plain", "opened"), "0")
        try expect(
            """
            SELECT id FROM opened JOIN messages m USING (id)
            WHERE opened.note IS NULL AND m.note IS NOT NULL ORDER BY id
            """, "7\n17")
    }

    @Test func newKeysInSQLite() throws {
        let recipe = try Recipe(with: "UPDATE letters SET note = x")
        try makeSQLite()
        try fetch("letters", as: "before")
        try kill(recipe, Self.victims) { what in
            try sql("DROP TABLE IF EXISTS letters")
            try fetch("letters", as: "letters")
            try expect(differences("before", "letters"), "0", what)
        }
        try runTwice(recipe, holding: "rncryptor *", moving: ["plain", "before"]) { _ in }
        let outcome = try recipe.run(in: place)
        #expect([65, 77].contains(outcome.status), "\(outcome.complaint)")
        try sql("DROP TABLE letters")
        try fetch("letters", as: "letters")
        try expect(differences("before", "letters"), "\(Self.count - Self.count / 10 - 2)")
        try place.succeed("mv key old-key && cp -p new key")
        let opened = try Recipe(with: "INSERT INTO opened").run(in: place)
        #expect(opened.status == 77, "\(opened.complaint)")
        try fetch("opened", as: "opened")
        try expect(differences("plain", "opened"), "0")
        try expect("SELECT id FROM before JOIN letters USING (id, note) ORDER BY id", "7\n17")
    }

    @Test func encryptInSQLite() throws {
        let recipe = try Recipe(with: "INSERT INTO opened")
        try sql("DROP TABLE messages; ALTER TABLE plain RENAME TO messages")
        try makeSQLite()
        let encrypted = try recipe.replacing([
            "decrypt": "encrypt", "hex(note)": "iif(note IS NULL, '', '0x' || hex(note))",
        ]).run(in: place)
        #expect(encrypted.status == 0 && encrypted.complaint.isEmpty, "\(encrypted.complaint)")
        try place.succeed(
            """
            sqlite3 letters.db 'DROP TABLE letters; ALTER TABLE opened RENAME TO letters;
                CREATE TABLE opened (id INTEGER PRIMARY KEY, note BLOB)'
            """)
        let count = try place.text(
            "sqlite3 letters.db \"SELECT count(*) FROM letters WHERE note LIKE 'Aw%'\"")
        #expect(count == "\(Self.count - Self.count / 10)\n")
        let opened = try recipe.replacing(["hex(note)": "note"]).run(in: place)
        #expect(opened.status == 0 && opened.complaint.isEmpty, "\(opened.complaint)")
        try fetch("opened", as: "opened")
        try expect(differences("messages", "opened", without: []), "0")
    }
}
