import Testing

@testable import CryptorCommand

/// A word is taken for a slip if less than a third of the right word's letters are wrong.
@Suite struct NearWordTests {
    @Test(
        arguments: [
            // One of six letters may be wrong, and two of seven.
            ("verifx", "verify"), ("vexixy", nil), ("keygxx", nil), ("decrxpx", "decrypt"), ("dexrxpx", nil),
            // A letter may be too many or missing, or two may have changed places.
            ("manuall", "manual"), ("manal", "manual"), ("maunal", "manual"), ("mnaaul", nil), ("rekye", "rekey"),
            ("erkey", "rekey"), ("rxkxy", nil), ("inpsetc", "inspect"),
            // Three of eleven letters may be wrong.
            ("completins", "completions"), ("cmpletxxns", "completions"), ("cmpletxxnx", nil),
            ("", nil), ("v", nil), ("verifyverify", nil),
        ] as [(String, String?)])
    func subcommands(word: String, name: String?) {
        let expected = name.map { "Did you mean 'rncryptor \($0)'?" }
        #expect(Suggestion.forSubcommand(Word(word.utf8)) == expected, "\(word)")
    }

    /// One letter may be wrong in a name of four letters or fewer.
    @Test(
        arguments: [
            ("jbos", "jobs"), ("job", "jobs"), ("jox", nil), ("abc", "abd"), ("acc", nil),
        ] as [(String, String?)])
    func options(word: String, name: String?) {
        let options = [Option("jobs", ""), Option("abd", "")]
        #expect(Suggestion.forSpelling(word.utf8, among: options) == name.map { "Did you mean --\($0)?" }, "\(word)")
    }
}
