import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// Whoever does what `rncryptor diagnose` says, to the letter, opens the message: the commands of
/// its advice are run as they stand.
@Suite(.onItsOwnThread) struct AdviceCommandTests {
    /// What happens to a message, or to anything else.
    struct Damage: Sendable, CustomTestStringConvertible {
        let cause: Cause
        let testDescription: String
        let apply: @Sendable ([UInt8], inout SeededGenerator) -> [UInt8]

        init(
            _ cause: Cause, _ name: String = "",
            _ apply: @escaping @Sendable ([UInt8], inout SeededGenerator) -> [UInt8]
        ) {
            self.cause = cause
            testDescription = "\(cause.rawValue) \(name)"
            self.apply = apply
        }

        /// Of text, or of the base64 text of other bytes.
        static func text(
            _ cause: Cause, _ name: String = "",
            _ apply: @escaping @Sendable (String, inout SeededGenerator) -> String
        ) -> Damage {
            Damage(cause, name) { bytes, generator in
                let isText = bytes.allSatisfy { 32..<127 ~= $0 || $0 == 10 || $0 == 13 }
                let text = isText ? String(decoding: bytes, as: UTF8.self) : base64(bytes)
                return Array(apply(text, &generator).utf8)
            }
        }

        static func digits(
            _ name: String, _ apply: @escaping @Sendable ([String]) -> String
        ) -> Damage {
            Damage(.hex, name) { bytes, _ in Array(apply(bytes.map(\.hexadecimal)).utf8) }
        }
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    static func lines(
        _ text: String, _ length: Int, _ ending: String = "\n"
    ) -> String {
        let text = Array(text)
        return stride(from: 0, to: text.count, by: length).map { start in
            String(text[start..<min(start + length, text.count)]) + ending
        }.joined()
    }

    /// With quotes, and slashes escaped.
    static func json(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func spaces(_ text: String) -> String { text.replacing("+", with: " ") }

    private static func inUTF16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// With `bytea_output = escape`.
    private static func inEscapeFormat(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            switch byte {
            case UInt8(ascii: "\\"): return "\\\\"
            case 32..<127: return String(Unicode.Scalar(byte))
            default: return "\\\(String(repeating: "0", count: 3 - digits.count))\(digits)"
            }
        }.joined()
    }

    /// A message under the same keys.
    private static func another(_ generator: inout SeededGenerator) -> [UInt8] {
        (try? message(Array("another".utf8), &generator)) ?? []
    }

    // MARK: What can be undone

    static let damages: [Damage] = texts + encodings + bytes

