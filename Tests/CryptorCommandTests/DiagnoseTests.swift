import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorCommand

/// `rncryptor diagnose` names what went wrong, and nothing else. `diagnose.txt` has more, and what
/// people read.
@Suite struct DiagnoseTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let cause: Cause
        let message: [UInt8]
        /// A password, or the text of keys for the option `--key-file`.
        var given = bytes("Secret 7")
        var options = "--password-file"
        var testDescription: String { "\(cause.rawValue) \(message.shortHex) \(options)" }
    }

    private struct Answer: Decodable {
        let file: String, advice: String, possible: [String]
        let cause: String?
    }

    private static let keyText = (0..<64).map { UInt8($0).hexadecimal }.joined()

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The IV ends in the only CR LF of the message.
    private static func message(
        _ password: [UInt8]?, _ version: UInt8 = 3, iterations: Int = 10_000,
        of plaintext: [UInt8] = bytes("7")
    ) throws -> [UInt8] {
        let (salt, iv) = ([UInt8](2...9), [UInt8](14...27) + [13, 10])
        var credential = Credential.keys(try MessageKeys(hexadecimal: keyText))
        if let password {
            credential =
                try password.isEmpty
                ? .emptyPassword : .password(utf8: password, iterations: iterations)
        }
        let salts = password.map { _ in MessageHeader.Salts(encryption: salt, hmac: salt) }
        guard let version = FormatVersion(rawValue: version) else {
            return try Version0Writer(salts: salts, iv: iv).message(of: plaintext, with: credential)
        }
        return try Cryptor.encrypt(
            plaintext, with: credential,
            header: MessageHeader(version: version, salts: salts, iv: iv))
    }

    private static let versions = FormatVersion.allCases.map(\.rawValue) + [0]

    private static func passwords() throws -> [Mistake] {
        func inUTF16(_ text: String) -> [UInt8] {
            text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        let utf16 = inUTF16("Secret 7")
        let all: [(Cause, [UInt8], [UInt8])] =
            [
                (.passwordLatin1, [0x47, 0xFC, 0xE9], bytes("G\u{FC}\u{E9}")),
                (.passwordLatin1, [0x47, 0xFC, 0xE9], bytes("Gu\u{308}e\u{301}")),
                (.passwordLatin1, bytes("G\u{C3}\u{BC}"), bytes("G\u{FC}")),
                (.passwordUTF16, utf16, bytes("Secret 7")),
                (.passwordUTF16, bytes("Secret 7"), [0xFF, 0xFE] + utf16),
                (.passwordUTF16, [0xFF, 0xFE] + utf16, bytes("Secret 7")),
                (.passwordUTF16, bytes("Se\u{160}"), inUTF16("Se\u{160}")),
                (.passwordUTF16, inUTF16("Se\u{161}"), bytes("Se\u{161}")),
            ]
            + [
                (.passwordNewline, "Secret 7\n", "Secret 7"),
                (.passwordNewline, "Secret 7", "Secret 7\r\n"),
                (.passwordSpace, "Secret 7 ", "Secret 7"), (.passwordSpace, "Secret7", "Secret 7"),
                (.passwordByteOrderMark, "\u{FEFF}Secret", "Secret"),
                (.passwordByteOrderMark, "Secret", "\u{FEFF}Secret"),
                (.passwordNFC, "G\u{FC}\u{E9}", "Gu\u{308}e\u{301}"),
                (.passwordNFD, "Gu\u{308}e\u{301}", "G\u{FC}\u{E9}"),
                (.passwordQuoted, "\"Secret 7\"", "Secret 7"),
                (.passwordQuoted, "Secret 7", "'Secret 7'"),
                (.passwordCase, "sECRET 7", "Secret 7"), (.passwordCase, "secret 7", "Secret 7"),
                (.passwordCase, "Zz@", "zZ@"),
                (.passwordLatin1, "\u{C3}\u{80}\u{7F}", "\u{C0}\u{7F}"),
                (.passwordCase, "SECR\u{C9}T", "secr\u{E9}t"),
                (.passwordShortened, "Secret", "Secret\0 7"), (.passwordEmpty, "", "Secret 7"),
            ].map { ($0, bytes($1), bytes($2)) }
        let ofPorts = try VectorDirectory.readable().compactMap { vector -> Mistake? in
            guard vector.peer != nil, case .password(let text, let iterations) = vector.secret
            else { return nil }
            guard vector.needsShortenedPassword else {
                let cause = iterations == 10_000 ? nil : Cause.iterations
                return cause.map { Mistake(cause: $0, message: vector.message, given: bytes(text)) }
            }
            return Mistake(
                cause: .passwordShortened, message: vector.message, given: bytes(text),
                options: "--iterations \(iterations) --password-file")
        }
        return try ofPorts
            + all.flatMap { (cause, written, given) in
                try versions.map {
                    Mistake(cause: cause, message: try message(written, $0), given: given)
                }
            }
            + [1, 1024, 65_536].map {
                Mistake(cause: .iterations, message: try message(bytes("Secret 7"), iterations: $0))
            }
    }

    private static func texts() throws -> [Mistake] {
        try ["Secret 7", "Secret 7\n"].flatMap { password -> [Mistake] in
            let message = try message(bytes(password), of: [UInt8](0...255))
            let line = Data(message).base64EncodedString()
            let texts: [(Cause, String)] = [
                (.base64, line),
                (.base64, Data(message).base64EncodedString(options: .lineLength76Characters)),
                (
                    .base64URL,
                    line.replacing("+", with: "-").replacing("/", with: "_").replacing(
                        "=", with: "")
                ),
                (.base64Spaces, line.replacing("+", with: " ")),
                (.hex, message.map(\.hexadecimal).joined() + "\n"),
                (
                    .jsonString,
                    "\"\(line.replacing("/", with: "\\/").replacing("+", with: "\\u002B"))\"\n"
                ),
            ]
            return texts.map { Mistake(cause: $0, message: bytes($1)) }
        }
    }

    private static func damages() throws -> [Mistake] {
        let (v3, ofKeys, keys) = (try message(bytes("Secret 7")), try message(nil), bytes(keyText))
        let v1 = try message(bytes("Secret 7"), 1)
        func withKeys(_ cause: Cause, _ message: [UInt8], given: [UInt8] = keys) -> Mistake {
            Mistake(cause: cause, message: message, given: given, options: "--key-file")
        }
        return [
            Mistake(cause: .truncated, message: v3.dropLast(5)),
            Mistake(cause: .truncated, message: []),
            Mistake(cause: .truncated, message: [3, 0]),
            Mistake(cause: .truncated, message: Array(v3.prefix(10))),
            Mistake(cause: .truncated, message: v1.dropLast(5)),
            withKeys(.needsPassword, v1),
            withKeys(.truncated, Array(ofKeys.prefix(40))),
            Mistake(cause: .foreign, message: [0x1F, 0x8B, 8] + v3),
            Mistake(cause: .utf8Damaged, message: bytes(String(decoding: v3, as: UTF8.self))),
            Mistake(
                cause: .latin1AsUTF8, message: v3.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
            ),
            Mistake(cause: .onlyZeros, message: [UInt8](repeating: 0, count: 4096)),
            Mistake(cause: .textMode, message: Array(v3[..<32] + v3[33...])),
            withKeys(.textMode, withCarriageReturns(ofKeys)),
            withKeys(.textMode, withCarriageReturns(try messageOfTwoLines())),
            Mistake(cause: .needsKeys, message: ofKeys), withKeys(.needsPassword, v3),
            withKeys(.keysSwapped, ofKeys, given: keys.suffix(64) + keys.prefix(64)),
            Mistake(cause: .keysAsPassword, message: ofKeys, given: keys),
            withKeys(.keysAsPassword, try message(bytes(keyText))),
            Mistake(cause: .versionNotAccepted, message: v1),
            withKeys(.versionNotAccepted, try message(nil, 0)),
        ]
            + (try versions.map {
                withKeys(.trailingNewline, try message(nil, $0) + [10])
            })
    }

    private static func withCarriageReturns(_ message: [UInt8]) -> [UInt8] {
        message.flatMap { $0 == 10 ? [13, 10] : [$0] }
    }

    /// A message under keys with a single line feed.
    private static func messageOfTwoLines() throws -> [UInt8] {
        let keys = Credential.keys(try MessageKeys(hexadecimal: keyText))
        for first in UInt8(32)...255 {
            let iv = (0..<16).map { first &+ $0 }
            let message = try Cryptor.encrypt(
                [7], with: keys, header: MessageHeader(salts: nil, iv: iv))
            if message.count(where: { $0 == 10 }) == 1, !message.contains(13) { return message }
        }
        throw CocoaError(.featureUnsupported)
    }

    private static let mistakes = Result { try passwords() + texts() + damages() }

    @Test(arguments: try mistakes.get()) func names(_ mistake: Mistake) throws {
        let place = try Workplace()
        try place.write(Data(mistake.message), to: "\"m")
        try place.write("", toPrivate: "given")
        try FileHandle(forWritingTo: place.directory.appendingPathComponent("given"))
            .write(contentsOf: mistake.given + [10])
        let outcome = try place.shell("$RNCRYPTOR diagnose --json \(mistake.options) given '\"m'")
        let answer = try JSONDecoder().decode(Answer.self, from: outcome.output)
        #expect(outcome.status == 0 && answer.cause == mistake.cause.rawValue, "\(answer)")
        // A password with a newline in it has several lines.
        let isWarned = mistake.options.hasSuffix("--password-file") && mistake.given.contains(10)
        let warning = isWarned ? "rncryptor: warning: given: It has several lines" : ""
        #expect(outcome.complaint.hasPrefix(warning), "\(outcome.complaint)")
        #expect(outcome.complaint.isEmpty != isWarned, "\(outcome.complaint)")
        #expect(
            answer.file == "$'\"m'" && answer.advice.hasSuffix(".")
                && !answer.possible.contains("\(answer.cause ?? "")"))
        if answer.cause?.hasPrefix("password-") == true {
            #expect(answer.advice.contains("--accept v") == (mistake.message[0] < 2), "\(answer)")
        }
        // Neither secret is shown.
        let text = String(decoding: outcome.output, as: UTF8.self) + outcome.complaint
        #expect(
            !["ecret 7", "ECRE", Self.keyText.prefix(8), "G\u{FC}"].contains { text.contains($0) },
            "\(text)")
    }

    @Test(arguments: [3, 2] as [UInt8]) func opens(version: UInt8) throws {
        let found = try Examination([.password("a")], iterationsUpTo: 0).diagnosis(
            of: Self.message([97], version))
        #expect(found.opens && found.cause == nil && found.advice.hasPrefix("It opens as it is."))
    }

    @Test func usualIterations() throws {
        let suspects = try Credential.password("a", iterations: 7).suspects(
            iterationsUpTo: 10_000_000)
        #expect(
            suspects.filter { $0.cause == .iterations }.compactMap {
                $0.credential.password?.iterations
            } == [
                1, 10, 100, 500, 1000, 1024, 2000, 2048, 4000, 4096, 5000, 8192, 10_000, 20_000,
                50_000, 65_536,
                100_000,
                120_000, 131_072, 150_000, 200_000, 210_000, 250_000, 262_144, 300_000, 310_000,
                500_000, 524_288,
                600_000,
                720_000, 1_000_000, 1_048_576, 1_300_000, 2_000_000, 5_000_000, 10_000_000,
            ])
    }

    @Test func everyCauseIsTried() throws {
        // diagnose.txt makes a message with AES-128.
        #expect(
            try Set(Self.mistakes.get().map(\.cause)).symmetricDifference(Cause.allCases) == [
                .aes128
            ])
    }

    /// 10,000 messages that have other keys or another password, were altered in a bit, or are
    /// random bytes.
    @Test func namesNothingFalsely() throws {
        var generator = SeededGenerator()
        let place = try Workplace()
        let other = Credential.keys(try .random())
        var lookalikes: Set<String> = []
        for number in 0..<9994 {
            var message = generator.bytes(Int.random(in: 16..<300, using: &generator))
            switch number % 3 {
            case 0: message = try Cryptor.encrypt(message, with: other)
            case 1:
                message = try Self.message(nil, number.isMultiple(of: 2) ? 3 : 2, of: message)
                let places = number.isMultiple(of: 5) ? 0..<2 : message.indices
                message[Int.random(in: places, using: &generator)] ^= 1 << UInt8(number / 3 % 8)
            // Random bytes may start like a message, or like another kind of file, once in 10,000
            // times.
            default:
                if message[0] <= 3 && message[1] <= 1 || ForeignStart.of(message) != nil {
                    lookalikes.insert("m\(number)")
                }
            }
            try place.write(Data(message), to: "m\(number)")
        }
        for number in 0..<6 {
            let version = Self.versions[number % 4]
            let message = try Self.message(
                Self.bytes("Secret"), version, of: generator.bytes(number))
            try place.write(Data(message), to: "n\(number)")
        }
        try place.write(Self.keyText, toPrivate: "given")
        for (options, count) in [("--key-file given m*", 9994), ("--password-file password n*", 6)]
        {
            let outcome = try place.shell("$RNCRYPTOR diagnose --json \(options)")
            let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
            #expect(outcome.status == 65 && outcome.complaint.isEmpty && lines.count == count)
            for line in lines where !line.contains(#", "cause": null, "#) {
                let answer = try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
                #expect(lookalikes.contains(answer.file), "\(answer) \(generator)")
            }
        }
    }

    /// SIGTERM ends the search for a mistake in a large file at once. If it does not, the command
    /// is killed, and the status is 137.
    @Test(arguments: LargeContents.all) func endsWhenAsked(contents: LargeContents) throws {
        let place = try Workplace()
        try place.write(contents.bytes(64 * 1024 * 1024), to: "large")
        let outcome = try place.shell(
            """
            timeout --foreground --preserve-status -s TERM -k 10 1 \
                $RNCRYPTOR diagnose --password-file password large
            """)
        // What is found at once is told at once.
        #expect([0, 65, 143].contains(outcome.status), "\(outcome.status)")
        #expect(outcome.status != 143 || outcome.complaint.contains("interrupted"))
    }
}
