import CryptorFiles
import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// What is too long for memory is looked at in pieces, and what usually happens to a message is
/// found there, too.
@Suite struct LongContentsTests {
    private static let keyText = (0..<64).map { UInt8($0).hexadecimal }.joined()

    private static func credential(_ text: String = keyText) throws -> Credential {
        .keys(try MessageKeys(hexadecimal: text))
    }

    private static func diagnoser(_ credential: Credential) -> Diagnoser {
        Diagnoser(iterationsUpTo: 0, credentials: { [credential] }, shouldStop: { false })
    }

    /// Contents that count as long from 1 KiB on, with shorter ends.
    private static func contents(_ bytes: [UInt8]) throws -> Contents {
        var source = Contents.Source(
            byteCount: bytes.count, bytes: { Array(bytes[$0]) }, shouldStop: { false })
        source.shortByteCount = 1024
        source.edgeByteCount = 64 * 1024
        return try Contents(source)
    }

    /// So long that every byte occurs.
    private static func message(_ credential: Credential) throws -> [UInt8] {
        try Cryptor.encrypt(
            [UInt8]([[UInt8]](repeating: [UInt8](0...255), count: 600).joined()), with: credential,
            header: MessageHeader(salts: nil, iv: [UInt8](14...29)))
    }

    private static func text(_ message: [UInt8]) -> String { Data(message).base64EncodedString() }

    struct Change: Sendable, CustomTestStringConvertible {
        let causes: [Cause]
        let apply: @Sendable ([UInt8]) -> [UInt8]
        var testDescription: String { "\(causes.map(\.rawValue))" }

        init(_ causes: Cause..., apply: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            self.causes = causes
            self.apply = apply
        }

        static func text(
            _ causes: Cause..., apply: @escaping @Sendable (String) -> String
        ) -> Change {
            Change(causes: causes) { Array(apply(LongContentsTests.text($0)).utf8) }
        }

        private init(causes: [Cause], apply: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            self.causes = causes
            self.apply = apply
        }
    }