    private static let texts: [Damage] = [
        .text(.byteOrderMark) { text, _ in "\u{FEFF}\(text)" },
        .text(.dataURI) { text, _ in "data:application/octet-stream;base64,\(text)" },
        .text(.dataURI, "after a newline") { text, _ in "\n data:;base64,\(text)\n" },
        .text(.percentEncoded) { text, _ in
            text.replacing("+", with: "%2B").replacing("/", with: "%2f")
                .replacing("=", with: "%3D").replacing("A", with: "%41")
        },
        .text(.mailQuoted) { text, _ in
            lines(text, 70).split(separator: "\n").map { "> > \($0)\n" }.joined()
        },
        .text(.pem) { text, _ in
            "-----BEGIN MESSAGE-----\n\(lines(text, 64))-----END MESSAGE-----\n"
        },
        .text(.quoted, "single") { text, _ in "'\(text)'" },
        .text(.quoted, "in a list") { text, _ in "\"\(text)\"," },
        .text(.quoted, "semicolon") { text, _ in "\(text);\n" },
        .text(.quoted, "typographic") { text, _ in "\u{201C}\(text)\u{201D}" },
        .text(.quoted, "of Python") { text, _ in
            let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "b'\(escaped.replacing("\r", with: "\\r").replacing("\n", with: "\\n"))'\n"
        },
        .text(.jsonString) { text, _ in "\(json(text).replacing("+", with: "\\u002B"))\n" },
        .text(.jsonString, "without quotes") { text, _ in
            String(json(text).dropFirst().dropLast())
        },
        .text(.jsonObject) { text, generator in
            let note = String(repeating: "x ", count: Int.random(in: 0...60, using: &generator))
            return "{\"id\": 7, \"note\": \"\(note)\", \"data\": \(json(text))}"
        },
        .text(.jsonObject, "of two levels") { text, _ in
            "{\"a\": [{\"data\": \(json(text))}], \"size\": 7}\n"
        },
        .text(.plist) { text, _ in
            "<?xml version=\"1.0\"?>\n<plist><dict><data>\n\(text)\n</data></dict></plist>"
        },
        .text(.escapedNewlines) { text, _ in
            String(lines(text, 76, "\\n").dropLast(2))
        },
        .text(.tableRow, "tab") { text, generator in
            "\(Int.random(in: 0...9999, using: &generator))\t\(text)\n"
        },
        .text(.tableRow, "comma") { text, _ in "7,a name,\(text),8" },
        .text(.tableRow, "semicolon") { text, _ in "\(text);7" },
        .text(.tableRow, "vertical bar") { text, _ in " 7 | \(text) | 8" },
        .text(.tableRow, "CSV with quotes") { text, _ in "7,\"\(text)\"" },
        .text(.mailQuoted, "printable") { text, _ in
            lines(text, 75).split(separator: "\n").map { $0.replacing("=", with: "=3D") }
                .joined(separator: "=\n")
        },
        .text(.mailQuoted, "printable, one line") { text, _ in
            text.replacing("=", with: "=3D").replacing("/", with: "=2F")
        },
        .text(.leadingBytes, "a prefix") { text, _ in "enc:\(text)" },
        .text(.leadingBytes, "a version") { text, _ in "v3.\(text)" },
        .text(.leadingBytes, "an assignment") { text, _ in "note=\(text)" },
        .text(.leadingBytes, "half of quotes") { text, _ in "'\(text)" },
        .text(.leadingBytes, "a formula") { text, _ in "=\"\(text)\"" },
        .text(.leadingBytes, "SQL") { text, _ in "INSERT INTO t VALUES (1, '\(text)');" },
        .text(.leadingBytes, "an element") { text, _ in "<td>\(text)</td>" },
        .text(.leadingBytes, "a space of no width") { text, _ in "\u{200B}\(text)" },
        .text(.leadingBytes, "quotes of quotes") { text, _ in "\"\"\"\(text)\"\"\"" },
        .text(.trailingBytes, "a note") { text, _ in "\(text) (encrypted)" },
        .text(.trailingBytes, "a hard space") { text, _ in "\(text)\u{A0}" },
        .text(.trailingBytes, "zeros") { text, _ in "\(text)\0\0\0" },
        Damage(.severalMessages, "lines") { bytes, generator in
            Array("\(base64(bytes))\n\(base64(another(&generator)))\n".utf8)
        },
        Damage(.severalMessages, "lines of COPY") { bytes, generator in
            let lines = [bytes, another(&generator)].map { $0.map(\.hexadecimal).joined() }
            return Array("\\\\x\(lines[0])\n\\\\x\(lines[1])\n".utf8)
        },
        Damage(.severalMessages, "quoted lines") { bytes, generator in
            Array("'\(base64(bytes))'\n'\(base64(another(&generator)))'\n".utf8)
        },
        Damage(.severalMessages, "JSON lines") { bytes, generator in
            Array("\"\(base64(bytes))\"\n\"\(base64(another(&generator)))\"\n".utf8)
        },
    ]

