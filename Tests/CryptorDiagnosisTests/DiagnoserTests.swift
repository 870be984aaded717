import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// A diagnosis names what went wrong, and nothing else. `diagnose.txt` has more, and what people
/// read.
@Suite struct DiagnoserTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let causes: [Cause]
        let message: [UInt8]
        /// A password, or the text of keys.
        var given = bytes("Secret 7")
        var isOfKeys = false
        var iterations = 10_000
        /// Whether 'decrypt' reads it nevertheless.
        var opens = false
        var testDescription: String {
            "\(causes.map(\.rawValue)) \(message.shortHex) \(isOfKeys ? "keys" : "password")"
        }

        var credential: Credential {
            get throws {
                try isOfKeys
                    ? .keys(MessageKeys(hexadecimal: given))
                    : .password(utf8: given, iterations: iterations)
            }
        }
    }

    private static func diagnoser(_ credential: Credential) -> Diagnoser {
        Diagnoser(iterationsUpTo: 100_000, credentials: { [credential] }, shouldStop: { false })
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
        let salts = password.map { _ in MessageHeader.Salts(encryption: salt, hmac: salt.reversed())
        }
        guard let version = FormatVersion(rawValue: version) else {
            return try Version0Writer(salts: salts, iv: iv).message(of: plaintext, with: credential)
        }
        return try Cryptor.encrypt(
            plaintext, with: credential,
            header: MessageHeader(version: version, salts: salts, iv: iv))
    }

    private static let versions = FormatVersion.allCases.map(\.rawValue) + [0]

    private static func passwords() throws -> [Mistake] {
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
                (.passwordUTF16, [0, 83, 0, 55], bytes("S7")),
                (.passwordUTF16, bytes("S7"), [0xFE, 0xFF, 0, 83, 0, 55]),
                (.passwordWindows1252, [0x80, 0xFC], bytes("\u{20AC}\u{FC}")),
                (.passwordWindows1252, bytes("\u{20AC}\u{FC}"), [0x80, 0xFC]),
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
                (.passwordCase, "\u{E4}rger", "\u{C4}rger"),
                (.passwordSpace, "Secret 7\t", "Secret 7"),
                (.passwordSpace, "Secret\u{A0}7", "Secret 7"),
                (.passwordSpace, "Secret 7", "Secret\u{A0}7"),
                (.passwordSpace, "Secret 7", "\u{A0}Secret 7"),
                (.passwordTypographic, "it\u{2019}s", "it's"),
                (.passwordTypographic, "it's", "it\u{2019}s"),
                (.passwordTypographic, "a \u{2013} b", "a - b"),
                (.passwordFirstLine, "Secret 7", "Secret 7\n# of the old server"),
                (.passwordAssignment, "Secret 7", "PASSWORD=\"Secret 7\""),
                (.passwordAssignment, "Secret 7", "export PASSWORD='Secret 7'"),
                (.passwordAssignment, "Secret 7", "password: Secret 7"),
                (.passwordAssignment, "Secret 7", "\"password\": \"Secret 7\", "),
                (.passwordAssignment, "Secret 7", "password = 'Secret 7';"),
                (.passwordURLEncoded, "Secret 7", "Secret%207"),
                (.passwordURLEncoded, "Secret 7", "Secret+7"),
                (.passwordURLEncoded, "Secret%207", "Secret 7"),
                (.passwordBase64, "Secret 7", "U2VjcmV0IDc="),
                (.passwordBase64, "Secret 7", "U2VjcmV0IDcK"),
                (.passwordBase64, "U2VjcmV0IDc=", "Secret 7"),
                (.passwordHex, "Secret 7", "5365637265742037"),
                (.passwordHex, "53656372657420374A", "Secret 7J"),
                (.passwordQuestionMarks, "G?t", "G\u{FC}t"),
                (.passwordQuestionMarks, "G??", "G\u{1F511}"),
                (.passwordWindows1252, "\u{E2}\u{201A}\u{AC}", "\u{20AC}"),
                (.passwordHashed, "8bffca48bdb2eb2b20f6cb62e390a367", "Secret 7"),
                (.passwordHashed, "b4ef9ef732504f786f7b347e954dbaddf3be39fb", "Secret 7"),
                (
                    .passwordHashed,
                    "6ffa47186564132340a8fbbb4d30b0563978880877eea9231f861d4b7b433ab1", "Secret 7"
                ),
                (
                    .passwordHashed,
                    "6FFA47186564132340A8FBBB4D30B0563978880877EEA9231F861D4B7B433AB1", "Secret 7"
                ),
                (
                    .passwordHashed,
                    """
                    ba114a5c3885026d457e5a86dc0cb534273122c02a88df9919757a099c295e3a61d5abe0cd93\
                    90c3138b2078c3eae7ec8f0109de44ddb278fb78e3845249bf85
                    """, "Secret 7"
                ),
                (.passwordShortened, "Secret", "Secret\0 7"), (.passwordEmpty, "", "Secret 7"),
            ].map { ($0, bytes($1), bytes($2)) }
        let ofPorts = try VectorDirectory.readable().compactMap { vector -> Mistake? in
            guard vector.peer != nil, case .password(let text, let iterations) = vector.secret
            else { return nil }
            guard vector.needsShortenedPassword else {
                let cause = iterations == 10_000 ? nil : Cause.iterations
                return cause.map {
                    Mistake(causes: [$0], message: vector.message, given: bytes(text))
                }
            }
            return Mistake(
                causes: [.passwordShortened], message: vector.message, given: bytes(text),
                iterations: iterations)
        }
        return try ofPorts
            + all.flatMap { (cause, written, given) in
                try versions.map {
                    Mistake(causes: [cause], message: try message(written, $0), given: given)
                }
            }
            + [1, 1024, 65_536].map {
                Mistake(
                    causes: [.iterations], message: try message(bytes("Secret 7"), iterations: $0))
            }
    }

    /// What happens to a message on its way.
    private struct Wrapping: Sendable {
        let causes: [Cause]
        /// Whether 'decrypt' reads the result.
        let isRead: Bool
        let wrap: @Sendable ([UInt8]) -> [UInt8]

        init(
            _ causes: Cause..., isRead: Bool = false,
            wrap: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) {
            self.init(causes: causes, isRead: isRead, wrap: wrap)
        }

        /// Of the base64 text of the message.
        static func text(
            _ causes: Cause..., wrap: @escaping @Sendable (String) -> String
        ) -> Wrapping {
            Wrapping(causes: causes) { bytes(wrap(Data($0).base64EncodedString())) }
        }

        /// Of the base64 text of the message, in lines.
        static func lines(
            _ causes: Cause..., isRead: Bool = false, of length: Int = 64,
            wrap: @escaping @Sendable ([Substring]) -> String
        ) -> Wrapping {
            Wrapping(causes: causes, isRead: isRead) { message in
                var rest = Data(message).base64EncodedString()[...]
                var lines: [Substring] = []
                while !rest.isEmpty {
                    lines.append(rest.prefix(length))
                    rest = rest.dropFirst(length)
                }
                return bytes(wrap(lines))
            }
        }

        /// Of the hexadecimal digits of each byte.
        static func digits(_ wrap: @escaping @Sendable ([String]) -> String) -> Wrapping {
            Wrapping(.hex) { bytes(wrap($0.map(\.hexadecimal))) }
        }

        private init(
            causes: [Cause], isRead: Bool = false,
            wrap: @escaping @Sendable ([UInt8]) -> [UInt8]
        ) {
            self.causes = causes
            self.isRead = isRead
            self.wrap = wrap
        }
    }

    private static let wrappings: [Wrapping] = [
        Wrapping(isRead: true) { bytes(Data($0).base64EncodedString()) },
        .lines(isRead: true, of: 76) { $0.map { "\($0)\r\n" }.joined() },
        .lines(isRead: true, of: 64) { $0.map { "    \($0) \n" }.joined() },
        Wrapping(.base64URL, isRead: true) { message in
            bytes(
                Data(message).base64EncodedString().replacing("+", with: "-")
                    .replacing("/", with: "_").replacing("=", with: ""))
        },
        Wrapping(.base64Spaces, isRead: true) { message in
            bytes(Data(message).base64EncodedString().replacing("+", with: " "))
        },
        .lines(.base64Spaces, isRead: true) { lines in
            lines.map { $0.replacing("+", with: " ") + "\r\n" }.joined()
        },
        .lines(.base64Spaces, of: 76) { $0.joined(separator: " ") },
        .lines(.base64Spaces, of: 75) { lines in
            lines.map { $0.replacing("+", with: " ") + "\n" }.joined()
        },
        .lines(.escapedNewlines, of: 76) { $0.joined(separator: "\\n") },
        .lines(.tableRow, .escapedNewlines, of: 76) { "7\t\($0.joined(separator: "\\n"))\n" },
        .text(.tableRow) { "17\t\($0)\n" },
        .text(.tableRow) { " 17 | \($0)" },
        .text(.tableRow) { "\(String(repeating: "x", count: 70)),\"\($0)\",7" },
        Wrapping(.severalMessages) { message in
            let digits = message.map(\.hexadecimal).joined()
            return bytes("\\x\(digits)\n\\x\(digits)\n")
        },
        .text(.severalMessages, .tableRow) { "17\t\($0)\n18\t\($0)\n" },
        Wrapping(.base64Pieces) { message in
            bytes(
                [message.prefix(40), message[40..<62], message[62...]].map {
                    Data($0).base64EncodedString()
                }.joined())
        },
        Wrapping(.base64Pieces) { message in
            bytes(
                [message.prefix(77), message.dropFirst(77)].map { piece in
                    Data(piece).base64EncodedString(options: .lineLength64Characters) + "\n"
                }.joined())
        },
        .digits { $0.joined() + "\n" },
        .digits { "\\x" + $0.joined() },
        .digits { "\\\\x" + $0.joined() },
        .digits { "0x" + $0.joined() },
        .digits { "X'\($0.joined())'" },
        .digits { $0.joined(separator: ":") },
        .digits { $0.joined(separator: "-") },
        .digits { $0.joined(separator: " ") },
        .digits { $0.map { "0x\($0)" }.joined(separator: ", ") },
        .digits { digits in
            let groups = stride(from: 0, to: digits.count, by: 4).map {
                digits[$0..<min($0 + 4, digits.count)].joined()
            }
            return "<\(groups.joined(separator: " "))>"
        },
        .digits { "{length = \($0.count), bytes = 0x\($0.joined())}" },
        .text(.base64) { Data($0.utf8).base64EncodedString() },
        Wrapping(.base64URL, .trailingBytes) { message in
            bytes(
                Data(message + [0xFF]).base64EncodedString().replacing("+", with: "-")
                    .replacing("/", with: "_").replacing("=", with: ""))
        },
        Wrapping(.base64, .hex) {
            [UInt8](Data($0.map(\.hexadecimal).joined().utf8).base64EncodedData())
        },
        .text(.byteOrderMark) { "\u{FEFF}\($0)" },
        Wrapping(.utf16) { message in
            inUTF16("\u{FEFF}\(Data(message).base64EncodedString())\r\n")
        },
        Wrapping(.utf16) { message in inUTF16(Data(message).base64EncodedString()) },
        Wrapping(.utf16) { message in
            inUTF16("\n\(Data(message).base64EncodedString())")
        },
        Wrapping(.utf16) { message in
            let little = inUTF16("\u{FEFF}\(Data(message).base64EncodedString())")
            return little.indices.map { little[$0 ^ 1] }
        },
        .text(.percentEncoded) {
            $0.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
        },
        Wrapping(.percentEncoded) { bytes($0.map { "%\($0.hexadecimal)" }.joined()) },
        .text(.dataURI) { "data:application/octet-stream;base64,\($0)" },
        .text(.quoted) { "'\($0)'" },
        .text(.quoted) { "\"\($0)\"," },
        .text(.quoted) { "\($0);" },
        .text(.quoted) { "\u{201C}\($0)\u{201D}" },
        .text(.quoted) { "b'\($0)'\n" },
        Wrapping(.quoted) { bytes("b'\($0.map { "\\x\($0.hexadecimal)" }.joined())'") },
        .text(.jsonString) {
            "\"\($0.replacing("/", with: "\\/").replacing("+", with: "\\u002B"))\"\n"
        },
        .text(.jsonObject) {
            "{\"id\": 7, \"note\": \"\(String(repeating: "x ", count: 50))\", \"data\": \"\($0)\"}"
        },
        .text(.jsonObject) { "[\n  \"\($0)\"\n]\n" },
        Wrapping(.jsonBytes) { bytes("{\"type\":\"Buffer\",\"data\":\($0)}") },
        Wrapping(.jsonBytes) { bytes("{\"id\":7,\"data\":\($0)}") },
        Wrapping(.jsonBytes) { bytes("{\"a\":[1],\"data\":\($0)}") },
        Wrapping(.jsonBytes) { bytes("[{\"id\":7},{\"data\":\($0)}]") },
        Wrapping(.jsonBytes) { bytes("\($0.map { Int8(bitPattern: $0) })") },
        Wrapping(.jsonBytes) { message in
            bytes("{\(message.enumerated().map { "\"\($0)\":\($1)" }.joined(separator: ","))}")
        },
        Wrapping(.mailQuoted) { message in
            let lines = Data(message).base64EncodedString(options: .lineLength64Characters)
            return bytes(lines.split(separator: "\r\n").map { "> > \($0)\n" }.joined())
        },
        .text(.plist) {
            "<?xml version=\"1.0\"?>\n<plist><dict><data>\n\($0)\n</data></dict></plist>"
        },
        .text(.plist) { "<plist><string>a</string><string>\($0)</string></plist>" },
        Wrapping(.plist) { message in
            let list = ["name": Data(message)]
            let data = try? PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0)
            return [UInt8](data ?? Data())
        },
        .text(.pem) { "-----BEGIN MESSAGE-----\n\($0)\n-----END MESSAGE-----\n" },
        Wrapping(.pem, .base64URL) { message in
            // A line may begin with a dash.
            let text = Data(message).base64EncodedString().replacing("/", with: "_")
                .replacing("+", with: "-")
            let lines = text.replacing("-", with: "\n-")
            return bytes("-----BEGIN MESSAGE-----\n\(lines)\n-----END MESSAGE-----\n")
        },
        Wrapping(.leadingBytes) { [10] + $0 },
        Wrapping(.leadingBytes) { bytes("0123456789abcdef") + $0 },
        Wrapping(.trailingNewline) { $0 + [13, 10] },
        Wrapping(.trailingBytes) { $0 + [UInt8](repeating: 0, count: 100) },
        Wrapping(.trailingBytes) { $0 + bytes("-- \nsent from my telephone") },
        Wrapping(.trailingBytes) { $0 + [3, 1] + bytes("rubbish") },
        Wrapping(.trailingBytes) { message in
            bytes(Data(message).base64EncodedString()) + [0, 0]
        },
        Wrapping(.base64, .trailingBytes) { message in
            bytes(Data(message + [0, 0]).base64EncodedString())
        },
        Wrapping(.severalMessages) { $0 + $0 },
        .text(.severalMessages) { "\($0)\n\($0)\n" },
        Wrapping(.jsonString, .latin1AsUTF8) { message in
            let characters = message.map { String(format: "\\u%04x", Int($0)) }
            return bytes("\"\(characters.joined())\"")
        },
    ]

    private static func inUTF16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func texts() throws -> [Mistake] {
        let message = try message(bytes("Secret 7"), of: [UInt8](0...255))
        return wrappings.map {
            Mistake(causes: $0.causes, message: $0.wrap(message), opens: $0.isRead)
        }
    }

    /// Each way a message may have changed, with two mistakes in its password.
    private static func pairs() throws -> [Mistake] {
        let mistakes = try passwords().filter {
            $0.message[0] == 3 && $0.iterations == 10_000
        }
        let byCause = Dictionary(grouping: mistakes, by: \.causes).sorted {
            $0.key[0].rawValue < $1.key[0].rawValue
        }
        // These need characters that are in the text of few short messages.
        let wrappings = wrappings.filter {
            !$0.causes.contains(.base64Spaces) && !$0.causes.contains(.base64URL)
        }
        return wrappings.enumerated().flatMap { index, wrapping in
            [index, index + byCause.count / 2].map { number in
                let (causes, mistakes) = byCause[number % byCause.count]
                let mistake = mistakes[number % mistakes.count]
                return Mistake(
                    causes: wrapping.causes + causes, message: wrapping.wrap(mistake.message),
                    given: mistake.given)
            }
        }
    }

    private static func damages() throws -> [Mistake] {
        let (v3, ofKeys, keys) = (try message(bytes("Secret 7")), try message(nil), bytes(keyText))
        let v1 = try message(bytes("Secret 7"), 1)
        func withKeys(_ cause: Cause, _ message: [UInt8], given: [UInt8] = keys) -> Mistake {
            Mistake(causes: [cause], message: message, given: given, isOfKeys: true)
        }
        return [
            Mistake(causes: [.truncated], message: v3.dropLast(5)),
            Mistake(causes: [.truncated], message: []),
            Mistake(causes: [.truncated], message: [3, 0]),
            Mistake(causes: [.truncated], message: Array(v3.prefix(10))),
            Mistake(
                causes: [.truncated],
                message: bytes(String(Data(v3).base64EncodedString().prefix(77)))),
            Mistake(
                causes: [.truncated],
                message: bytes(String(Data(v3).base64EncodedString().prefix(78)))),
            Mistake(causes: [.truncated], message: v1.dropLast(5)),
            withKeys(.needsPassword, v1),
            withKeys(.truncated, Array(ofKeys.prefix(40))),
            Mistake(causes: [.foreign], message: [0x1F, 0x8B, 8] + v3),
            Mistake(causes: [.utf8Damaged], message: bytes(String(decoding: v3, as: UTF8.self))),
            Mistake(
                causes: [.latin1AsUTF8],
                message: v3.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
            ),
            Mistake(causes: [.onlyZeros], message: [UInt8](repeating: 0, count: 4096)),
            Mistake(causes: [.textMode], message: Array(v3[..<32] + v3[33...])),
            withKeys(.textMode, withCarriageReturns(ofKeys)),
            withKeys(.textMode, withCarriageReturns(try messageOfTwoLines())),
            Mistake(causes: [.needsKeys], message: ofKeys), withKeys(.needsPassword, v3),
            withKeys(.keysSwapped, ofKeys, given: keys.suffix(64) + keys.prefix(64)),
            Mistake(causes: [.keysAsPassword], message: ofKeys, given: keys),
            withKeys(.keysSame, try messageOfOneKey(keys.prefix(64))),
            withKeys(.keysSame, try messageOfOneKey(keys.suffix(64))),
            withKeys(.keysAsPassword, try message(bytes(keyText))),
            Mistake(causes: [.versionNotAccepted], message: v1),
            withKeys(.versionNotAccepted, try message(nil, 0)),
        ]
            + (try versions.map {
                withKeys(.trailingNewline, try message(nil, $0) + [10])
            })
    }

    private static func messageOfOneKey(_ digits: ArraySlice<UInt8>) throws -> [UInt8] {
        let text = String(decoding: digits + digits, as: UTF8.self)
        // Under the other key, one in 256 messages has a right padding; that with this IV has not.
        return try Cryptor.encrypt(
            [7], with: .keys(MessageKeys(hexadecimal: text)),
            header: MessageHeader(salts: nil, iv: [UInt8](14...27) + [13, 10]))
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

    private static let mistakes = Result {
        try passwords() + texts() + damages() + pairs()
    }

    @Test(arguments: try mistakes.get()) func names(_ mistake: Mistake) throws {
        var diagnoser = try Self.diagnoser(mistake.credential)
        let diagnosis = try diagnoser.diagnosis(of: mistake.message)
        // What comes after the other causes, in a message of version 1 or 0.
        let old = Cause.versionNotAccepted
        let found =
            mistake.causes == [old] ? diagnosis.causes : diagnosis.causes.filter { $0 != old }
        #expect(diagnosis.opens == mistake.opens && found == mistake.causes, "\(diagnosis)")
        #expect(
            diagnosis.advice.hasSuffix(".")
                && Set(diagnosis.possible).isDisjoint(with: diagnosis.causes))
        if mistake.causes.first?.rawValue.hasPrefix("password-") == true {
            let isOld = mistake.message[0] < 2
            #expect(diagnosis.advice.contains("--accept v") == isOld, "\(diagnosis)")
            #expect(diagnosis.causes.contains(old) == isOld, "\(diagnosis)")
        }
        // Neither secret is shown.
        let text = diagnosis.text
        #expect(
            !["ecret 7", "ECRE", Self.keyText.prefix(8), "G\u{FC}"].contains { text.contains($0) },
            "\(text)")
    }

    /// Nothing is certain that only looks like a message in a line, a row or a piece.
    @Test func isOnlyPossible() throws {
        let other = Self.diagnoser(.keys(try .random()))
        let message = try Self.message(nil, of: [UInt8](0...255))
        let line = Data(message).base64EncodedString()
        let pieces = [message.prefix(77), message.dropFirst(77)].map {
            Data($0).base64EncodedString()
        }
        // The lines have several lengths, and spaces at both ends and within.
        let spaces = Self.bytes(
            " \(line.prefix(80))\n  \(line.dropFirst(80).replacing("7", with: " "))")
        let possible: [([UInt8], Cause)] = [
            (Self.bytes("\(line)\n\(line)\n"), .severalMessages),
            (Self.bytes("17\t\(line)\n"), .tableRow),
            (Self.bytes("17\t\(line.dropLast(8))\n"), .tableRow),
            (Self.bytes(pieces.joined()), .base64Pieces),
            (Self.bytes(pieces.joined(separator: "\n")), .base64Pieces),
            (Self.bytes(pieces.joined(separator: "\n").dropLast(8) + ""), .base64Pieces),
            (spaces.dropFirst() + [], .base64Spaces),
            ([3], .truncated),
            // Without their ends.
            (Self.bytes("'\(line.dropLast(9))"), .leadingBytes),
            (Self.bytes("{\"note\": \"\(line.dropLast(9))"), .leadingBytes),
            (Self.bytes("\(line.prefix(50))\u{A0}\(line.dropFirst(50))"), .base64),
            (Self.bytes("\(line.prefix(9))&#43;\(line.dropFirst(10))"), .base64),
            (Self.bytes("\\x\(message.map(\.hexadecimal).joined().dropLast(9))") + [0xFF], .hex),
            (Self.bytes("b'\(message.map { "\\x\($0.hexadecimal)" }.joined())"), .quoted),
            (Self.bytes("\"\(message.map { "\\u00\($0.hexadecimal)" }.joined())"), .jsonString),
            (
                Self.bytes("\(message.map { "%\($0.hexadecimal)" }.joined().dropLast())"),
                .percentEncoded
            ),
            (Self.bytes("\("\(message)".dropLast())"), .jsonBytes),
        ]
        for (text, cause) in possible {
            var diagnoser = other
            let found = try diagnoser.diagnosis(of: text)
            #expect(
                found.causes.isEmpty && !found.opens && found.possible.contains(cause),
                "\(cause) \(found)")
        }
        var diagnoser = other
        let prose = "Awake and hold me please as this is prose for all of us and nothing else"
        #expect(try diagnoser.diagnosis(of: Self.bytes(prose)).causes == [.foreign])
        let word = "Donaudampfschifffahrtsgesellschaft is one word"
        #expect(try diagnoser.diagnosis(of: Self.bytes(word)).causes == [.foreign])
    }

    /// Lines that are too short for those of base64 text are not joined.
    @Test(arguments: [39, 40, 76]) func joinsLinesOfBase64(width: Int) {
        // One of 1,500 texts has a line that begins like a message.
        var generator = SeededGenerator(seed: 1)
        let text = Self.bytes(Data([0xFF] + generator.bytes(200)).base64EncodedString())
        let lines = stride(from: 0, to: text.count, by: width).map { start in
            text[start...].prefix(width) + [10]
        }
        let found = MessageText.cause(in: Self.bytes("see this:\n") + lines.joined())
        #expect(found == (width < 40 ? nil : .base64), "\(generator)")
    }

    @Test func namesAMessageInAMessage() throws {
        let keys = Credential.keys(try MessageKeys(hexadecimal: Self.keyText))
        var diagnoser = Self.diagnoser(keys)
        for length in [0, 7, 16, 100] {
            let inner = try Cryptor.encrypt([UInt8](repeating: 7, count: length), with: keys)
            let texts = [inner, Self.bytes(Data(inner).base64EncodedString())]
            // The padding behind it is ten newlines.
            let tooShort = Array(texts[1].prefix(54))
            let others: [[UInt8]] = [inner.dropLast(), inner + [0], [3], [], tooShort]
            for plaintext in texts + others {
                let message = try Cryptor.encrypt(plaintext, with: keys)
                for text in [message, Self.bytes(Data(message).base64EncodedString())] {
                    let found = try diagnoser.diagnosis(of: text)
                    #expect(found.opens && found.causes.isEmpty)
                    #expect(
                        found.advice.contains("another message") == texts.contains(plaintext),
                        "\(found)")
                }
            }
        }
    }

    /// Under another key, a message with a few zeros behind it may be one.
    @Test(arguments: [1, 15]) func mayHaveZerosBehindIt(count: Int) throws {
        var diagnoser = Self.diagnoser(.keys(try .random()))
        let message = try Self.message(nil) + [UInt8](repeating: 0, count: count)
        let found = try diagnoser.diagnosis(of: message)
        #expect(found.causes.isEmpty && found.possible.contains(.trailingBytes), "\(found)")
    }

    /// The last 64 KiB are searched block by block, and before them only what another header
    /// follows: a message that ends there, a block before, or a block behind.
    @Test(arguments: [-1, 0, 1]) func precedesAnother(blocks: Int) throws {
        let keys = Credential.keys(try .random())
        var diagnoser = Self.diagnoser(keys)
        let first = try Cryptor.encrypt([UInt8](repeating: 1, count: 1 << 20), with: keys)
        let second = try Cryptor.encrypt(
            [UInt8](repeating: 2, count: 64 * 1024 - 49 + 16 * blocks), with: keys)
        let found = try diagnoser.diagnosis(of: first + second)
        #expect(found.causes == [.severalMessages], "\(found)")
    }

    @Test(arguments: [3, 2] as [UInt8]) func opens(version: UInt8) throws {
        let credential = try Credential.password("a")
        var diagnoser = Self.diagnoser(credential)
        let found = try diagnoser.diagnosis(of: Self.message([97], version))
        #expect(found.opens && found.causes.isEmpty && found.advice.hasPrefix("It opens as it is."))
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
        // diagnose.txt makes a message with AES-128, and several lines are no file.
        #expect(
            try Set(Self.mistakes.get().flatMap(\.causes)).symmetricDifference(Cause.allCases) == [
                .aes128, .wrappedLines,
            ])
    }

    /// Messages that have other keys or another password, were altered in a bit, or are random
    /// bytes.
    @Test func namesNothingFalsely() throws {
        var generator = SeededGenerator()
        let other = Credential.keys(try .random())
        var ofKeys = Self.diagnoser(.keys(try MessageKeys(hexadecimal: Self.keyText)))
        for number in 0..<rounds(1000, thorough: 10_000) {
            var message = generator.bytes(Int.random(in: 16..<300, using: &generator))
            var isLookalike = false
            switch number % 3 {
            case 0:
                message = try Cryptor.encrypt(message, with: other)
            case 1:
                message = try Self.message(nil, number.isMultiple(of: 2) ? 3 : 2, of: message)
                let places = number.isMultiple(of: 5) ? 0..<2 : message.indices
                message[Int.random(in: places, using: &generator)] ^= 1 << UInt8(number / 3 % 8)
            // Random bytes may start like a message, or like another kind of file, once in 10,000
            // times.
            default:
                isLookalike =
                    message[0] <= 3 && message[1] <= 1 || ForeignStart.of(message) != nil
            }
            let found = try ofKeys.diagnosis(of: message)
            #expect(!found.opens && (found.causes.isEmpty || isLookalike), "\(found) \(generator)")
        }
        var ofPassword = Self.diagnoser(try .password("correct horse battery staple"))
        for number in 0..<6 {
            let version = Self.versions[number % 4]
            let message = try Self.message(
                Self.bytes("Secret"), version, of: generator.bytes(number))
            let found = try ofPassword.diagnosis(of: message)
            #expect(!found.opens && found.causes.isEmpty, "\(found) \(generator)")
        }
    }

    /// However much there is to undo, a search ends: here after 256 results of many more.
    @Test func aSearchEnds() throws {
        func quoted(_ text: String) throws -> String {
            String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        }
        let long = try quoted(String(repeating: "a", count: 70))
        let inner = "[" + [String](repeating: long, count: 16).joined(separator: ",") + "]"
        let text = try quoted(inner)
        let outer = "[" + [String](repeating: text, count: 16).joined(separator: ",") + "]"
        var search = AlterationSearch(Contents(Array(outer.utf8)) { false })
        var count = 0
        let found = try search.first { (_, _) throws(CryptorError) -> Bool? in
            count += 1
            return nil
        }
        #expect(found == nil && (200...257).contains(count), "\(count) results")
    }
}
