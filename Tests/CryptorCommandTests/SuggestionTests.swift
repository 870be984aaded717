import Foundation
import Testing

/// Hints for people who know other programs, or mistype a word.
@Suite struct SuggestionTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private static let secrets = [
        "encrypt --password secret", "encrypt --password=secret", "encrypt --passphrase=secret plaintext",
        "encrypt -p secret", "encrypt -psecret", "decrypt -pass pass:secret", "verify -k secret message",
    ]

    /// A secret among the words is not shown again.
    @Test(arguments: secrets) func noSecretIsAWord(words: String) throws {
        let complaint = try place.fail("$RNCRYPTOR \(words)", 64, saying: "--password-file").complaint
        #expect(!complaint.contains("secret"), "\(complaint)")
        #expect(complaint.contains("unknown option '-"))
    }

    @Test(arguments: [
        ("encrypt -a plaintext", "--base64"), ("encrypt --armor plaintext", "--base64"),
        ("encrypt --out there plaintext", "--output FILE"), ("encrypt -out there plaintext", "--output FILE"),
        ("encrypt -out=there plaintext", "--output FILE"), ("encrypt -in plaintext", "without an option"),
        ("encrypt --key key plaintext", "--key-file FILE"), ("decrypt -i key message", "without an option"),
        ("encrypt --recipient me plaintext", "no recipients"), ("encrypt -c plaintext", "'rncryptor encrypt' encrypts"),
        ("encrypt -V", "'rncryptor --version'"), ("encrypt -aes-256-cbc plaintext", "AES-256-CBC"),
        ("encrypt --stdout plaintext", "standard output"), ("encrypt --rm plaintext", "--remove-source"),
        ("encrypt --force --pasword-file secret", "Did you mean --password-file?"),
        ("encrypt --forc", "Did you mean --force?"), ("encrypt --ouptut=x", "Did you mean --output?"),
        ("encrypt --bsae64", "Did you mean --base64?"),
        ("encrpyt plaintext", "Did you mean 'rncryptor encrypt'?"), ("verfy", "Did you mean 'rncryptor verify'?"),
        ("inspct x", "Did you mean 'rncryptor inspect'?"), ("enc -in plaintext", "'rncryptor encrypt'"),
        ("-e plaintext", "'rncryptor encrypt'"), ("-d message", "'rncryptor decrypt'"), ("-V", "--version"),
        // No right word is near these.
        ("encrypt --colour", "Usage: rncryptor encrypt"), ("frobnicate", "Usage: rncryptor SUBCOMMAND"),
        ("\(String(repeating: "encrypt", count: 9000))", "Usage: rncryptor SUBCOMMAND"), ("''", "Usage: rncryptor"),
        // A word after "--" is an operand.
        ("encrypt --key-file key -o out -- -p", "It cannot be opened"),
    ])
    func habits(words: String, hint: String) throws {
        try place.write("attack at dawn", to: "plaintext")
        let before = try place.names()
        let outcome = try place.shell("$RNCRYPTOR \(words)")
        #expect([64, 66].contains(outcome.status))
        #expect(outcome.complaint.contains(hint), "\(words.prefix(40)): \(outcome.complaint)")
        #expect(try place.names() == before)
    }

    /// An option that exists is not taken for a slip.
    @Test func whatIsAnOptionWorks() throws {
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o message plaintext")
        let plaintext = try place.succeed("$RNCRYPTOR decrypt --base64 --key-file key message")
        #expect(plaintext == Data("attack at dawn".utf8))
        try place.fail(
            "setsid -w $RNCRYPTOR rekey --key-file key message", 64, saying: "--new-password-file")
    }
}