    private static let encodings: [Damage] = [
        Damage(.base64, "twice") { bytes, _ in Array(base64(Array(base64(bytes).utf8)).utf8) },
        Damage(.base64, "twice, in lines") { bytes, _ in
            Array(lines(base64(Array(base64(bytes).utf8)), 76, "\r\n").utf8)
        },
        Damage(.base64URL) { bytes, _ in
            // What follows is in the text as well.
            let text = base64(bytes + [0xFF]).replacing("+", with: "-").replacing("/", with: "_")
            return Array(text.replacing("=", with: "").utf8)
        },
        Damage(.base64Spaces, "one line") { bytes, _ in Array(spaces(base64(bytes)).utf8) },
        Damage(.base64Spaces, "lines") { bytes, _ in
            Array(spaces(lines(base64(bytes), 64)).utf8)
        },
        Damage(.base64Spaces, "lines of CR LF") { bytes, _ in
            Array(spaces(lines(base64(bytes), 76, "\r\n")).utf8)
        },
        Damage(.base64Spaces, "odd lines") { bytes, generator in
            let length = Int.random(in: 5...90, using: &generator)
            return Array(spaces(lines(base64(bytes), length)).utf8)
        },
        Damage(.base64Spaces, "of the shell") { bytes, _ in
            Array(lines(base64(bytes), 76, " ").utf8)
        },
        Damage(.base64Pieces) { bytes, generator in
            pieces(bytes, &generator) { base64($0) }
        },
        Damage(.base64Pieces, "lines") { bytes, generator in
            pieces(bytes, &generator) { lines(base64($0), 76) }
        },
        .digits("plain") { lines($0.joined(), 64) },
        .digits("bytea") { "\\x\($0.joined())\n" },
        .digits("bytea of COPY") { "\\\\x\($0.joined())" },
        .digits("a literal") { "E'\\\\x\($0.joined())'" },
        .digits("SQL") { "X'\($0.joined())'" },
        .digits("0x") { "0x\($0.joined())" },
        .digits("colons") { $0.joined(separator: ":") },
        .digits("C") { $0.map { "0x\($0)" }.joined(separator: ", ") },
        .digits("escapes") { $0.map { "\\x\($0)" }.joined() },
        .digits("NSData") { "{length = \($0.count), bytes = 0x\($0.joined())}" },
        Damage(.utf16, "marked") { bytes, _ in inUTF16("\u{FEFF}\(base64(bytes))\r\n") },
        Damage(.utf16) { bytes, _ in inUTF16(base64(bytes)) },
        Damage(.utf16, "high byte first, marked") { bytes, _ in
            let little = inUTF16("\u{FEFF}\(base64(bytes))")
            return little.indices.map { little[$0 ^ 1] }
        },
        Damage(.utf16, "high byte first") { bytes, _ in
            let little = inUTF16(base64(bytes))
            return little.indices.map { little[$0 ^ 1] }
        },
        Damage(.percentEncoded, "bytes") { bytes, _ in
            Array(bytes.map { "%\($0.hexadecimal)" }.joined().utf8)
        },
        Damage(.quoted, "bytes of Python") { bytes, _ in
            Array("b'\(bytes.map { "\\x\($0.hexadecimal)" }.joined())'".utf8)
        },
        // A space at the end stays one, and is taken for a blank.
        Damage(.quoted, "bytes of PostgreSQL") { bytes, _ in
            bytes.last == 32 ? bytes : Array(inEscapeFormat(bytes).utf8)
        },
        Damage(.quoted, "bytes of PostgreSQL's COPY") { bytes, _ in
            bytes.last == 32
                ? bytes : Array(inEscapeFormat(bytes).replacing("\\", with: "\\\\").utf8)
        },
        Damage(.jsonString, "bytes") { bytes, _ in
            Array("\"\(bytes.map { "\\u00\($0.hexadecimal)" }.joined())\"".utf8)
        },
        Damage(.jsonBytes, "a list") { bytes, _ in Array("\(bytes)\n".utf8) },
        Damage(.jsonBytes, "without brackets") { bytes, _ in
            Array(bytes.map { "\($0)" }.joined(separator: ",").utf8)
        },
        Damage(.jsonBytes, "of Node.js") { bytes, _ in
            Array("{\"type\":\"Buffer\",\"data\":\(bytes)}".utf8)
        },
        Damage(.jsonBytes, "of Java") { bytes, _ in
            Array("\(bytes.map { Int8(bitPattern: $0) })".utf8)
        },
        Damage(.jsonBytes, "an object") { bytes, _ in
            let members = bytes.enumerated().map { "\"\($0)\":\($1)" }
            return Array("{\(members.joined(separator: ","))}".utf8)
        },
        Damage(.plist, "binary") { bytes, _ in
            let list = ["name": Data(bytes)]
            let data = try? PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0)
            return [UInt8](data ?? Data())
        },
        Damage(.latin1AsUTF8) { bytes, _ in
            bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
        },
    ]

