import CryptorFiles
import CryptorFormat
import Foundation
import CryptorTestSupport
import Testing

/// The command reads messages under the beginning of a password, from writers of old versions and from forgers.
@Suite struct ShortenedPasswordCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private struct Shortened: Sendable, CustomTestStringConvertible {
        let name: String
        let secret: Secret
        let message: [UInt8]
        let plaintext: [UInt8]

        var testDescription: String { name }
    }

    /// The message of each version whose writer shortened the password, and each forgery.
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
        let secret = try place.option(for: vector.secret)
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
            #expect(refusal.complaint.contains("hint: \(Workplace.shortened) reads"), "\(refusal.complaint)")
        }
        let lines = try place.shell("$RNCRYPTOR decrypt --lines --accept 1,0 \(secret) < lines")
        #expect(lines.status == 65 && lines.output == Data("sound\n".utf8), "\(lines.complaint)")
        #expect(lines.complaint.contains("line 2: The HMAC does not match"), "\(lines.complaint)")
        #expect(lines.complaint.contains("hint: \(Workplace.shortened) reads"), "\(lines.complaint)")
        #expect(try place.names() == files && place.read("message") == Data(vector.message))

        let accept = "--accept 1,0 \(Workplace.shortened) \(secret)"
        try place.succeed("$RNCRYPTOR decrypt \(accept) message | cmp - expected")
        try place.succeed("$RNCRYPTOR decrypt \(accept) -o out message && cmp out expected")
        // A message that can be read only once is kept until it is known which password was meant.
        try place.succeed("cat message | $RNCRYPTOR decrypt \(accept) | cmp - expected")
        try place.succeed("cat message | $RNCRYPTOR decrypt \(accept) -o piped && cmp piped expected && rm piped")
        try place.succeed("$RNCRYPTOR verify -q \(accept) message")
        if !vector.plaintext.contains(10) {
            try place.succeed(
                "{ cat sound expected; echo; } > plain; $RNCRYPTOR decrypt --lines \(accept) < lines | cmp - plain")
        }
        // The new message is one of version 3, under all bytes of the same password.
        try place.succeed("$RNCRYPTOR rekey \(accept) --new-\(secret.dropFirst(2)) message")
        try place.succeed("$RNCRYPTOR decrypt \(secret) message | cmp - expected")
    }

    /// The hint appears only where the option may help.
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
                #expect(refusal.complaint.contains(Workplace.shortened) == isNamed, "\(version): \(refusal.complaint)")
                let accepting = try place.fail(
                    "$RNCRYPTOR verify --accept 1,0 \(Workplace.shortened) --password-file secret message", 77,
                    saying: "The HMAC does not match")
                #expect(!accepting.complaint.contains("hint"), "\(version): \(accepting.complaint)")
            }
        }
    }

    @Test func theOptionIsForReading() throws {
        try place.fail(
            "$RNCRYPTOR encrypt \(Workplace.shortened) --key-file key password", 64, saying: "unknown option")
        for subcommand in ["decrypt", "verify", "rekey"] {
            let help = String(decoding: try place.succeed("$RNCRYPTOR \(subcommand) --help"), as: UTF8.self)
            #expect(help.contains(Workplace.shortened) && help.contains("forge"), "\(help)")
        }
    }

    /// A message that is longer than what a stream holds back can be read as a file, which has no limit.
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
            let command = command.replacingOccurrences(of: "OPTION", with: Workplace.shortened)
            let sum = try place.succeed("$RNCRYPTOR \(command) | cksum")
            let expected = try place.succeed("head -c 73400320 /dev/zero | tr '\\000' '\\007' | cksum")
            #expect(sum == expected, "\(command)")
        }
    }
}
