import CryptorFiles
import CryptorFormat
import Foundation
import Testing

@testable import CryptorCommand

/// Passwords and keys at their limits, and the two secrets of `rekey`.
@Suite struct SecretLimitTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
    }

    @Test func theLongestSecretFile() throws {
        try place.succeed("head -c 65536 /dev/zero | tr '\\0' p > long; { cat long; printf p; } > longer")
        try place.succeed("$RNCRYPTOR encrypt --password-file long -o other plaintext")
        try place.succeed("$RNCRYPTOR verify -q --password-fd 3 other 3< long")
        for source in ["--password-file longer", "--password-fd 3 3< longer", "--key-file longer"] {
            try place.fail("$RNCRYPTOR verify other \(source)", 65, saying: "It has more than 65536 bytes")
        }
    }

    @Test(arguments: ["-1", "2147483648", "4294967296", "3x", "''"]) func noDescriptor(number: String) throws {
        try place.fail(
            "$RNCRYPTOR verify --password-fd=\(number) message 3< password", 64,
            saying: "takes the number of a file descriptor")
    }

    /// An error about the new secret names the options for the new secret, and the message stays as it is.
    @Test(arguments: [
        ("--new-password-file key --new-key-file key", "--new-password-file and --new-key-file exclude each other"),
        ("--new-key-file key --generate-password", "--new-key-file and --generate-password exclude each other"),
        ("--new-password-env UNSET_VARIABLE", "the environment variable that --new-password-env names is not set"),
        ("--new-password-fd three", "--new-password-fd takes the number"),
        ("--new-password-fd=-1", "--new-password-fd takes the number"),
    ])
    func misuseOfTheNewSecret(words: String, complaint: String) throws {
        let before = try place.read("message")
        try place.fail("$RNCRYPTOR rekey --password-file password \(words) message", 64, saying: complaint)
        #expect(try place.read("message") == before)
    }

    @Test(arguments: ["--password-file wrong-password", "--password-env NAME", "--key-file key"])
    func aPasswordIsGivenOrGenerated(option: String) throws {
        try place.fail("$RNCRYPTOR encrypt \(option) --generate-password plaintext", 64, saying: "exclude each other")
    }

    /// In every subcommand, standard input cannot be both the data and one of the secrets.
    @Test(arguments: [
        "verify --password-file - -", "verify --key-file /dev/stdin -",
        "rekey --password-fd 0 --new-key-file key -o out -",
        "rekey --key-file key --new-password-file - -o out -", "rekey --key-file key --new-password-fd 0 -o out -",
    ])
    func theDataIsNoSecret(words: String) throws {
        try place.fail("cat message | $RNCRYPTOR \(words)", 64, saying: "standard input is the data")
        #expect(!place.exists("out"))
    }

    @Test func aGeneratedPasswordTakesThePlaceOfAnother() throws {
        let rekey = try PseudoTerminal(
            "$RNCRYPTOR rekey --password-file password --generate-password message", in: place.folder)
        try rekey.wait(for: "The password is ")
        #expect(rekey.finish() == 0, "\(rekey.everything)")
        let password = try #require(rekey.screen.split(whereSeparator: \.isWhitespace).first)
        try place.succeed("$RNCRYPTOR verify -q --password-env NEW message", environment: ["NEW": String(password)])
        try place.fail("$RNCRYPTOR verify --password-file password message", 77, saying: "The HMAC does not match")
    }

    /// The old password is asked for; only the new one is generated.
    @Test func rekeyGeneratesOnlyTheNewPassword() throws {
        let rekey = try PseudoTerminal("$RNCRYPTOR rekey --generate-password message", in: place.folder)
        try rekey.wait(for: "Password: ")
        rekey.type("correct horse battery staple\n")
        try rekey.wait(for: "The password is ")
        #expect(rekey.finish() == 0, "\(rekey.everything)")
        #expect(rekey.everything.ranges(of: "The password is ").count == 1, "\(rekey.everything)")
    }

    /// A generated password is shown only if it is used.
    @Test(arguments: [
        "rekey --password-file wrong-password message", "rekey --password-file password nothing",
        "rekey --password-file password plaintext", "rekey --password-file password nothing nobody",
        "rekey --password-file password -o key message", "rekey --password-file password -o no/out message",
        "encrypt --suffix .rnc nothing", "encrypt -o key plaintext", "encrypt -o no/out plaintext",
    ])
    func noPasswordIsShownInVain(words: String) throws {
        let command = try PseudoTerminal("$RNCRYPTOR \(words) --generate-password", in: place.folder)
        #expect(command.finish() != 0)
        #expect(!command.everything.contains("The password is"), "\(command.everything)")
    }

    /// The sentence names what was named twice, and not what would come of it.
    @Test(arguments: [
        ("rekey --password-file password --new-key-file key", "message"),
        ("encrypt --password-file password --suffix .rnc", "plaintext"),
    ])
    func namedTwice(words: String, name: String) throws {
        try place.fail(
            "$RNCRYPTOR \(words) \(name) \(name)", 64, saying: "\(name): It is named twice. Nothing was done.")
    }

    /// A key file has every bit of both keys, the encryption key first.
    @Test func aKeyFileHasAllOfItsKeys() throws {
        let encryption = (0..<32).map { UInt8($0 * 8 + $0 / 4) }
        let hmac = encryption.map { ~$0 }
        let expected = (encryption + hmac).map { String(format: "%02x", $0) }.joined() + "\n"
        let keys = try KeyPair(encryptionKey: encryption, hmacKey: hmac)
        #expect(String(decoding: KeyFile.text(keys), as: UTF8.self) == expected)
        let message = try Cryptor.encrypt([1, 2, 3], with: .keys(keys))
        let read = try KeyFile.credential(Array(expected.utf8), .path("key"))
        #expect(try Cryptor.decrypt(message, with: read) == [1, 2, 3])
    }

    @Test func keygenToStandardOutput() throws {
        let before = try place.names()
        #expect(try place.succeed("$RNCRYPTOR keygen -o -").count == 129)
        #expect(try place.names() == before, "no file is called '-'")
    }

    @Test(arguments: ["keygen", "manual"]) func noOperands(subcommand: String) throws {
        try place.fail("$RNCRYPTOR \(subcommand) x", 64, saying: "\(subcommand) takes no operands")
    }
}