    /// The texts of pieces whose lengths are not those of whole groups.
    private static func pieces(
        _ bytes: [UInt8], _ generator: inout SeededGenerator, _ text: ([UInt8]) -> String
    ) -> [UInt8] {
        var rest = bytes[...]
        var texts: [String] = []
        repeat {
            let count = Int.random(in: 1...120, using: &generator)
            texts.append(text(Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        } while !rest.isEmpty
        return Array(texts.joined().utf8)
    }

    private static let bytes: [Damage] = [
        Damage(.leadingBytes) { bytes, generator in
            generator.bytes(Int.random(in: 1...16, using: &generator)) + bytes
        },
        Damage(.trailingNewline) { bytes, _ in bytes + [10] },
        Damage(.trailingNewline, "CR LF") { bytes, _ in bytes + [13, 10] },
        Damage(.trailingBytes, "of a database") { bytes, generator in
            bytes + [UInt8](repeating: 0, count: Int.random(in: 1...200, using: &generator))
        },
        Damage(.trailingBytes) { bytes, generator in
            bytes + generator.bytes(Int.random(in: 1...200, using: &generator))
        },
        Damage(.severalMessages) { bytes, generator in bytes + another(&generator) },
        Damage(.textMode) { bytes, _ in bytes.flatMap { $0 == 10 ? [13, 10] : [$0] } },
    ]

    /// What cannot be undone, and why not.
    static let withoutCure: [Cause: String] = [
        .truncated: "bytes are lost",
        .wrappedLines: "LineAdviceTests does it: a file is not wrapped",
        .utf8Damaged: "bytes were replaced",
        .onlyZeros: "everything is lost",
        .foreign: "it is no message",
        .aes128: "it is not read",
        .needsPassword: "only its owner knows it",
        .needsKeys: "only their owner has them",
        .keysSwapped: "the key file is put right by hand",
        .keysSame: "the key file is put right by hand",
    ]

    /// What is put right by an option: see `options`.
    private static let withOption: Set<Cause> = [
        .versionNotAccepted, .iterations, .passwordShortened, .passwordEmpty, .keysAsPassword,
    ]

    @Test func everyCauseIsHere() {
        // A command would have to show the password.
        let byHand = Set(PasswordMistake.all.map(\.cause))
        let found = Set(Self.damages.map(\.cause)).union(Self.withoutCure.keys)
            .union(Self.withOption).union(byHand)
        #expect(found.symmetricDifference(Cause.allCases) == [])
        for mistake in PasswordMistake.all {
            #expect(Self.commands(in: mistake.advice) == [], "\(mistake.advice)")
        }
    }

    // MARK: Following the advice

    struct Finding: Decodable {
        let opens: Bool
        let causes: [String]
        let advice: String
        let possible: [String]
    }

    /// The commands that an advice quotes.
    static func commands(in advice: String) -> [String] {
        let programs = "tail|head|iconv|sed|python3|jq|xxd|base64|tr|cut|perl"
        guard let pattern = try? Regex("'((?:\(programs)) [^']*)'") else { return [] }
        let commands = advice.matches(of: pattern).compactMap { $0[1].substring.map(String.init) }
        // The last one is for what follows the message.
        return advice.contains(" extracts the first") ? commands.dropLast() : commands
    }

    /// What an advice makes of the options.
    private static func options(_ given: String, _ advice: String) -> String {
        var options = given
        for pattern in ["--accept v[0-9]", "--iterations [0-9]+", "--accept-shortened-passwords"] {
            guard let pattern = try? Regex(pattern) else { continue }
            if let match = advice.firstMatch(of: pattern) { options += " \(advice[match.range])" }
        }
        if advice.contains("use --empty-password") { return "--empty-password" }
        if advice.contains("use --key-file") {
            return options.replacing("--password-file", with: "--key-file")
        }
        if advice.contains("use it with --password-file") {
            return options.replacing("--key-file", with: "--password-file")
        }
        return options
    }

    /// What decrypts a file by an advice.
    private static func script(_ name: String, _ given: String, _ advice: String) -> String {
        var stages = commands(in: advice)
        stages.append(decryption(given, advice))
        return "cat \(name) | \(stages.joined(separator: " | "))"
    }

    /// The last stage of that.
    static func decryption(_ given: String, _ advice: String) -> String {
        let lines = ["--lines --json", "--lines"].first {
            advice.contains("'rncryptor decrypt \($0)'")
        }
        let end =
            lines == nil
            ? "| cat" : "2>/dev/null | grep -v -e '^$' -e '^null$' | head -n 1 | tr -d '\"\\n'"
        return "$RNCRYPTOR decrypt \(lines ?? "") \(options(given, advice)) - \(end)"
    }

    static func message(
        _ plaintext: [UInt8], _ generator: inout SeededGenerator,
        under credential: Credential? = nil, version: FormatVersion = .v3
    ) throws -> [UInt8] {
        let keys = try MessageKeys(hexadecimal: String(repeating: "0123456789abcdef", count: 8))
        let salts = credential?.password.map { _ in
            MessageHeader.Salts(encryption: generator.bytes(8), hmac: generator.bytes(8))
        }
        return try Cryptor.encrypt(
            plaintext, with: credential ?? .keys(keys),
            header: MessageHeader(version: version, salts: salts, iv: generator.bytes(16)))
    }

    /// Digits, so that it is the same in a line and in JSON.
    static func plaintext(_ generator: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...300, using: &generator)
        return Array(generator.bytes(count).map(\.hexadecimal).joined().utf8)
    }

    /// What `diagnose` says of each file, and which of them are open after its advice.
    private static func outcomes(
        of files: [[UInt8]], _ plaintexts: [[UInt8]], given: String
    ) throws -> [(finding: Finding, isOpen: Bool)] {
        let place = try Workplace()
        try place.write("Gr\u{FC}\u{DF}e\n", toPrivate: "umlauts")
        for (index, (file, plaintext)) in zip(files, plaintexts).enumerated() {
            try place.write(Data(file), to: "m\(index)")
            try place.write(Data(plaintext), to: "p\(index)")
        }
        let names = files.indices.map { "m\($0)" }.joined(separator: " ")
        let output = try place.shell("$RNCRYPTOR diagnose --json \(given) \(names)").output
        let findings = try output.split(separator: 10).map {
            try JSONDecoder().decode(Finding.self, from: $0)
        }
        try #require(findings.count == files.count)
        let lines = findings.enumerated().map { index, finding in
            "\(script("m\(index)", given, finding.advice)) | cmp -s - p\(index) && echo \(index)"
        }
        try place.write(lines.joined(separator: "\n"), to: "script")
        let open = String(decoding: try place.shell(". ./script").output, as: UTF8.self)
        let numbers = Set(open.split(separator: "\n").compactMap { Int($0) })
        return findings.enumerated().map { ($1, numbers.contains($0)) }
    }

    @Test(arguments: damages) func opensAfterwards(damage: Damage) throws {
        var generator = SeededGenerator()
        let count = rounds(3, thorough: 300)
        let plaintexts = (0..<count).map { _ in Self.plaintext(&generator) }
        let files = try plaintexts.map { plaintext in
            // Some messages have nothing that such a damage changes.
            for _ in 0..<100 {
                let message = try Self.message(plaintext, &generator)
                let file = damage.apply(message, &generator)
                if file != message { return file }
            }
            throw CancellationError()
        }
        let outcomes = try Self.outcomes(of: files, plaintexts, given: "--key-file key")
        for (file, (finding, isOpen)) in zip(files, outcomes) {
            let isNamed = finding.opens || !finding.causes.isEmpty
            #expect(isNamed && isOpen, "\(generator) \(finding) \(file.shortHex)")
        }
        // Of a few, another name is as right.
        let name = damage.cause.rawValue
        let named = outcomes.count { $0.finding.causes.contains(name) }
        #expect(named >= count / 3, "\(generator) \(named) of \(count): \(outcomes[0])")
    }

    // MARK: Anything

    /// What loses something, or nothing.
    static let losses: [Damage] = [
        Damage(.truncated) { bytes, generator in
            bytes.dropLast(Int.random(in: 1...max(1, bytes.count / 2), using: &generator))
        },
        Damage(.truncated, "of a bit") { bytes, generator in
            var bytes = bytes
            guard let index = bytes.indices.randomElement(using: &generator) else { return bytes }
            bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            return bytes
        },
        .text(.truncated, "entities") { text, _ in
            text.replacing("+", with: "&#43;").replacing("=", with: "&#61;")
        },
        .text(.truncated, "a space of no width") { text, _ in
            "\(text.prefix(text.count / 2))\u{200B}\(text.dropFirst(text.count / 2))"
        },
    ]

    /// After these, the number of bytes is wrong: some are missing or were added.
    static let changesOfLength: Set<Cause> = [
        .truncated, .leadingBytes, .trailingBytes, .trailingNewline, .severalMessages,
        .latin1AsUTF8, .textMode, .escapedNewlines, .base64URL, .mailQuoted,
    ]

    /// Of messages with one or two damages, under the right keys or under others: what is certain
    /// is right.
    @Test func nothingCertainIsWrong() throws {
        // Two random damages may come out as what nobody has thought of: a run that a change waits
        // for always tries the same.
        var generator = SeededGenerator(
            seed: Thoroughness.isThorough ? SeededGenerator.processSeed : 1)
        var tally: [String: Int] = [:]
        let all = Self.damages + Self.losses + Self.losses + Self.losses
        let batchCount = rounds(1, thorough: 25)
        for batch in 0..<batchCount {
            let isUnderOtherKeys = batch % 5 == 4
            let credential = isUnderOtherKeys ? Credential.keys(try .random()) : nil
            var plaintexts: [[UInt8]] = []
            var files: [[UInt8]] = []
            var damages: [[Damage]] = []
            for number in 0..<rounds(50, thorough: 200) {
                let plaintext = Self.plaintext(&generator)
                let some = (0...number % 2).map { _ in
                    all[Int.random(in: all.indices, using: &generator)]
                }
                plaintexts.append(plaintext)
                files.append(
                    try some.reduce(Self.message(plaintext, &generator, under: credential)) {
                        $1.apply($0, &generator)
                    })
                damages.append(some)
            }
            let outcomes = try Self.outcomes(of: files, plaintexts, given: "--key-file key")
            for (index, (finding, isOpen)) in outcomes.enumerated() {
                let happened = damages[index].map(\.cause)
                let names = finding.causes.compactMap(Cause.init(rawValue:))
                let lost = names.filter { Self.withoutCure[$0] != nil }
                let kind: String
                // Of two damages, the second may have made other text or JSON of it. It is right
                // that it starts like these.
                let isOther = names == [.foreign] && happened.count == 2
                if names.isEmpty && !finding.opens || isOther {
                    kind = "not named"
                } else if lost.isEmpty {
                    kind = isOpen ? "opened" : "WRONG"
                } else {
                    let isRight =
                        lost == [.truncated] && !Self.changesOfLength.isDisjoint(with: happened)
                    kind = isRight ? "lost" : "WRONG"
                }
                #expect(
                    kind != "WRONG",
                    """
                    \(generator) \(damages[index]) \(isUnderOtherKeys) \(finding) \
                    \(files[index].shortHex)
                    """)
                let keys = isUnderOtherKeys ? "other keys" : "right keys"
                tally["\(keys), \(happened.count) damages: \(kind)", default: 0] += 1
            }
        }
        if Thoroughness.isThorough {
            print(
                tally.sorted { $0.key < $1.key }.map { "TALLY \($0): \($1)" }.joined(
                    separator: "\n"))
        }
    }

