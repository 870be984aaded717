import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// Messages of versions 2, 1 and 0 through the command.
@Suite struct OldVersionCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    /// A few vectors of each version and mode, including bytes that a shell cannot pass on, such as NUL.
    private static func vectors() throws -> [ReadableVector] {
        let names = ["plaintext-16-bytes", "password-astral-utf16-units", "password-latin-code-points", "altered-iv"]
        let vectors = try VectorFolder.readable().filter { vector in
            vector.version != .v3 && names.contains { vector.name.hasSuffix("/\($0).json") }
        }
        let kinds = Set(vectors.map { "\($0.version), \($0.secret.isPassword)" })
        guard kinds.count == 6 else { throw PseudoTerminal.Failure(description: "not every kind: \(kinds)") }
        return vectors
    }

    @Test(arguments: try vectors())
    func readIfAccepted(_ vector: ReadableVector) throws {
        let secret = try place.option(for: vector.secret)
        try place.write(Data(vector.message), to: "message")
        try place.write(Data(vector.plaintext), to: "expected")
        if vector.version < .v2 {
            let refusal = try place.fail(
                "$RNCRYPTOR decrypt \(secret) message", 65,
                saying: "starts as \(vector.version), and only versions 3 and 2")
            #expect(refusal.complaint.contains("hint: --accept v1,v0 reads it"), "\(refusal.complaint)")
            try place.fail("$RNCRYPTOR rekey \(secret) --new-key-file key message", 65, saying: "starts as")
            try place.fail("$RNCRYPTOR verify \(secret) message", 65, saying: "starts as")
        }
        let option = vector.needsShortenedPassword ? Workplace.shortened : ""
        let accept = (vector.version < .v2 ? "--accept v\(vector.version.rawValue) " : "") + option
        try place.succeed("$RNCRYPTOR decrypt \(accept) \(secret) message | cmp - expected")
        try place.succeed("cat message | $RNCRYPTOR decrypt \(accept) \(secret) | cmp - expected")
        try place.succeed("$RNCRYPTOR decrypt \(accept) \(secret) -o out message && cmp out expected")
        try place.succeed("base64 message | $RNCRYPTOR decrypt --accept=1,0 \(option) \(secret) | cmp - expected")
        try place.succeed("$RNCRYPTOR verify -q \(accept) \(secret) message")

        try place.succeed("$RNCRYPTOR rekey \(accept) \(secret) --new-key-file key message")
        try place.succeed("$RNCRYPTOR decrypt --key-file key message | cmp - expected")
        let inspection = try place.succeed("$RNCRYPTOR inspect message")
        #expect(String(decoding: inspection, as: UTF8.self).contains("version 3"), "rekeyed")
    }

    @Test(arguments: try vectors())
    func inspected(_ vector: ReadableVector) throws {
        try place.write(Data(vector.message), to: "message")
        let text = String(decoding: try place.succeed("$RNCRYPTOR inspect message"), as: UTF8.self)
        let json = String(decoding: try place.succeed("$RNCRYPTOR inspect --json message"), as: UTF8.self)
        #expect(text.contains("\(vector.version)\n"), "\(text)")
        #expect(json.contains("\"version\":\(vector.version.rawValue),"), "\(json)")
        // In version 0, only the length can show that a message is not a password message.
        let mayBeEither = vector.version == .v0UnauthenticatedHeader && vector.message.count >= 66
        #expect(text.contains(" sound\n") && !text.contains("not sound"), "\(text)")
        if mayBeEither {
            let iv = vector.message[2..<18].map { String(format: "%02x", $0) }.joined()
            #expect(text.contains("version 0 does not say"), "\(text)")
            #expect(text.contains("\(vector.message.count - 66) bytes (if a password)"), "\(text)")
            #expect(text.contains("\(vector.message.count - 50) bytes (if keys)"), "\(text)")
            #expect(text.contains("\(iv) (if keys)"), "\(text)")
            #expect(json.contains("\"ivIfKeys\":\"\(iv)\""), "\(json)")
            #expect(!json.contains("credential"), "\(json)")
        } else {
            let kind = vector.secret.isPassword ? "password" : "keys"
            #expect(json.contains("\"credential\":\"\(kind)\""), "\(json)")
        }
        let mayNeedOption = vector.secret.isPassword || mayBeEither
        #expect(text.contains("may need \(Workplace.shortened) if it is not ASCII") == mayNeedOption, "\(text)")
        #expect(json.contains("\"mayNeedShortenedPassword\":\(mayNeedOption)"), "\(json)")
    }

    @Test func inspectedOfVersion3() throws {
        try place.succeed("echo text | $RNCRYPTOR encrypt --password-file password -o message")
        let text = String(decoding: try place.succeed("$RNCRYPTOR inspect message"), as: UTF8.self)
        let json = String(decoding: try place.succeed("$RNCRYPTOR inspect --json message"), as: UTF8.self)
        #expect(!text.contains("shortened") && json.contains("\"mayNeedShortenedPassword\":false"), "\(text)\(json)")
    }

    @Test(arguments: ["v5", "", "v1 v0", "v1,", "one"])
    func misuse(versions: String) throws {
        try place.fail("$RNCRYPTOR decrypt --key-file key --accept '\(versions)' key", 64, saying: "takes versions")
    }

    @Test func everyMessageOfAnotherWriter() throws {
        let messages = try VectorFolder.readable().filter { $0.peer != nil }
        #expect(messages.count >= 50)
        for message in messages {
            let secret = try place.option(for: message.secret)
            try place.write(Data(message.message), to: "message")
            try place.write(Data(message.plaintext), to: "expected")
            let accept = "--accept v1,v0 \(secret)"
            var option = ""
            if message.needsShortenedPassword {
                option = Workplace.shortened
                try place.fail("$RNCRYPTOR decrypt \(accept) message", 77, saying: "The HMAC does not match")
            }
            try place.succeed("$RNCRYPTOR decrypt \(accept) \(option) message | cmp - expected")
            try place.succeed("rm -f out && $RNCRYPTOR decrypt \(accept) \(option) -o out message && cmp out expected")
        }
    }
}

extension Workplace {
    /// The option for users who trust the place where old messages come from.
    static let shortened = "--accept-shortened-passwords"

    /// Writes the secret that opens a message to a file, and returns the option that names the file.
    func option(for secret: Secret) throws -> String {
        switch secret {
        case .password(let text):
            try write(text, to: "secret")
            return "--password-file secret"
        case .keys(let encryption, let hmac):
            try write((encryption + hmac).map { String(format: "%02x", $0) }.joined(), to: "secret")
            return "--key-file secret"
        }
    }
}
