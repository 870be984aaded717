import Foundation
import Testing

/// The password prompt, with a terminal and somebody typing.
@Suite struct PromptTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
    }

    @Test func encryptAsksTwiceAndDecryptOnce() throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        #expect(!encrypt.echoes)
        encrypt.type("open sesame\n")
        try encrypt.wait(for: "once more: ")
        encrypt.type("open sesame\n")
        #expect(encrypt.finish() == 0)
        #expect(!encrypt.screen.contains("sesame"))

        let decrypt = try PseudoTerminal("$RNCRYPTOR decrypt message -o out", in: place.folder)
        try decrypt.wait(for: "Password: ")
        decrypt.type("open sesame\n")
        #expect(decrypt.finish() == 0)
        #expect(!decrypt.screen.contains("once more"))
        #expect(try place.read("out") == Data("attack at dawn".utf8))
    }

    @Test func theTwoEntriesMustBeTheSame() throws {
        let encrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try encrypt.wait(for: "Password: ")
        encrypt.type("open sesame\n")
        try encrypt.wait(for: "once more: ")
        encrypt.type("open semolina\n")
        try encrypt.wait(for: "the two passwords differ")
        #expect(encrypt.finish() == 64)
        #expect(!place.exists("message"))
    }

    @Test func anEmptyEntryIsRefused() throws {
        let decrypt = try PseudoTerminal("$RNCRYPTOR encrypt -o message plaintext", in: place.folder)
        try decrypt.wait(for: "Password: ")
        decrypt.type("\n")
        try decrypt.wait(for: "The password is empty")
        #expect(decrypt.finish() == 64)
    }

    @Test func interruptingBringsTheEchoBack() throws {
        let decrypt = try PseudoTerminal(
            "$RNCRYPTOR encrypt -o message plaintext; echo status $?; read line", in: place.folder)
        try decrypt.wait(for: "Password: ")
        #expect(!decrypt.echoes)
        decrypt.type("open\u{3}")
        // `sh` is interrupted as well, and may end before it says a word; the terminal is what counts.
        _ = decrypt.finish()
        #expect(decrypt.echoes)
        #expect(!place.exists("message"))
    }

    @Test func dataOnStandardInputLeavesThePromptToTheTerminal() throws {
        let encrypt = try PseudoTerminal("cat plaintext | $RNCRYPTOR encrypt > message", in: place.folder)
        try encrypt.wait(for: "Password: ")
        encrypt.type("open sesame\n")
        try encrypt.wait(for: "once more: ")
        encrypt.type("open sesame\n")
        #expect(encrypt.finish() == 0)
        try place.write("open sesame", to: "sesame")
        let plaintext = try place.succeed("$RNCRYPTOR decrypt --password-file sesame message")
        #expect(plaintext == Data("attack at dawn".utf8))
    }
}
