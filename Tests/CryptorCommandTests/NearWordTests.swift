import Testing

@testable import CryptorCommand

/// How near a word has to be to be taken for a slip: less than a third of the letters of what it is taken for.
@Suite struct NearWordTests {
    @Test(
        arguments: [
            // Of six letters one, of seven two.
            ("verifx", "verify"), ("vexixy", nil), ("keygxx", nil), ("decrxpx", "decrypt"), ("dexrxpx", nil),
            // A letter too many, one too few, two that changed places.
            ("manuall", "manual"), ("manal", "manual"), ("maunal", "manual"), ("mnaaul", nil), ("rekye", "rekey"),
            ("erkey", "rekey"), ("rxkxy", nil), ("inpsetc", "inspect"),
            // Of eleven three.
            ("completins", "completions"), ("cmpletxxns", "completions"), ("cmpletxxnx", nil),
            ("", nil), ("v", nil), ("verifyverify", nil),
        ] as [(String, String?)])
    func subcommands(word: String, name: String?) {
        let expected = name.map { "Did you mean 'rncryptor \($0)'?" }
        #expect(Suggestion.forSubcommand(Word(word.utf8)) == expected, "\(word)")
    }

    /// A name of four letters or fewer may be wrong in one.
    @Test(
        arguments: [
            ("jbos", "jobs"), ("job", "jobs"), ("jox", nil), ("abc", "abd"), ("acc", nil),
        ] as [(String, String?)])
    func options(word: String, name: String?) {
        let options = [Option("jobs", ""), Option("abd", "")]
        #expect(Suggestion.forSpelling(word.utf8, among: options) == name.map { "Did you mean --\($0)?" }, "\(word)")
    }
}