    static let changes: [Change] = [
        .text { $0 },
        Change {
            [UInt8](Data($0).base64EncodedData(options: .lineLength76Characters))
        },
        Change(.base64Spaces) { message in
            let lines = Data(message).base64EncodedString(options: .lineLength64Characters)
            return Array(lines.replacing("+", with: " ").utf8)
        },
        Change(.base64Pieces) { message in
            Array((text(message.prefix(1000) + []) + text(message.dropFirst(1000) + [])).utf8)
        },
        .text(.tableRow) { "17\t\($0)\tx\n" },
        .text(.base64) { text(Array($0.utf8)) },
        Change(.base64URL) { message in
            Array(
                text(message).replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "").utf8)
        },
        Change(.base64Spaces) { Array(text($0).replacing("+", with: " ").utf8) },
        Change(.hex) { Array($0.map(\.hexadecimal).joined().utf8) },
        Change(.hex) { Array("\\x\($0.map(\.hexadecimal).joined())".utf8) },
        Change(.hex) { Array($0.map { "0x\($0.hexadecimal)" }.joined(separator: ", ").utf8) },
        Change(.percentEncoded) { Array($0.map { "%\($0.hexadecimal)" }.joined().utf8) },
        Change(.quoted) {
            Array("b'\($0.map { "\\x\($0.hexadecimal)" }.joined())'".utf8)
        },
        .text(.byteOrderMark) { "\u{FEFF}\($0)" },
        .text(.dataURI) { "data:application/octet-stream;base64,\($0)" },
        .text(.quoted) { "'\($0)';\n" },
        .text(.jsonString) { "\"\($0.replacing("/", with: "\\/"))\"\n" },
        .text(.jsonObject) { "{\"id\": 7, \"data\": \"\($0)\", \"size\": 300000}" },
        .text(.plist) { "<plist><dict><data>\n\($0)\n</data></dict></plist>" },
        .text(.pem) { "-----BEGIN MESSAGE-----\n\($0)\n-----END MESSAGE-----\n" },
        Change(.utf16) { message in
            text(message).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        },
        Change(.latin1AsUTF8) { $0.flatMap { Array(String(Unicode.Scalar($0)).utf8) } },
        Change(.textMode) { $0.flatMap { $0 == 10 ? [13, 10] : [$0] } },
        Change(.leadingBytes) { Array("HTTP/1.1 200".utf8) + $0 },
        Change(.trailingNewline) { $0 + [10] },
        Change(.trailingBytes) { $0 + [UInt8](repeating: 0, count: 100_000) },
        Change(.trailingBytes) { $0 + Array("-- \nsent from my telephone".utf8) },
        Change(.severalMessages) { $0 + $0 },
        Change(.base64, .trailingBytes) { Array(text($0 + [0, 0]).utf8) },
    ]

    @Test(arguments: changes) func isFound(_ change: Change) throws {
        let bytes = try change.apply(Self.message(Self.credential()))
        var diagnoser = try Self.diagnoser(Self.credential())
        let short = try diagnoser.diagnosis(of: bytes)
        let long = try diagnoser.diagnosis(of: Self.contents(bytes))
        #expect(long.causes == change.causes && long.text == short.text, "\(long) \(short)")
    }

    @Test func opensOrNot() throws {
        let message = try Self.message(Self.credential())
        var diagnoser = try Self.diagnoser(Self.credential())
        #expect(try diagnoser.diagnosis(of: Self.contents(message)).opens)
        let swapped = Self.keyText.suffix(64) + Self.keyText.prefix(64)
        var other = try Self.diagnoser(Self.credential(String(swapped)))
        #expect(try other.diagnosis(of: Self.contents(message)).causes == [.keysSwapped])
        var altered = message
        altered[75_000] ^= 1
        let found = try diagnoser.diagnosis(of: Self.contents(altered))
        #expect(!found.opens && found.causes.isEmpty)
        #expect(
            found.advice
                == """
                Wrong password or keys, or the message was altered. More than two changes at once \
                are searched for up to 16 MiB only.
                """)
    }

    /// The end of the text is not among the last bytes, so nothing is certain.
    @Test func manyZerosBehindText() throws {
        let text = Self.text(try Self.message(Self.credential()))
        var diagnoser = try Self.diagnoser(Self.credential())
        let found = try diagnoser.diagnosis(
            of: Self.contents(Array(text.utf8) + [UInt8](repeating: 0, count: 100_000)))
        #expect(found.causes.isEmpty && !found.opens)
    }

    /// What is missing when it is read again is no message, and no error.
    @Test(arguments: 0..<20) func becomesShorter(readCount: Int) throws {
        let bytes = Array(Self.text(try Self.message(Self.credential())).utf8)
        var count = 0
        var source = Contents.Source(
            byteCount: bytes.count,
            bytes: { range in
                count += 1
                // Base64 text may have spaces, which stand for nothing.
                let isThere = count <= readCount
                return isThere ? Array(bytes[range]) : [UInt8](repeating: 32, count: range.count)
            }, shouldStop: { false })
        source.shortByteCount = 1024
        source.edgeByteCount = 64 * 1024
        var diagnoser = try Self.diagnoser(Self.credential())
        let found = try diagnoser.diagnosis(of: Contents(source))
        #expect(found.advice.hasSuffix("."), "\(found)")
    }

    @Test func whatIsNoMessage() throws {
        var diagnoser = try Self.diagnoser(Self.credential())
        func causes(_ bytes: [UInt8]) throws -> [Cause] {
            try diagnoser.diagnosis(of: Self.contents(bytes)).causes
        }
        let zeros = [UInt8](repeating: 0, count: 300_000)
        #expect(try causes(zeros) == [.onlyZeros])
        #expect(try causes(zeros.dropLast(150_000) + [1] + zeros.dropLast(150_001)) != [.onlyZeros])
        let text = String(repeating: "\u{FFFD}a", count: 50_000)
        #expect(try causes([3, 0] + text.utf8) == [.utf8Damaged])
        // A character that is divided by two pieces, and one that is not valid.
        #expect(try causes([3, 0, 32] + text.utf8) == [.utf8Damaged])
        #expect(try causes([3, 0] + text.utf8 + [0xFF] + text.utf8) != [.utf8Damaged])
        #expect(try causes(Array(String(repeating: "log\n", count: 50_000).utf8)) == [.foreign])
    }

    /// The same file, on both sides of the limit.
    @Test(arguments: Thoroughness.isThorough ? [15, 17, 300] : [15, 17])
    func aFile(mebibytes: Int) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("diagnosis-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("m").path
        let message = try Cryptor.encrypt(
            [UInt8](repeating: 0, count: mebibytes << 20), with: Self.credential())
        try Data(message).write(to: URL(filePath: path))
        var diagnoser = try Self.diagnoser(Self.credential())
        #expect(try diagnoser.diagnosis(of: path.endpoint).opens)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: UInt64(message.count) + 4096)
        let found = try diagnoser.diagnosis(of: path.endpoint)
        #expect(found.causes == [.trailingBytes], "\(found)")
        try file.truncate(atOffset: 0)
        try file.truncate(atOffset: UInt64(mebibytes) << 20)
        #expect(try diagnoser.diagnosis(of: path.endpoint).causes == [.onlyZeros])
    }

    /// A decoder gives the same for all bytes at once and for pieces of any length.
    @Test func pieces() throws {
        let message = try Self.message(Self.credential()).prefix(1000)
        let base64 = Data(message).base64EncodedString(options: .lineLength64Characters)
        let hexadecimal = message.map(\.hexadecimal)
        let decoders: [(String, () -> Decoder)] = [
            (base64, { Decoding.base64() }),
            (hexadecimal.joined(), { Decoding.hexadecimal() }),
            (hexadecimal.map { "\\x\($0)" }.joined(), { Decoding.hexadecimal() }),
            (hexadecimal.map { "0x\($0)" }.joined(separator: ","), { Decoding.hexadecimal() }),
            (hexadecimal.map { "%\($0)" }.joined(), { Decoding.percents() }),
            (hexadecimal.map { "\\x\($0)" }.joined(), { Decoding.escapesOfBytes() }),
            (hexadecimal.map { "=\n=\($0)=\r\n" }.joined(), { Decoding.quotedPrintable() }),
        ]
        var all = decoders.map { (Array($0.utf8), $1) }
        all += [
            (Array(message.flatMap { [$0, 0] }), { Decoding.utf16(hasHighByteFirst: false) }),
            (
                message.flatMap { Array(String(Unicode.Scalar($0)).utf8) },
                { Decoding.latin1AsUTF8() }
            ),
            (message.flatMap { $0 == 10 ? [13, 10] : [$0] }, { Decoding.carriageReturns() }),
        ]
        var generator = SeededGenerator()
        for (encoded, makeDecoder) in all {
            #expect(makeDecoder()(encoded, true) == Array(message))
            for longest in [1, 2, 7, 100] {
                let decode = makeDecoder()
                var decoded: [UInt8] = []
                var rest = encoded[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...longest, using: &generator))
                    rest = rest.dropFirst(piece.count)
                    decoded += try #require(decode(Array(piece), rest.isEmpty))
                }
                #expect(decoded == Array(message), "\(encoded.shortHex) \(generator)")
            }
        }
    }
}
