import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorCommand

/// The recipes for encrypted columns that need no database, which `Command.md` and the man page
/// have.
@Suite(.onItsOwnThread) struct RecipeTests {
    private let place: Workplace

    init() throws {
        place = try Workplace(plaintext: "unused")
        try place.succeed("cp new-key new && chmod 600 new")
    }

    @Test func theManPageHasTheSame() {
        #expect(Recipe.all.count == 8)
        #expect(Recipe.all.map(\.text) == ManPageText.recipes.map(\.lines))
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
        let recipe = try Recipe(with: "jq -c")
        try place.write("before", to: "opened.json")
        for victim in ["jq -c . *", "jq *.note *", "rncryptor *", "paste *", "jq *input*"] {
            let outcome = try recipe.run(in: place, killing: victim)
            #expect(outcome.status != 0 && place.exists("was-killed"), "\(victim)")
            try place.succeed("rmdir was-killed; grep -qx before opened.json")
        }
        try place.succeed("rm -r columns-*")
        let outcome = try recipe.run(in: place)
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try place.succeed("cmp plain.json opened.json; ! ls -d columns-* 2> /dev/null")
        try place.succeed("cp rows.json all.json")
        for killsShell in [true, false] {
            try place.succeed("cp all.json rows.json; rm opened.json")
            let outcome = try recipe.runTwice(
                in: place, holding: "rncryptor *", killingShell: killsShell,
                changing: "sed 1d all.json > rows.json")
            #expect(outcome.status == 0, "\(outcome.complaint)")
            try place.succeed(
                "cmp -s plain.json opened.json || sed 1d plain.json | cmp - opened.json")
        }
        // Rows that do not open are null, and the others are there.
        try place.succeed("rm -rf columns-*; sed '1s/Aw[A-D]/AwE/' all.json > rows.json")
        #expect(try recipe.run(in: place).status == 65)
        try place.succeed(
            #"sed '1s/"note":.*/"note":null}/' plain.json | cmp - opened.json; ls columns-*/rows"#)
    }

    @Test func csv() throws {
        guard try place.shell("command -v python3").status == 0 else { return }
        try place.write(
            #"""
            "1","\x6f6e650a5c2e0a74776f2c20227468726565220d0a"
            "a,""b""",\N
            "3","\x"
            "4","\x5c4e"
            "5","\x00ff"

            """#, to: "plain.csv")
        let recipe = try Recipe(with: "import csv").replacing(["--json": "--json --plaintext hex"])
        try place.succeed("cp plain.csv rows.csv")
        let encrypted = try recipe.replacing(["decrypt": "encrypt"]).run(in: place)
        #expect(encrypted.status == 0 && encrypted.complaint.isEmpty, "\(encrypted.complaint)")
        try place.succeed("mv opened.csv all.csv; test $(grep -c ',\"Aw' all.csv) = 4")
        for killsShell in [true, false] {
            try place.succeed("cp all.csv rows.csv; rm -f opened.csv")
            let outcome = try recipe.runTwice(
                in: place, holding: "rncryptor *", killingShell: killsShell,
                changing: "sed 1d all.csv > rows.csv")
            #expect(outcome.status == 0, "\(outcome.complaint)")
            try place.succeed("cmp -s plain.csv opened.csv || sed 1d plain.csv | cmp - opened.csv")
        }
        // Too few lines: the file is as it was.
        try place.write("before", to: "opened.csv")
        let command = "rncryptor decrypt --lines --json --plaintext hex --key-file key"
        #expect(try recipe.replacing([command: "sed 1d"]).run(in: place).status == 1)
        try place.succeed("grep -qx before opened.csv")
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

    @Test func severalCoresInOrder() throws {
        try place.succeed("seq 100000 | $RNCRYPTOR encrypt --lines --key-file key > messages")
        guard try place.shell("command -v parallel").status == 0 else { return }
        let recipe = try Recipe(with: "parallel")
        // One of the jobs writes half of its lines.
        let killed = try recipe.run(in: place, killing: "rncryptor *")
        #expect(killed.status != 0 && place.exists("was-killed") && !place.exists("notes"))
        let outcome = try recipe.run(in: place)
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try place.succeed("seq 100000 | cmp - notes")
        for (killsShell, count) in [(true, 2000), (false, 1000)] {
            try place.succeed("tail -n \(count * 2) messages > few; mv few messages")
            let outcome = try recipe.runTwice(
                in: place, holding: "parallel *", killingShell: killsShell,
                changing: "tail -n \(count) messages > few; mv few messages")
            #expect(outcome.status == 0, "\(outcome.complaint)")
            try place.succeed("seq \(100_001 - count) 100000 | cmp - notes")
        }
        try place.succeed("sed 7s/.*/x/ messages > damaged; mv damaged messages")
        #expect(try recipe.run(in: place).status == 1)
        try place.succeed("seq 99001 100000 | sed 7s/.*// | cmp - notes")
    }

    @Test func whichLinesFail() throws {
        try place.succeed(
            "seq 5 | $RNCRYPTOR encrypt --lines --key-file key | sed '2s/.*/x/; 4s/.*//' > messages"
        )
        let outcome = try Recipe(with: "grep -n false").run(in: place)
        let output = String(decoding: outcome.output, as: UTF8.self)
        #expect(output.hasPrefix("2:false\nline 2: foreign\nforeign: line 2. "), "\(output)")
    }
}
