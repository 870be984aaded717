#if Lanes
import CryptorPrimitives
import CryptorTestSupport
import Testing

/// Every engine derives the same keys as OpenSSL.
@Suite struct LaneAgreementTests {
    static let engines = PBKDF2.Engine.allCases.filter { $0 != .openSSL && $0.isAvailable }

    private func reference(_ password: [UInt8], _ salt: [UInt8], _ iterations: Int) throws -> [UInt8] {
        try PBKDF2.deriveKey(
            password: SecretBytes(password), salt: salt, iterations: iterations, engine: .openSSL
        ).plain
    }

    /// Derives two keys at once and one alone.
    private func check(
        _ engine: PBKDF2.Engine, _ password: [UInt8], _ salts: ([UInt8], [UInt8]), _ iterations: Int,
        _ expected: ([UInt8], [UInt8]), _ comment: Comment
    ) throws {
        let secret = SecretBytes(password)
        let requests = [salts.0, salts.1].map { PBKDF2.Request(password: secret, salt: $0) }
        let keys = try PBKDF2.deriveKeys(for: requests, iterations: iterations, engine: engine)
        #expect(keys.map(\.plain) == [expected.0, expected.1], comment)
        let key = try PBKDF2.deriveKey(password: secret, salt: salts.1, iterations: iterations, engine: engine)
        #expect(key.plain == expected.1, comment)
    }

    @Test(arguments: engines)
    func randomQuestions(engine: PBKDF2.Engine) throws {
        var random = SeededGenerator()
        let seed = random.description
        for number in 0..<repetitions(10_000) {
            let password = random.bytes(.random(in: 0...300, using: &random))
            let salts = (
                random.bytes(number.isMultiple(of: 2) ? 8 : .random(in: 0...200, using: &random)), random.bytes(8)
            )
            let iterations = number.isMultiple(of: 2_500) ? 10_000 : Int.random(in: 1...20, using: &random)
            let expected = (
                try reference(password, salts.0, iterations), try reference(password, salts.1, iterations)
            )
            try check(engine, password, salts, iterations, expected, "number \(number), \(seed)")
        }
    }

    /// Keys agree for lengths around the block of 64 bytes, and around the block less what SHA-1 adds to a message and
    /// PBKDF2 to a salt.
    @Test(arguments: engines)
    func lengthsOfPasswordsAndSalts(engine: PBKDF2.Engine) throws {
        var random = SeededGenerator()
        let seed = random.description
        for passwordByteCount in [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 300, 100_000] {
            let password = random.bytes(passwordByteCount)
            for saltByteCount in [0, 1, 8, 16, 50, 51, 52, 53, 59, 60, 61, 63, 64, 65, 115, 116, 200] {
                let salts = (random.bytes(saltByteCount), random.bytes(saltByteCount))
                let expected = (try reference(password, salts.0, 3), try reference(password, salts.1, 3))
                try check(
                    engine, password, salts, 3, expected,
                    "a password of \(passwordByteCount) bytes, salts of \(saltByteCount), \(seed)")
            }
        }
    }

    @Test(arguments: engines)
    func batches(engine: PBKDF2.Engine) throws {
        var random = SeededGenerator()
        let seed = random.description
        for count in 0...40 {
            var password = SecretBytes([])
            let questions = (0..<count).map { _ in
                // Some requests have the password of the one before.
                if Bool.random(using: &random) {
                    password = SecretBytes(random.bytes(.random(in: 0...100, using: &random)))
                }
                return (password, salt: random.bytes(.random(in: 0...20, using: &random)))
            }
            let keys = try PBKDF2.deriveKeys(
                for: questions.map { PBKDF2.Request(password: $0, salt: $1) }, iterations: 5, engine: engine)
            let expected = try questions.map { try reference($0.plain, $1, 5) }
            #expect(keys.map(\.plain) == expected, "\(count) keys, \(seed)")
        }
    }

    @Test(arguments: engines + [.openSSL])
    func wycheproof(engine: PBKDF2.Engine) throws {
        for test in try WycheproofTests.derivations() {
            let key = try PBKDF2.deriveKey(
                password: SecretBytes(test.password.bytes), salt: test.salt.bytes, iterations: test.iterations,
                engine: engine)
            let count = min(key.count, test.key.bytes.count)
            #expect(key.plain.prefix(count) == test.key.bytes.prefix(count), "case \(test.id), \(test.comment)")
        }
    }
}
#endif
