import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorCommand

/// The recipes for encrypted columns, which `Command.md` and the man page have.
@Suite(.onItsOwnThread) struct RecipeTests {
    private let place: Workplace

    init() throws {
        place = try Workplace(plaintext: "unused")
        try place.succeed("cp new-key new && chmod 600 new")
    }

    /// The recipes are the only code in this section of the article.
    private static let recipes: [String] = {
        let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "../../Sources/CryptorFormat/CryptorFormat.docc/Command.md")
        let text = (try? String(contentsOf: article, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix("Columns\n") }
        let paragraphs = (section ?? "").components(separatedBy: "\n\n")
        return paragraphs.filter { $0.hasPrefix("    ") }.map { paragraph in
            paragraph.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
        }
    }()

    /// Runs the recipe that begins with a word.
    /// - Returns: nil if this machine does not have the program.
    private func run(_ word: String) throws -> Workplace.Outcome? {
        let recipe = try #require(Self.recipes.first { $0.hasPrefix(word) }, "\(word)")
        let program = word == "import" ? "python3" : word
        let path = "PATH=$PWD:$(dirname $RNCRYPTOR):$PATH"
        guard try place.shell("\(path); command -v \(program)").status == 0 else { return nil }
        try place.write(recipe, to: "recipe")
        let shell = word == "import" ? "python3 recipe < rows.csv > opened.csv" : ". ./recipe"
        return try place.shell("\(path); \(shell)")
    }

    @Test func theManPageHasTheSame() {
        #expect(Self.recipes.count == 5)
        #expect(Self.recipes == ManPageText.recipes.map(\.lines))
    }

    @Test func jsonLines() throws {
        try place.write(
            #"""
            {"id":1,"note":"one\ntwo, \"three\""}
            {"id":2,"note":null}
            {"id":3,"note":""}

            """#, to: "plain.json")
        guard try place.shell("command -v jq").status == 0 else { return }
        try place.succeed(
            "jq -c .note plain.json | $RNCRYPTOR encrypt --lines --json --key-file key > notes; "
                + "paste -d '\\n' plain.json notes | jq -c '.note = input' > rows.json; "
                + "! grep -q 'two, ' rows.json")
        let outcome = try #require(try run("jq"))
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try place.succeed("cmp plain.json opened.json")
    }

    /// What the errors of `encrypt --lines --json` say makes JSON of cells that are no strings.
    @Test func cellsThatAreNoStrings() throws {
        guard try place.shell("command -v jq").status == 0 else { return }
        try place.write("12\nnull\n{\"a\": [1, \"x\"]}\n", to: "cells")
        let opened = try place.text(
            "jq -c 'if . == null then . else tostring end' cells "
                + "| $RNCRYPTOR encrypt --lines --json --key-file key "
                + "| $RNCRYPTOR decrypt --lines --json --key-file key")
        #expect(opened == "\"12\"\nnull\n\"{\\\"a\\\":[1,\\\"x\\\"]}\"\n")
        let text = try place.text(
            "printf 'raw \"text\"\\n' | jq -R . "
                + "| $RNCRYPTOR encrypt --lines --json --key-file key "
                + "| $RNCRYPTOR decrypt --lines --json --key-file key | jq -r .")
        #expect(text == "raw \"text\"\n")
    }

    @Test func csvWithQuotedCells() throws {
        try place.write(
            "id,note\r\n1,\"one\ntwo, \"\"three\"\"\"\r\n2,\r\n3,\"\u{2028}x\"\r\n", to: "plain.csv"
        )
        try place.write(
            #"""
            import csv, json, subprocess, sys
            rows = list(csv.DictReader(open("plain.csv", newline="", encoding="utf-8")))
            writer = csv.DictWriter(sys.stdout, rows[0])
            writer.writeheader()
            for row in rows:
                command = [sys.argv[1], *"encrypt --lines --json --key-file key".split()]
                line = json.dumps(row["note"] or None).encode()
                message = json.loads(subprocess.check_output(command, input=line))
                writer.writerow(row | {"note": message})
            """#, to: "seal.py")
        guard try place.shell("command -v python3").status == 0 else { return }
        try place.succeed("PYTHONUTF8=1 python3 seal.py $RNCRYPTOR > rows.csv")
        let outcome = try #require(try run("import"))
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try place.write(
            """
            import csv
            def rows(name): return list(csv.reader(open(name, newline="", encoding="utf-8")))
            assert rows("plain.csv") == rows("opened.csv"), rows("opened.csv")
            """, to: "compare.py")
        try place.succeed("python3 compare.py")
    }

    /// `psql` is a script that has a table in the text form of COPY.
    @Test func copyOfPostgreSQL() throws {
        try place.write(
            """
            #!/bin/sh
            case $2 in *TO*) cat table ;; *FROM*) cat > renewed ;; esac

            """, to: "psql")
        try place.write(
            #"""
            chmod 755 psql
            { seq 3 | $RNCRYPTOR encrypt --lines --key-file key; echo; } > messages
            digits=$(sed -n 2p messages | base64 -d | od -An -v -tx1 | tr -d ' \n')
            { sed -n 1p messages; printf '\\\\x%s\n' "$digits"; sed -n '3,$p' messages; } > notes
            seq 4 | paste - notes > table
            """#, to: "prepare")
        try place.succeed(
            ". ./prepare; cut -f 2 table | $RNCRYPTOR verify --lines --key-file key -")
        let outcome = try #require(try run("psql"))
        let note = "rncryptor: note: 3 lines rewritten, 1 empty\n"
        #expect(outcome.status == 0 && outcome.complaint == note, "\(outcome.complaint)")
        let opened = try place.text(
            "cut -f 2 renewed | $RNCRYPTOR decrypt --lines --key-file new > open; "
                + "paste renewed open > open-rows; cut -f 1,3 open-rows; "
                + "sed -n 2p renewed | cut -f 2 | cut -c 1-7"
        )
        #expect(opened == "1\t1\n2\t2\n3\t3\n4\t\n\\\\x0300\n")
    }

    @Test func severalCoresInOrder() throws {
        try place.succeed("seq 100000 | $RNCRYPTOR encrypt --lines --key-file key > messages")
        guard let outcome = try run("parallel") else { return }
        #expect(outcome.status == 0, "\(outcome.complaint)")
        try place.succeed("seq 100000 | cmp - notes")
    }

    @Test func whichLinesFail() throws {
        try place.succeed(
            "seq 5 | $RNCRYPTOR encrypt --lines --key-file key | sed '2s/.*/x/; 4s/.*//' > messages"
        )
        let outcome = try #require(try run("rncryptor"))
        #expect(outcome.output == Data("2:false\n".utf8))
    }
}
