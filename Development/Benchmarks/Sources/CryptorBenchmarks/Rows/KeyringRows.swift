import CryptorFormat

/// Keyrings, rotation, and many records under one password, each beside the same under one pair of
/// keys.
enum KeyringRows {
    private static let plaintext = [UInt8](repeating: 7, count: 64)

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let times = setting.some(100_000)
        return [
            row("KeyedCryptor: decrypt under the primary of two", target: 0.98, setting) {
                let message = try Cryptor.encrypt(plaintext, with: keys(0))
                let (two, one) = (try KeyedCryptor(keyring(0...1)), try KeyedCryptor(keys(0)))
                return (
                    Contender(name: "two", messages: times) {
                        for _ in 0..<times { _ = try two.decrypt(message) }
                    },
                    Contender(name: "under one pair", messages: times) {
                        for _ in 0..<times { _ = try one.decrypt(message) }
                    }
                )
            },
            row("KeyedCryptor: rotate", target: 0.85, setting) {
                let message = try Cryptor.encrypt(plaintext, with: keys(1))
                let cryptor = try KeyedCryptor(keyring(0...1))
                return (
                    Contender(name: "rotate", messages: times) {
                        for _ in 0..<times { _ = try cryptor.rotate(message) }
                    },
                    Contender(name: "decrypt and encrypt, one after the other", messages: times) {
                        for _ in 0..<times { _ = try cryptor.encrypt(cryptor.decrypt(message)) }
                    }
                )
            },
            records("written", setting) { cryptor, plaintexts, _ in cryptor.encryptAll(plaintexts)
            },
            records("read", setting) { cryptor, _, messages in cryptor.decryptAll(messages) },
            // Each one keeps the caller's queue of OpenSSL errors; the limit does not.
            row("a wrong candidate, 64 bytes", target: 0.8, setting) {
                try wrongCandidates(setting.some(20_000))
            },
        ]
    }

    private static func row(
        _ name: String, target: Double, _ setting: Setting,
        _ makeContenders: @escaping () throws -> (ours: Contender, limit: Contender)
    ) -> Benchmark {
        .race(.small, name, target: target, rounds: setting.rounds) {
            let contenders = try makeContenders()
            return Race(unit: .time, ours: contenders.ours, limits: [contenders.limit])
        }
    }

    private static func keys(_ number: UInt8) throws -> Credential {
        .keys(
            try MessageKeys(
                encryptionKey: [UInt8](repeating: number, count: 32),
                hmacKey: [UInt8](repeating: number + 100, count: 32)))
    }

    private static func keyring(_ numbers: ClosedRange<UInt8>) throws -> Credential {
        try .keyring(primary: keys(numbers.lowerBound), previous: numbers.dropFirst().map(keys))
    }

    /// Under a password, what reads the records is another cryptor than the one that wrote them.
    private static func records(
        _ what: String, _ setting: Setting,
        _ work: @escaping (KeyedCryptor, [[UInt8]], [[UInt8]]) -> [Result<[UInt8], CryptorError>]
    ) -> Benchmark {
        func contender(_ name: String, _ credential: Credential) throws -> Contender {
            let plaintexts = [[UInt8]](repeating: plaintext, count: 10_000)
            let messages = try KeyedCryptor(credential).encryptAll(plaintexts).map { try $0.get() }
            let cryptor = try KeyedCryptor(credential)
            // Once, so that the keys are known afterwards: deriving them takes as long as some
            // thousand records.
            _ = try cryptor.decrypt(messages[0])
            return Contender(name: name, messages: plaintexts.count) {
                for result in work(cryptor, plaintexts, messages) { _ = try result.get() }
            }
        }
        return row("10,000 records under one password, \(what)", target: 0.85, setting) {
            (
                try contender("under a password", .password("correct horse battery staple")),
                try contender("under one pair of keys", keys(0))
            )
        }
    }

    /// Forged messages under a keyring of 16, each of which is wrong.
    private static func wrongCandidates(_ times: Int) throws -> (ours: Contender, limit: Contender)
    {
        let count = 16
        let message = try Cryptor.encrypt(plaintext, with: keys(99))
        let cryptor = try KeyedCryptor(keyring(0...UInt8(count - 1)))
        let exchange = try Exchange(byteCount: plaintext.count)
        exchange.message.bytes[exchange.message.count - 1] ^= 1
        return (
            Contender(name: "sixteen wrong pairs", messages: times * count) {
                for _ in 0..<times {
                    try check((try? cryptor.decrypt(message)) == nil, "it was opened")
                }
            },
            Contender(name: "HMAC by C", messages: times * count) {
                try exchange.primitives.refuse(
                    exchange.message, into: exchange.decrypted, times: times * count)
            }
        )
    }
}
