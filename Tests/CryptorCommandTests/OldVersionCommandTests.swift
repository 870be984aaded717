import CryptorFormat
import Foundation
import TestSupport
import Testing

/// Messages of versions 2, 1 and 0 through the command.
@Suite struct OldVersionCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    /// Writes what the command is given to open a message: the option that names it.
    private func option(for secret: Secret) throws -> String {
        switch secret {
        case .password(let text):
            try place.write(text, to: "secret")
            return "--password-file secret"
        case .keys(let encryption, let hmac):
            try place.write((encryption + hmac).map { String(format: "%02x", $0) }.joined(), to: "secret")
            return "--key-file secret"
        }
    }

    private static let option = "--accept-shortened-passwords"

    /// A few of each version and mode: what a shell cannot pass on, such as NUL, included.
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
        let secret = try option(for: vector.secret)
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
        let option = vector.needsShortenedPassword ? Self.option : ""
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
        if vector.version == .v0UnauthenticatedHeader {
            #expect(text.contains("version 0 does not say"), "\(text)")
            #expect(!json.contains("credential"), "\(json)")
        } else {
            let kind = vector.secret.isPassword ? "password" : "keys"
            #expect(json.contains("\"credential\":\"\(kind)\""), "\(json)")
        }
        // Version 0 does not say that it is no password message.
        let mayNeedOption = vector.secret.isPassword || vector.version == .v0UnauthenticatedHeader
        #expect(text.contains("may need \(Self.option) if it is not ASCII") == mayNeedOption, "\(text)")
        #expect(json.contains("\"mayNeedShortenedPassword\":\(mayNeedOption)"), "\(json)")
    }

    @Test func inspectedOfVersion3() throws {
        try place.succeed("echo text | $RNCRYPTOR encrypt --password-file password -o message")
        let text = String(decoding: try place.succeed("$RNCRYPTOR inspect message"), as: UTF8.self)
        let json = String(decoding: try place.succeed("$RNCRYPTOR inspect --json message"), as: UTF8.self)
        #expect(!text.contains("shortened") && json.contains("\"mayNeedShortenedPassword\":false"), "\(text)\(json)")
    }

    // MARK: Passwords of which only the beginning was used

    private struct Shortened: Sendable, CustomTestStringConvertible {
        let name: String
        let secret: Secret
        let message: [UInt8]
        let plaintext: [UInt8]

        var testDescription: String { name }
    }

    /// Of each version what a writer shortened, and each forgery.
    private static func shortened() throws -> [Shortened] {
        let written = try VectorFolder.readable()
            .filter { $0.needsShortenedPassword && $0.name.hasSuffix("/password-astral-utf16-units.json") }
            .map { Shortened(name: $0.name, secret: $0.secret, message: $0.message, plaintext: $0.plaintext) }
        let forged = try VectorFolder.refused().compactMap { vector in
            vector.forgedPlaintext.map {
                Shortened(name: vector.name, secret: vector.secret, message: vector.message, plaintext: $0)
            }
        }
        guard written.count == 3, forged.count == 15 else {
            throw PseudoTerminal.Failure(description: "\(written.count) written, \(forged.count) forged")
        }
        return written + forged
    }

    @Test(arguments: try shortened())
    private func refusedUnlessAskedForByName(_ vector: Shortened) throws {
        let secret = try option(for: vector.secret)
        try place.write(Data(vector.message), to: "message")
        try place.write(Data(vector.plaintext), to: "expected")
        try place.write("sound\n", to: "sound")
        try place.succeed(
            "$RNCRYPTOR encrypt --lines \(secret) < sound > lines && base64 -w 0 message >> lines && echo >> lines")
        let files = try place.names()
        for command in [
            "decrypt --accept 1,0 \(secret) message", "decrypt --accept 1,0 \(secret) < message",
            "decrypt --accept 1,0 \(secret) -o out message", "verify --accept 1,0 \(secret) message",
            "rekey --accept 1,0 \(secret) --new-key-file key message",
        ] {
            let refusal = try place.fail("$RNCRYPTOR \(command)", 77, saying: "The HMAC does not match")
            #expect(refusal.complaint.contains("hint: \(Self.option) reads"), "\(refusal.complaint)")
        }
        let lines = try place.shell("$RNCRYPTOR decrypt --lines --accept 1,0 \(secret) < lines")
        #expect(lines.status == 65 && lines.output == Data("sound\n".utf8), "\(lines.complaint)")
        #expect(lines.complaint.contains("line 2: The HMAC does not match"), "\(lines.complaint)")
        #expect(lines.complaint.contains("hint: \(Self.option) reads"), "\(lines.complaint)")
        #expect(try place.names() == files && place.read("message") == Data(vector.message))

        let accept = "--accept 1,0 \(Self.option) \(secret)"
        try place.succeed("$RNCRYPTOR decrypt \(accept) message | cmp - expected")
        try place.succeed("$RNCRYPTOR decrypt \(accept) -o out message && cmp out expected")
        try place.succeed("$RNCRYPTOR verify -q \(accept) message")
        if !vector.plaintext.contains(10) {
            try place.succeed(
                "{ cat sound expected; echo; } > plain; $RNCRYPTOR decrypt --lines \(accept) < lines | cmp - plain")
        }
        // The new message is one of version 3, under all bytes of the same password.
        try place.succeed("$RNCRYPTOR rekey \(accept) --new-\(secret.dropFirst(2)) message")
        try place.succeed("$RNCRYPTOR decrypt \(secret) message | cmp - expected")
    }

    /// The hint is for those whom the option may help.
    @Test func theHintDependsOnVersionAndPasswordAlone() throws {
        let salts = Header.Salts(encryption: Array(1...8), hmac: Array(2...9))
        for version in FormatVersion.allCases {
            let header = Header(version: version, salts: salts, iv: Array(3...18))
            let message = try Cryptor.encrypt([1, 2, 3], with: .password("another"), header: header)
            try place.write(Data(message), to: "message")
            for (password, isASCII) in [("correct horse", true), ("p\u{e4}ssword", false)] {
                try place.write(password, to: "secret")
                let refusal = try place.fail(
                    "$RNCRYPTOR verify --accept 1,0 --password-file secret message", 77,
                    saying: "The HMAC does not match")
                let isNamed = version != .v3 && !isASCII
                #expect(refusal.complaint.contains(Self.option) == isNamed, "\(version): \(refusal.complaint)")
                let accepting = try place.fail(
                    "$RNCRYPTOR verify --accept 1,0 \(Self.option) --password-file secret message", 77,
                    saying: "The HMAC does not match")
                #expect(!accepting.complaint.contains("hint"), "\(version): \(accepting.complaint)")
            }
        }
    }

    @Test func theOptionIsForReading() throws {
        try place.fail("$RNCRYPTOR encrypt \(Self.option) --key-file key password", 64, saying: "unknown option")
        for subcommand in ["decrypt", "verify", "rekey"] {
            let help = String(decoding: try place.succeed("$RNCRYPTOR \(subcommand) --help"), as: UTF8.self)
            #expect(help.contains(Self.option) && help.contains("forge"), "\(help)")
        }
    }

    @Test(arguments: ["v5", "", "v1 v0", "v1,", "one"])
    func misuse(versions: String) throws {
        try place.fail("$RNCRYPTOR decrypt --key-file key --accept '\(versions)' key", 64, saying: "takes versions")
    }

    /// Longer than what a stream holds back: as a file there is no limit.
    @Test func aLongMessageUnderAPasswordThatIsNotASCII() throws {
        let password = Array("中文密码".utf8)
        let plaintext = [UInt8](repeating: 7, count: 70 << 20)
        let salts = Header.Salts(encryption: Array(1...8), hmac: Array(2...9))
        let header = Header(version: .v2, salts: salts, iv: Array(3...18))
        try place.write(
            Data(try Cryptor.encrypt(plaintext, with: .password(utf8: password.prefix(4)), header: header)),
            to: "message")
        try place.write(Data(password), to: "secret")
        for command in [
            "decrypt OPTION --password-file secret message", "decrypt OPTION --password-file secret < message",
            "decrypt OPTION --password-file secret message -o out && cat out",
        ] {
            let command = command.replacingOccurrences(of: "OPTION", with: Self.option)
            let sum = try place.succeed("$RNCRYPTOR \(command) | cksum")
            let expected = try place.succeed("head -c 73400320 /dev/zero | tr '\\000' '\\007' | cksum")
            #expect(sum == expected, "\(command)")
        }
    }

    @Test(.enabled(if: ExtraVectors.areGiven, "CRYPTORFORMAT_EXTRA_VECTORS names no folder"))
    func everyInteropMessage() throws {
        let messages = try InteropMessage.all()
        #expect(messages.count >= 52)
        for message in messages {
            let secret = try option(for: message.secret)
            try place.write(Data(message.message), to: "message")
            try place.write(Data(message.plaintext), to: "expected")
            let accept = "--accept v1,v0 \(secret)"
            var option = ""
            if message.needsShortenedPassword {
                option = Self.option
                try place.fail("$RNCRYPTOR decrypt \(accept) message", 77, saying: "The HMAC does not match")
            }
            try place.succeed("$RNCRYPTOR decrypt \(accept) \(option) message | cmp - expected")
            try place.succeed("rm -f out && $RNCRYPTOR decrypt \(accept) \(option) -o out message && cmp out expected")
        }
    }
}
