#if Lanes
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives

/// Every engine derives the same keys as OpenSSL.
@Suite struct LaneAgreementTests {
    static let engines = PBKDF2.Engine.allCases.filter { $0 != .openSSL && $0.isAvailable }

    private func reference(_ password: [UInt8], _ salt: [UInt8], _ iterations: Int) throws
        -> [UInt8]
    {
        try PBKDF2.deriveKey(
            password: SecretBytes(password), salt: salt, iterations: iterations, engine: .openSSL
        ).plain
    }

    /// Keys agree for lengths around the block of 64 bytes, and around the block less what SHA-1
    /// adds to a message and PBKDF2 to a salt.
    @Test(arguments: engines)
    func lengthsOfPasswordsAndSalts(engine: PBKDF2.Engine) throws {
        var random = SeededGenerator()
        let seed = random.description
        for passwordByteCount in [
            0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 300, 100_000,
        ] {
            let password = random.bytes(passwordByteCount)
            for saltByteCount in [
                0, 1, 8, 16, 50, 51, 52, 53, 59, 60, 61, 63, 64, 65, 115, 116, 200,
            ] {
                let salts = [random.bytes(saltByteCount), random.bytes(saltByteCount)]
                let expected = try salts.map { try reference(password, $0, 3) }
                let requests = salts.map {
                    PBKDF2.Request(password: SecretBytes(password), salt: $0)
                }
                let comment: Comment =
                    "a password of \(passwordByteCount) bytes, salts of \(saltByteCount), \(seed)"
                let together = try PBKDF2.deriveKeys(for: requests, iterations: 3, engine: engine)
                #expect(together.map(\.plain) == expected, comment)
                let alone = try PBKDF2.deriveKeys(for: [requests[1]], iterations: 3, engine: engine)
                #expect(alone.map(\.plain) == [expected[1]], comment)
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
            for iterations in [1, 2, 5, count == 16 ? 10_000 : 20] {
                let keys = try PBKDF2.deriveKeys(
                    for: questions.map { PBKDF2.Request(password: $0, salt: $1) },
                    iterations: iterations,
                    engine: engine)
                let expected = try questions.map { try reference($0.plain, $1, iterations) }
                #expect(
                    keys.map(\.plain) == expected,
                    "\(count) keys, \(iterations) iterations, \(seed)")
            }
        }
    }

    @Test(arguments: engines + [.openSSL])
    func wycheproof(engine: PBKDF2.Engine) throws {
        for test in try WycheproofTests.derivations() {
            let key = try PBKDF2.deriveKey(
                password: SecretBytes(test.password.bytes), salt: test.salt.bytes,
                iterations: test.iterations,
                engine: engine)
            let count = min(key.count, test.key.bytes.count)
            #expect(
                key.plain.prefix(count) == test.key.bytes.prefix(count),
                "case \(test.id), \(test.comment)")
        }
    }
}
#endif
