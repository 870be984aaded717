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
        for victim in ["jq -c . *", "jq *.note *", "rncryptor *", "paste *"] {
            // What the last one needs is here, but is not of this run.
            try place.succeed("rm -f rows cells notes pairs whole; printf '1\\n2\\n3\\n' > notes")
            let outcome = try recipe.run(in: place, killing: victim)
            #expect(outcome.status != 0 && place.exists("was-killed"), "\(victim)")
            try place.succeed("rmdir was-killed; grep -qx before opened.json")
        }
        try place.succeed("rm -f rows cells notes pairs")
        let outcome = try recipe.run(in: place)
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

    @Test func severalCoresInOrder() throws {
        try place.succeed("seq 100000 | $RNCRYPTOR encrypt --lines --key-file key > messages")
        guard try place.shell("command -v parallel").status == 0 else { return }
        let recipe = try Recipe(with: "parallel")
        // One of the jobs writes half of its lines.
        let killed = try recipe.run(in: place, killing: "rncryptor *")
        #expect(killed.status == 0 && place.exists("was-killed") && !place.exists("notes"))
        let outcome = try recipe.run(in: place)
        #expect(outcome.status == 0 && outcome.complaint.isEmpty, "\(outcome.complaint)")
        try place.succeed("seq 100000 | cmp - notes")
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
