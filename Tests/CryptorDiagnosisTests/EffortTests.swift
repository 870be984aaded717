import CryptorFormat
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorDiagnosis

/// What a diagnosis costs, and when it ends.
@Suite struct EffortTests {
    private static func diagnosis(of text: String) throws -> Diagnosis {
        var diagnoser = Diagnoser(
            iterationsUpTo: 0, credentials: { throw CocoaError(.featureUnsupported) },
            shouldStop: { false })
        return try diagnoser.diagnosis(of: Array(text.utf8))
    }

    /// If something ran on to the end of the text for each of many places, these would take
    /// minutes.
    @Test(arguments: [
        ("[{}", ",{\"id\":7,\"n\":\"\"}", "]", "JSON"),
        ("[\"", "\", \"", "\"]", "JSON"), ("[[", "[", "", "JSON"), ("[", "{\"a\":", "", "JSON"),
        ("[\"\\\"", "\\\"", "", "JSON"), ("<a>", "<data>", "", "XML"), ("<a>", "<", "", "XML"),
        ("[\"" + String(repeating: "x", count: 64) + "\"", ",\"", "", "JSON"),
    ])
    func isLinear(start: String, unit: String, end: String, name: String) throws {
        let text = start + String(repeating: unit, count: 100_000 / unit.utf8.count) + end
        let found = try Self.diagnosis(of: text)
        #expect(found.causes == [.foreign] && found.advice.contains(" \(name)"), "\(found)")
    }

    @Test func isLinearInBytes() throws {
        for unit in ["bplist00\u{4F}\u{13}", "\u{3}\u{2}", "\u{5F}\u{10}\u{7F}"] {
            let found = try Self.diagnosis(
                of: "bplist00" + String(repeating: unit, count: 50_000 / unit.utf8.count))
            #expect(found.causes == [.foreign], "\(found)")
        }
    }

    /// Lines of which each may be the next of one message, or the first of another.
    @Test func isLinearInLines() {
        func decodedByteCount(lineCount: Int) -> Int {
            var count = 0
            func makeText() -> WrappedText {
                WrappedText { text in
                    count += text.count
                    return Decoding.base64()(text, true)
                }
            }
            var wrapped = makeText()
            let first = Array(repeating: UInt8(ascii: "A"), count: 60)
            for number in 0..<lineCount {
                let start = number == 1 ? "BBBB" : "AwAA"
                let line = Array(start.utf8) + first
                if wrapped.take(line) { continue }
                wrapped = makeText()
                _ = wrapped.take(line)
            }
            return count
        }
        let (few, many) = (decodedByteCount(lineCount: 500), decodedByteCount(lineCount: 5000))
        #expect(many > 0 && many < 20 * few, "\(few) and \(many) bytes")
    }

    @Test func asksOnceForCredentials() throws {
        var count = 0
        let credential = Credential.keys(try .random())
        var diagnoser = Diagnoser(
            iterationsUpTo: 0,
            credentials: {
                count += 1
                return [credential]
            },
            shouldStop: { false })
        let foreign: [[UInt8]] = [[], Array("%PDF-1.7".utf8), [0, 0, 0], Array("Dear all".utf8)]
        for bytes in foreign { _ = try diagnoser.diagnosis(of: bytes) }
        #expect(count == 0)
        let message = try Cryptor.encrypt([7], with: credential)
        for bytes in [message, Array(Data(message).base64EncodedString().utf8), message + [10]] {
            _ = try diagnoser.diagnosis(of: bytes)
        }
        #expect(count == 1)
    }

    private struct Refusal: Error {}

    @Test func passesOnAnErrorOfCredentials() throws {
        let message = try Cryptor.encrypt([7], with: .keys(.random()))
        var diagnoser = Diagnoser(
            iterationsUpTo: 0, credentials: { throw Refusal() }, shouldStop: { false })
        let error = #expect(throws: CryptorError.self) { try diagnoser.diagnosis(of: message) }
        #expect(error?.code == .callbackFailed && error?.underlyingError is Refusal)
    }

    /// However often it was asked before, the search ends by the next answer.
    @Test(arguments: ["message", "text", "suspects"]) func stopsWhenAsked(what: String) throws {
        let isOfPassword = what == "suspects"
        let message = try Cryptor.encrypt(
            [UInt8](0...255), with: isOfPassword ? .password("a") : .keys(.random()))
        let bytes = what == "text" ? Array(Data(message).base64EncodedString().utf8) : message
        let credential: Credential = isOfPassword ? try .password("b") : .keys(try .random())
        var count = 0
        var limit = Int.max
        var diagnoser = Diagnoser(
            iterationsUpTo: 0, credentials: { [credential] },
            shouldStop: {
                count += 1
                return count > limit
            })
        _ = try diagnoser.diagnosis(of: bytes)
        let total = count
        #expect(total > 4)
        for answers in [0, total / 2, total - 1] {
            (count, limit) = (0, answers)
            let error = #expect(throws: CryptorError.self) { try diagnoser.diagnosis(of: bytes) }
            #expect(error?.code == .cancelled && count == answers + 1)
        }
    }
}
