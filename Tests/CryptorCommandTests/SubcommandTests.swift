import Foundation
import Testing

/// verify, inspect, rekey and keygen.
@Suite struct SubcommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.write("attack at dawn", to: "plaintext")
        try place.succeed("$RNCRYPTOR encrypt --password-file password -o message plaintext")
        try place.succeed("$RNCRYPTOR encrypt --key-file key -o key-message plaintext")
        try place.succeed("$RNCRYPTOR encrypt --base64 --password-file password -o text plaintext")
    }

    private func output(_ script: String) throws -> String {
        String(decoding: try place.succeed(script), as: UTF8.self)
    }

    // MARK: verify

    @Test func verifyNamesWhatIsAuthentic() throws {
        let lines = try output("cat message | $RNCRYPTOR verify --jobs 1 --password-file password message text -")
        #expect(
            lines == """
                message: authentic, 14 bytes of plaintext
                text: authentic, 14 bytes of plaintext
                standard input: authentic, 14 bytes of plaintext

                """)
        #expect(try output("$RNCRYPTOR verify -q --password-file password message").isEmpty)
    }

    /// The exit status is that of the first failure, in the order of the files.
    @Test(arguments: [
        ("message bad nowhere", 77), ("message nowhere bad", 66), ("key-message message bad", 65), ("bad", 77),
        ("nowhere key-message bad message", 66),
    ])
    func verifyFails(files: String, status: Int32) throws {
        try place.succeed("{ cat message; head -c 16 /dev/zero; } > bad")
        let outcome = try place.shell("$RNCRYPTOR verify --password-file password \(files)")
        #expect(outcome.status == status)
        for file in files.split(separator: " ") {
            let text = file == "message" ? String(decoding: outcome.output, as: UTF8.self) : outcome.complaint
            #expect(text.contains("\(file): "), "\(file): \(text)")
        }
    }

    // MARK: inspect

    @Test func inspectShowsWhatIsPlain() throws {
        let message = [UInt8](try place.read("message"))
        func hex(_ range: Range<Int>) -> String { message[range].map { String(format: "%02x", $0) }.joined() }
        let shown = try output("$RNCRYPTOR inspect message")
        for words in [
            "version 3", "a password", hex(2..<10), hex(10..<18), hex(18..<34), "82 bytes", "0 to 15 bytes", "sound",
        ] {
            #expect(shown.contains(words), "\(words): \(shown)")
        }
        #expect(try output("$RNCRYPTOR inspect key-message").contains("keys"))
        #expect(try output("$RNCRYPTOR inspect key-message").contains("encrypted with  keys\n"))
        #expect(try output("$RNCRYPTOR inspect message").contains("encrypted with   a password\n"))
        #expect(try output("$RNCRYPTOR inspect text").contains("version 3, as base64 text"))
    }

    @Test func inspectAsJSON() throws {
        try place.succeed(
            "cp message 'with \"quotes\" and \\'; head -c 83 message > short; head -c 100 /dev/zero | tr '\\000' x > none"
        )
        try place.succeed("{ cat message; printf 1; } > odd")
        let outcome = try place.shell(
            "$RNCRYPTOR inspect --json message key-message 'with \"quotes\" and \\' text odd none")
        #expect(outcome.status == 65)
        let objects = try outcome.output.split(separator: UInt8(ascii: "\n")).map {
            try #require(try JSONSerialization.jsonObject(with: $0) as? [String: Any])
        }
        #expect(
            objects.map { $0["file"] as? String } == [
                "message", "key-message", "with \"quotes\" and \\", "text", "odd", "none",
            ])
        #expect(objects.map { $0["shapeIsSound"] as? Bool } == [true, true, true, true, false, false])
        #expect(
            objects.map { $0["error"] as? String } == [
                nil, nil, nil, nil, "invalidMessageLength", "unsupportedVersion",
            ])
        #expect(objects.map { $0["base64"] as? Bool } == [false, false, false, true, false, nil])
        #expect(objects[0]["version"] as? Int == 3)
        #expect(objects[0]["credential"] as? String == "password")
        #expect(objects[1]["credential"] as? String == "keys")
        #expect(objects[1]["encryptionSalt"] == nil)
        #expect(objects[0]["minimumPlaintextByteCount"] as? Int == 0)
        #expect(objects[0]["maximumPlaintextByteCount"] as? Int == 15)
        #expect((objects[0]["hmacSalt"] as? String)?.count == 16)
    }

    // MARK: rekey

    @Test func rekeyReplacesTheMessage() throws {
        try place.succeed("chmod 640 message")
        try place.succeed("$RNCRYPTOR rekey --password-file password --new-key-file key message")
        #expect(try output("$RNCRYPTOR decrypt --key-file key message") == "attack at dawn")
        #expect(try output("stat -c %a message") == "640\n")
        try place.succeed(
            "$RNCRYPTOR rekey --key-file key --new-password-env NEW -o other message", environment: ["NEW": "x"])
        try place.succeed("$RNCRYPTOR verify -q --key-file key message")
        #expect(
            try place.succeed("$RNCRYPTOR decrypt --password-env NEW other", environment: ["NEW": "x"])
                == Data("attack at dawn".utf8))
        try place.succeed("$RNCRYPTOR rekey --password-fd 3 --new-password-fd 4 text 3<password 4<wrong-password")
        #expect(try output("$RNCRYPTOR decrypt --password-file wrong-password text") == "attack at dawn")
        #expect(try output("$RNCRYPTOR inspect text").contains("as base64 text"))
    }

    @Test func rekeyThroughPipes() throws {
        let out = "cat message | $RNCRYPTOR rekey --password-file password --new-key-file key -o - -"
        #expect(try output("\(out) | $RNCRYPTOR decrypt --key-file key") == "attack at dawn")
    }

    @Test func rekeyChangesNothingIfItFails() throws {
        let before = try place.read("message")
        try place.fail(
            "$RNCRYPTOR rekey --password-file wrong-password --new-key-file key message", 77,
            saying: "message: The HMAC")
        try place.fail(
            "$RNCRYPTOR rekey --password-file password --new-key-file key -o plaintext message", 73,
            saying: "plaintext: It exists")
        try place.fail("$RNCRYPTOR rekey --password-file password --new-key-file key", 64, saying: "no FILE is given")
        try place.fail(
            "$RNCRYPTOR rekey --password-file password --new-key-file key -", 64, saying: "needs an --output")
        #expect(try place.read("message") == before)
    }

    // MARK: keygen

    @Test func keygenMakesAKeyFile() throws {
        try place.succeed("umask 0; $RNCRYPTOR keygen -o fresh")
        let text = String(decoding: try place.read("fresh"), as: UTF8.self)
        #expect(text.count == 129 && text.dropLast().allSatisfy { "0123456789abcdef".contains($0) }, "\(text)")
        #expect(try output("stat -c %a fresh") == "600\n")
        #expect(try output("$RNCRYPTOR keygen") != text)
        try place.succeed("$RNCRYPTOR encrypt --key-file fresh plaintext | $RNCRYPTOR verify -q --key-file fresh -")
        try place.fail("$RNCRYPTOR keygen -o fresh", 73, saying: "fresh: It exists and was not touched. keygen")
        #expect(try place.read("fresh") == Data(text.utf8))
        try place.fail("$RNCRYPTOR keygen > /dev/full", 74, saying: "No space left")
    }
}
