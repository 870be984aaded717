import Foundation
import CryptorTestSupport
import Testing

/// The output of `inspect`, to the letter: people compare salts with it, and programs read it as JSON.
@Suite struct InspectionTextTests {
    private let place: Workplace

    /// Bytes at the borders of one hex digit and two, and of digits and letters.
    private static let iv = "\\000\\001\\017\\020\\021\\251\\252\\253\\254\\255\\256\\257\\376\\377\\000\\001"

    /// No key fits these messages, but `inspect` asks for none.
    init() throws {
        place = try Workplace()
        try place.succeed(
            """
            { printf '\\003\\000\(Self.iv)'; head -c 48 /dev/zero; } > keys; base64 keys > text
            { printf '\\001\\002\\003\\004\\005\\006\\007\\010\\020\\021\\022\\023\\024\\025\\026\\027\(Self.iv)'
              head -c 48 /dev/zero; } > rest
            { printf '\\003\\001'; cat rest; } > password-message; { printf '\\000\\000'; cat rest; } > either
            """)
    }

    private func output(_ script: String) throws -> String {
        String(decoding: try place.succeed(script), as: UTF8.self)
    }

    private static let keys = """
          format          version 3
          encrypted with  keys
          IV              00010f1011a9aaabacadaeaffeff0001
          message         66 bytes
          plaintext       0 to 15 bytes
          shape           sound

        """

    /// There is an empty line between two files, and nowhere else.
    @Test func severalFiles() throws {
        let text = Self.keys.replacingOccurrences(of: "version 3", with: "version 3, as base64 text")
        #expect(
            try output("$RNCRYPTOR inspect keys text - < keys")
                == "keys\n\(Self.keys)\ntext\n\(text)\nstandard input\n\(Self.keys)")
    }

    /// Only in version 0 does a message not say whether it is for a password or for keys, and only there does the
    /// output give both readings.
    @Test func whatDependsOnTheCredential() throws {
        #expect(
            try output("$RNCRYPTOR inspect password-message") == """
                password-message
                  format           version 3
                  encrypted with   a password
                  encryption salt  0102030405060708
                  HMAC salt        1011121314151617
                  IV               00010f1011a9aaabacadaeaffeff0001
                  message          82 bytes
                  plaintext        0 to 15 bytes
                  shape            sound

                """)
        #expect(
            try output("$RNCRYPTOR inspect either") == """
                either
                  format           version 0
                  encrypted with   a password, or keys: version 0 does not say
                  password         may need --accept-shortened-passwords if it is not ASCII
                  encryption salt  0102030405060708 (if a password)
                  HMAC salt        1011121314151617 (if a password)
                  IV               00010f1011a9aaabacadaeaffeff0001 (if a password)
                                   01020304050607081011121314151617 (if keys)
                  message          82 bytes
                  plaintext        16 bytes (if a password) or 32 bytes (if keys)
                  shape            sound

                """)
    }

    private func object(_ script: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: place.succeed(script)) as? [String: Any])
    }

    /// An escaped name in JSON reads as the name that it was, with control characters, characters that turn a line
    /// around, and characters that need two escapes.
    @Test(arguments: ["plain", "a\u{1B}[2J\u{1}\n\u{7F}", "a\u{202E}cnr\u{2028}", "a\u{E0041}\u{F1234}", "\"\\é😀"])
    func namesInJSON(name: String) throws {
        try place.write(place.read("keys"), to: name)
        let object = try object("$RNCRYPTOR inspect --json \"\(shellWord(name))\"")
        #expect(object["file"] as? String == name)
        #expect(object["fileBytes"] == nil && object["descriptor"] == nil, "they are for what has no such name")
    }

    /// Escapes a name for double quotes of the shell.
    private func shellWord(_ name: String) -> String {
        name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    /// For a name that is not UTF-8 there are its bytes, and for standard input its descriptor.
    @Test func whatHasNoSuchName() throws {
        let bytes = try object("name=$(printf '\\017\\020\\021\\377'); cp keys $name; $RNCRYPTOR inspect --json $name")
        #expect(bytes["fileBytes"] as? String == "0f1011ff")
        let input = try object("$RNCRYPTOR inspect --json - < keys")
        #expect(input["descriptor"] as? Int == 0 && input["file"] == nil)
        #expect(input["iv"] as? String == "00010f1011a9aaabacadaeaffeff0001")
        #expect(input["messageByteCount"] as? Int == 66)
    }
}