    struct Written: Sendable, CustomTestStringConvertible {
        let cause: Cause
        let credential: @Sendable () throws -> Credential
        let version: FormatVersion
        let given: String
        var testDescription: String { "\(cause.rawValue) \(version.rawValue)" }
    }

    private static let given = "correct horse battery staple"

    static let written: [Written] = [
        .init(
            cause: .versionNotAccepted, credential: { try .password(given) },
            version: .v1UnauthenticatedHeader, given: "--password-file password"),
        .init(
            cause: .iterations, credential: { try .password(given, iterations: 1000) },
            version: .v3, given: "--password-file password"),
        .init(
            cause: .passwordShortened,
            credential: {
                try #require(try Credential.password("Gr\u{FC}\u{DF}e").shortenedReadings.first)
            },
            version: .v2, given: "--password-file umlauts"),
        .init(
            cause: .passwordEmpty, credential: { .emptyPassword }, version: .v3,
            given: "--password-file password"),
        .init(
            cause: .keysAsPassword,
            credential: { try .password(String(repeating: "0123456789abcdef", count: 8)) },
            version: .v3, given: "--key-file key"),
        .init(
            cause: .keysAsPassword,
            credential: {
                .keys(try MessageKeys(hexadecimal: String(repeating: "0123456789abcdef", count: 8)))
            },
            version: .v3, given: "--password-file key"),
    ]

    @Test(arguments: written) func opensWithOptions(written: Written) throws {
        var generator = SeededGenerator()
        let plaintexts = (0..<rounds(1, thorough: 100)).map { _ in Self.plaintext(&generator) }
        let files = try plaintexts.map { plaintext in
            try Self.message(
                plaintext, &generator, under: written.credential(), version: written.version)
        }
        let outcomes = try Self.outcomes(of: files, plaintexts, given: written.given)
        for (finding, isOpen) in outcomes {
            #expect(
                isOpen && finding.causes.contains(written.cause.rawValue),
                "\(generator) \(finding)")
        }
    }
}
