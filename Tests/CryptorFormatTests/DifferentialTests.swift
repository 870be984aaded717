import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// The library agrees with two implementations in Python on random messages each way.
@Suite(.enabled(if: PythonPeer.isGiven, "CRYPTORFORMAT_PYTHON names no Python with rncryptor"))
struct DifferentialTests {

    private struct Case {
        let plaintext: [UInt8]
        let secret: Secret
        let version: UInt8
        let truncation: PythonPeer.Truncation

        /// Whether the writer uses only a part of the password.
        var isShortened: Bool {
            guard version != 3, case .password(let text, _) = secret else { return false }
            let count =
                switch truncation {
                case .none: text.utf8.count
                case .utf16Units: text.utf16.count
                case .codePoints: text.unicodeScalars.count
                }
            // HMAC fills a key of up to 64 bytes up with zeros: NULs at its end make no other
            // password.
            let rest = text.utf8.dropFirst(count)
            return !rest.isEmpty && (text.utf8.count > 64 || rest.contains { $0 != 0 })
        }
    }

    /// - Parameter stream: another number for each test, so that no two tests have the same cases.
    private func cases(
        _ stream: UInt64, versions: [UInt8] = [3], passwordsOnly: Bool = false
    ) throws
        -> [Case]
    {
        var generator = SeededGenerator(seed: SeededGenerator.processSeed &+ stream)
        let few = passwordsOnly ? 60 : 250
        return try (0..<rounds(few, thorough: 4 * few)).map { number in
            let plaintext = generator.bytes(length(&generator))
            let version = versions[number % versions.count]
            // In Python, a password takes a hundred times as long as keys.
            let isPassword = passwordsOnly || Int.random(in: 0..<4, using: &generator) == 0
            let secret = isPassword ? Secret.password(password(&generator)) : try keys(&generator)
            let truncations = version == 3 ? [.none] : PythonPeer.Truncation.allCases
            let truncation = try #require(truncations.randomElement(using: &generator))
            return Case(
                plaintext: plaintext, secret: secret, version: version, truncation: truncation)
        }
    }

    /// Most lengths are around the ends of blocks, and some around 4,096 bytes, where the counter
    /// of version 0 repeats.
    private func length(_ generator: inout SeededGenerator) -> Int {
        switch Int.random(in: 0...9, using: &generator) {
        case 0...2: Int.random(in: 0...33, using: &generator)
        case 3...7:
            max(
                0,
                16 * Int.random(in: 0...20, using: &generator)
                    + Int.random(in: -1...1, using: &generator))
        case 8: Int.random(in: 4080...4112, using: &generator)
        default: Int.random(in: 0...10_000, using: &generator)
        }
    }

    private func password(_ generator: inout SeededGenerator) -> String {
        let alphabets = ["abcXYZ019 .-_", "aé ß漢字", "🔐a\u{301}👩‍👩‍👧\u{0}\n"]
        let alphabet = Array(alphabets[Int.random(in: 0...2, using: &generator)].unicodeScalars)
        let count = Int.random(
            in: 1...(Bool.random(using: &generator) ? 12 : 80), using: &generator)
        var text = String.UnicodeScalarView()
        for _ in 0..<count {
            text.append(alphabet[Int.random(in: alphabet.indices, using: &generator)])
        }
        return text.allSatisfy { $0 == "\0" } ? "a" : String(text)
    }

    private func keys(_ generator: inout SeededGenerator) throws -> Secret {
        .keys(encryption: generator.bytes(32), hmac: generator.bytes(32))
    }

    private func expectNone(_ differences: [String], of count: Int) {
        #expect(count >= 60)
        let first = differences.prefix(3).joined(separator: "\n")
        #expect(
            differences.isEmpty, "\(differences.count) differences, \(SeededGenerator()): \(first)")
    }

    private func weReadTheirs(_ task: PythonPeer.Task, _ cases: [Case]) throws {
        let requests = cases.enumerated().map { number, test in
            PythonPeer.Request(
                task, test.plaintext, test.secret, name: "\(SeededGenerator())/\(number)",
                version: test.version,
                truncation: test.truncation)
        }
        let answers = try PythonPeer.answers(to: requests)
        var differences: [String] = []
        for (test, answer) in zip(cases, answers) {
            let message = try [UInt8](hex: answer)
            let password = try test.secret.credential
            func decrypted(_ credential: Credential) -> Result<[UInt8], CryptorError> {
                Result { () throws(CryptorError) in
                    test.version == 0
                        ? try Cryptor.decryptVersion0(message, with: credential)
                        : try Cryptor.decrypt(message, with: credential, accepting: .everything)
                }
            }
            let result = decrypted(try password.withShortenedReadings())
            // Without the option, a message under a shortened password is refused. Version 3 has no
            // such option.
            let underAllBytes = test.version == 3 ? result : decrypted(password)
            let expected =
                test.isShortened
                ? .failure(CryptorError.authenticationFailed) : Result.success(test.plaintext)
            if result != .success(test.plaintext) || underAllBytes != expected {
                differences.append(
                    "\(test), message \(message.hex): \(result), under all bytes \(underAllBytes)")
            } else if message.first != test.version {
                differences.append("\(message.shortHex) is no version \(test.version)")
            }
        }
        expectNone(differences, of: answers.count)
    }

    private func theyReadOurs(_ task: PythonPeer.Task, _ cases: [Case]) throws {
        let messages = try cases.map { test in
            try Cryptor.encrypt(test.plaintext, with: test.secret.credential)
        }
        let requests = zip(cases, messages).map { test, message in
            PythonPeer.Request(task, message, test.secret)
        }
        let answers = try PythonPeer.answers(to: requests)
        var differences: [String] = []
        for ((test, message), answer) in zip(zip(cases, messages), answers)
        where answer != test.plaintext.hex {
            differences.append("\(test), message \(message.hex): \(answer)")
        }
        expectNone(differences, of: answers.count)
    }

    @Test func weReadEveryVersion() throws {
        try weReadTheirs(.vectorsWrite, cases(1, versions: [3, 2, 1, 0]))
    }

    @Test func theyReadOurs() throws { try theyReadOurs(.vectorsRead, cases(2)) }

    @Test func weReadPyPIs() throws {
        try weReadTheirs(.publishedWrite, cases(3, passwordsOnly: true))
    }

    @Test func pyPIReadsOurs() throws {
        try theyReadOurs(.publishedRead, cases(4, passwordsOnly: true))
    }
}
