import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// The same of `diagnose --lines`: the advice on each line of a column is followed to the letter,
/// and opens the message.
@Suite(.onItsOwnThread) struct LineAdviceTests {
    private typealias Files = AdviceCommandTests

    private struct Finding: Decodable {
        let line: Int
        let opens: Bool?
        let causes: [String]
        let advice: String
        let possible: [String]
    }

    private struct Line {
        /// Without a newline at its end.
        let bytes: [UInt8]
        let plaintext: [UInt8]
        let damages: [Files.Damage]
        /// In base64.
        var messageStart = ""

        /// Whether nothing is left that says that there was a message.
        var isLost: Bool { !String(decoding: bytes, as: UTF8.self).contains(messageStart) }

        /// As a string of JSON.
        var json: [UInt8] { Array(Files.json(String(decoding: bytes, as: UTF8.self)).utf8) }
    }

    /// What a damaged message is in a column; nil if that has several lines. Bytes are in one of
    /// the spellings that are read there.
    private static func line(
        of damaged: [UInt8], _ generator: inout SeededGenerator
    ) -> [UInt8]? {
        var bytes = damaged
        while let last = bytes.last, last == 10 || last == 13, bytes.count > 200 {
            bytes.removeLast()
        }
        let isText = bytes.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 10 || $0 == 13 }
        if isText, String(validating: bytes, as: UTF8.self) != nil {
            return bytes.contains(10) ? nil : bytes
        }
        if Bool.random(using: &generator) { return Array(Files.base64(damaged).utf8) }
        return Array("\\\\x\(damaged.map(\.hexadecimal).joined())".utf8)
    }

    /// What opens the message of a line, if its advice is followed.
    private static func script(_ column: String, _ finding: Finding, isString: Bool) -> String {
        let commands = Files.commands(in: finding.advice)
        // Lines that belong together are extracted from the column.
        let hasLines = commands.first?.hasPrefix("sed -n ") == true
        var stages = hasLines ? ["cat \(column)"] : ["sed -n \(finding.line)p \(column)"]
        stages += commands
        if finding.opens == true {
            stages.append(
                "$RNCRYPTOR decrypt --lines \(isString ? "--json" : "") --key-file key")
            stages.append("tr -d '\"\\n'")
        } else {
            stages.append(Files.decryption("--key-file key", finding.advice))
        }
        return "\(stages.joined(separator: " | ")) | cmp -s - p\(finding.line)"
    }

    /// What `diagnose --lines --json` says of each line, and which of them are open after its
    /// advice.
    private static func outcomes(
        of lines: [Line], isJSON: Bool
    ) throws -> [(finding: Finding, isOpen: Bool)] {
        let place = try Workplace()
        var column: [UInt8] = []
        for (index, line) in lines.enumerated() {
            column += (isJSON ? line.json : line.bytes) + [10]
            try place.write(Data(line.plaintext), to: "p\(index + 1)")
        }
        try place.write(Data(column), to: "column")
        let output = try place.shell("$RNCRYPTOR diagnose --lines --json --key-file key column")
            .output
        let findings = try output.split(separator: 10).map {
            try JSONDecoder().decode(Finding.self, from: $0)
        }
        try #require(findings.map(\.line) == Array(1...lines.count))
        let script = zip(findings, lines).map { finding, line in
            let isString = isJSON || line.bytes.first == UInt8(ascii: "\"")
            return "\(Self.script("column", finding, isString: isString)) && echo \(finding.line)"
        }
        try place.write(script.joined(separator: "\n"), to: "script")
        let open = String(
            decoding: try place.shell(". ./script 2>/dev/null").output, as: UTF8.self)
        let numbers = Set(open.split(separator: "\n").compactMap { Int($0) })
        if !isJSON { try checkReport(place, findings, lines) }
        return findings.map { ($0, numbers.contains($0.line)) }
    }

    /// What people read has the advice on the first line of each kind.
    private static func checkReport(
        _ place: Workplace, _ findings: [Finding], _ lines: [Line]
    ) throws {
        let output = try place.shell("$RNCRYPTOR diagnose --lines --key-file key column").output
        let report = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let pattern = try Regex("^.+: (?:line|[0-9]+ lines, the first is) ([0-9]+)[.] (.*)$")
        var count = 0
        for row in report {
            guard let match = try pattern.wholeMatch(in: row),
                let number = match[1].substring.flatMap({ Int($0) }),
                let advice = match[2].substring
            else { continue }
            count += 1
            // That is read with --json.
            let isString = lines[number - 1].bytes.first == UInt8(ascii: "\"")
            let expected = findings[number - 1].advice
            #expect(isString || advice.contains(expected), "\(row) \(expected)")
        }
        #expect(count > 0)
    }

    /// Lines with one or two damages.
    private static func lines(
        _ all: [Files.Damage], _ generator: inout SeededGenerator, both: Bool = false
    ) throws -> [Line] {
        try all.compactMap { damage in
            let plaintext = Files.plaintext(&generator)
            var damages = [damage]
            if both, let other = all.randomElement(using: &generator) { damages.append(other) }
            let message = try Files.message(plaintext, &generator)
            let damaged = damages.reduce(message) { $1.apply($0, &generator) }
            guard let line = line(of: damaged, &generator) else { return nil }
            return Line(
                bytes: line, plaintext: plaintext, damages: damages,
                messageStart: String(Files.base64(message).prefix(12)))
        }
    }

    @Test(arguments: [false, true]) func opensAfterwards(isJSON: Bool) throws {
        var generator = SeededGenerator(
            seed: Thoroughness.isThorough ? SeededGenerator.processSeed : 1)
        for _ in 0..<rounds(1, thorough: 50) {
            let lines = try Self.lines(Files.damages, &generator)
            #expect(lines.count > 60)
            let some = isJSON ? sample(12, of: lines) : lines
            for (line, (finding, isOpen)) in zip(some, try Self.outcomes(of: some, isJSON: isJSON))
            {
                let isNamed = finding.opens == true || !finding.causes.isEmpty
                // Every line is in base64 or hexadecimal digits.
                let isRead = finding.causes.first == "base64" && line.damages[0].cause != .base64
                #expect(
                    isNamed && isOpen && !isRead,
                    "\(generator) \(line.damages) \(finding) \(line.bytes.shortHex)")
            }
        }
    }

    /// Of lines with one or two damages or losses: what is certain is right.
    @Test func nothingCertainIsWrong() throws {
        var generator = SeededGenerator(
            seed: Thoroughness.isThorough ? SeededGenerator.processSeed : 1)
        var tally: [String: Int] = [:]
        for round in 0..<rounds(1, thorough: 50) {
            let all = Files.damages + Files.losses + Files.losses
            let both = try Self.lines(all.shuffled(using: &generator), &generator, both: true)
            let some = Thoroughness.isThorough ? both : Array(both.prefix(40))
            let isJSON = round % 4 == 3
            for (line, (finding, isOpen)) in zip(some, try Self.outcomes(of: some, isJSON: isJSON))
            {
                let happened = line.damages.map(\.cause)
                let names = finding.causes.compactMap(Cause.init(rawValue:))
                let lost = names.filter { Files.withoutCure[$0] != nil && $0 != .wrappedLines }
                let kind: String
                if names.isEmpty, finding.opens != true {
                    kind = "not named"
                } else if lost.isEmpty {
                    kind = isOpen ? "opened" : "WRONG"
                } else {
                    let isRight =
                        lost == [.truncated]
                        && !Files.changesOfLength.isDisjoint(with: happened)
                        || lost == [.foreign] && happened.last == .truncated && line.isLost
                    kind = isRight ? "lost" : "WRONG"
                }
                tally[kind, default: 0] += 1
                #expect(
                    kind != "WRONG",
                    "\(generator) \(line.damages) \(finding) \(line.bytes.shortHex)")
            }
        }
        if Thoroughness.isThorough { print("TALLY lines: \(tally)") }
    }

    /// One message in several lines of the column.
    @Test(arguments: [64, 76]) func wrappedLinesAreOneMessage(length: Int) throws {
        var generator = SeededGenerator()
        let plaintexts = (0..<rounds(4, thorough: 100)).map { _ in Files.plaintext(&generator) }
        var lines: [Line] = []
        for plaintext in plaintexts {
            let message = Files.base64(try Files.message(plaintext, &generator))
            for part in Files.lines(message, length).split(separator: "\n") {
                lines.append(Line(bytes: Array(part.utf8), plaintext: plaintext, damages: []))
            }
        }
        for (finding, isOpen) in try Self.outcomes(of: lines, isJSON: false) {
            #expect(finding.causes == ["wrapped-lines"] && isOpen, "\(generator) \(finding)")
        }
    }
}
