import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// What all lines of a column may take together.
@Suite struct LineDiagnosisTests {
    private static func diagnoser(_ password: String) throws -> Diagnoser {
        let credential = try Credential.password(password)
        return Diagnoser(
            iterationsUpTo: 0,
            decodingLines: { text in
                Data(base64Encoded: Data(text)).map { Array($0) }
            },
            credentials: { [credential] }, shouldStop: { false })
    }

    /// Lines of messages under a password, each with salts of its own or all with the same ones.
    private static func lines(
        _ password: String, _ numbers: Range<UInt8>, sharingSalts: Bool = false
    ) throws -> [[UInt8]] {
        let credential = try Credential.password(password)
        return try numbers.map { number in
            let saltNumber = sharingSalts ? numbers.lowerBound : number
            let salt = [UInt8](repeating: 100 + saltNumber, count: 8)
            let header = MessageHeader(
                salts: .init(encryption: salt, hmac: salt), iv: [UInt8](repeating: 7, count: 16))
            let message = try Cryptor.encrypt([number], with: credential, header: header)
            return Array(Data(message).base64EncodedString().utf8)
        }
    }

    private static func isPartial(_ found: Diagnosis) -> Bool {
        found.advice.contains("The full search has stopped")
    }

    @Test(arguments: [false, true]) func stopsAfterUnexplainedLines(sharingSalts: Bool) throws {
        var diagnoser = try Self.diagnoser("given")
        for (index, line) in try Self.lines("wrong", 1..<12, sharingSalts: sharingSalts)
            .enumerated()
        {
            let found = try diagnoser.diagnosis(ofLine: line, isRefused: true)
            #expect(found.causes.isEmpty && found.possible == [.truncated, .iterations])
            #expect(Self.isPartial(found) == (index >= 8), "\(index): \(found)")
        }
        // Salts that are new are searched in full if few others were.
        for line in try Self.lines("given\n", 50..<51) {
            let found = try diagnoser.diagnosis(ofLine: line, isRefused: true)
            #expect(found.causes == (sharingSalts ? [.passwordNewline] : []), "\(found)")
            #expect(Self.isPartial(found) != sharingSalts)
        }
    }

    /// What is truncated, or looks like a message from a later byte on, takes nothing from the
    /// search.
    @Test func keepsTheSearchForMessages() throws {
        var diagnoser = try Self.diagnoser("given")
        for line in try Self.lines("wrong", 1..<12) {
            let found = try diagnoser.diagnosis(ofLine: line.dropLast(4), isRefused: false)
            #expect(found.causes == [.truncated])
        }
        let message = try Data(base64Encoded: Data(Self.lines("wrong", 1..<2)[0])).map { Array($0) }
        for number in UInt8(1)..<12 {
            // It may begin at its fifth byte as well.
            let like = [3, 0, 1, number, 3, 1, number] + (message ?? []).dropFirst(7)
            let text = Array(Data(like).base64EncodedString().utf8)
            _ = try diagnoser.diagnosis(ofLine: text, isRefused: true)
        }
        for line in try Self.lines("given\n", 20..<21) {
            let found = try diagnoser.diagnosis(ofLine: line, isRefused: true)
            #expect(found.causes == [.passwordNewline], "\(found)")
        }
    }

    /// The search has stopped, but what it found before is tried on each line.
    @Test func knowsWhatExplainedLines() throws {
        var diagnoser = try Self.diagnoser("given")
        let explained = try Self.lines("given\n", 1..<4)
        for line in try explained + Self.lines("wrong", 20..<40) + explained + explained {
            let found = try diagnoser.diagnosis(ofLine: line, isRefused: true)
            #expect(found.causes == (explained.contains(line) ? [.passwordNewline] : []))
        }
    }

    /// The way in which lines are read is no cause, alone or under others.
    @Test func namesNoSpelling() throws {
        var diagnoser = try Self.diagnoser("given")
        let message = try Self.lines("given", 1..<2)[0]
        let quoted = Array("'".utf8) + message + Array("'".utf8)
        let twice = Array(Data(message).base64EncodedString().utf8)
        let cases: [([UInt8], [Cause])] = [
            (quoted, [.quoted]), (twice, [.base64]), (message.dropLast(4), [.truncated]),
            (Array("AwEA".utf8), [.truncated]), (Array("Dear".utf8), [.foreign]),
            (Array("\"".utf8) + message.dropLast(9) + Array("!\"".utf8), []),
        ]
        for (line, causes) in cases {
            let found = try diagnoser.diagnosis(ofLine: line, isRefused: false)
            #expect(found.causes == causes && !found.opens, "\(found)")
            let spellings: [Cause] = [.base64, .base64URL, .hex]
            #expect(Set(found.possible).isDisjoint(with: spellings))
        }
        #expect(try diagnoser.diagnosis(ofLine: message, isRefused: false).opens)
    }

    /// If nothing that is given opens a line, that is not tried again: of the keys, those of a few
    /// lines at most are derived.
    @Test func derivesNothingForMostRefusedLines() throws {
        var diagnoser = try Self.diagnoser("given")
        for line in try Self.lines("wrong", 1..<12) {
            _ = try diagnoser.diagnosis(ofLine: line, isRefused: true)
        }
        // It is not refused, which only a derivation would tell.
        let right = try Self.lines("given", 90..<91)[0]
        #expect(try !diagnoser.diagnosis(ofLine: right, isRefused: true).opens)
        #expect(try diagnoser.diagnosis(ofLine: right, isRefused: false).opens)
    }
}
