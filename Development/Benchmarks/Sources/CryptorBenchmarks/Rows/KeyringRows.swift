import CryptorFormat

/// Keyrings, rotation, and many records under one password, each beside the same under one pair of keys.
enum KeyringRows {
    private static let plaintext = [UInt8](repeating: 7, count: 64)

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            row("KeyedCryptor: decrypt under the primary of two", "under one pair", 0.98, setting) {
                (times) throws(CryptorError) in
                let message = try Cryptor.encrypt(plaintext, with: .keys(pair(0)))
                let (two, one) = (try KeyedCryptor(.keyring(keys: [0, 1])), try KeyedCryptor(pair(0)))
                return (
                    { () throws(CryptorError) in for _ in 0..<times { _ = try two.decrypt(message) } },
                    { () throws(CryptorError) in for _ in 0..<times { _ = try one.decrypt(message) } }
                )
            },
            row("KeyedCryptor: rotate", "decrypt and encrypt, one after the other", 0.85, setting) {
                (times) throws(CryptorError) in
                let message = try Cryptor.encrypt(plaintext, with: .keys(pair(1)))
                let cryptor = try KeyedCryptor(.keyring(keys: [0, 1]))
                return (
                    { () throws(CryptorError) in for _ in 0..<times { _ = try cryptor.rotate(message) } },
                    { () throws(CryptorError) in
                        for _ in 0..<times { _ = try cryptor.encrypt(cryptor.decrypt(message)) }
                    }
                )
            },
            records("10,000 records under one password, written", setting) { (cryptor, plaintexts, _) in
                cryptor.encryptAll(plaintexts)
            },
            records("10,000 records under one password, read", setting) { (cryptor, _, messages) in
                cryptor.decryptAll(messages)
            },
            Benchmark(
                section: .small, name: "a wrong candidate, 64 bytes",
                target: 1 / 1.15, work: .race(rounds: setting.rounds, wrongCandidates)),
        ]
    }

    private static func pair(_ number: UInt8) throws(CryptorError) -> KeyPair {
        try KeyPair(
            encryptionKey: [UInt8](repeating: number, count: 32), hmacKey: [UInt8](repeating: number + 100, count: 32))
    }

    private typealias Work = () throws(CryptorError) -> Void

    private static func row(
        _ name: String, _ limit: String, _ target: Double, _ setting: Setting,
        _ work: @escaping (Int) throws(CryptorError) -> (ours: Work, limit: Work)
    ) -> Benchmark {
        Benchmark(
            section: .small, name: name, target: target,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                let times = setting.some(100_000)
                let work = try calling(name) { () throws(CryptorError) in try work(times) }
                return Race(
                    unit: .time, ours: contender(name, times, work.ours), limits: [contender(limit, times, work.limit)])
            })
    }

    private static func contender(_ name: String, _ messages: Int, _ work: @escaping Work) -> Contender {
        Contender(name: name, messages: messages) { () throws(BenchmarkError) in try calling(name, work) }
    }

    /// Under a password, what reads the records is another cryptor than the one that wrote them.
    private static func records(
        _ name: String, _ setting: Setting,
        _ work: @escaping (KeyedCryptor, [[UInt8]], [[UInt8]]) -> [Result<[UInt8], CryptorError>]
    ) -> Benchmark {
        row(name, "under one pair of keys", 0.85, setting) { (_) throws(CryptorError) in
            func repeated(under credential: Credential) throws(CryptorError) -> Work {
                let plaintexts = [[UInt8]](repeating: plaintext, count: 10_000)
                let writer = try KeyedCryptor(credential)
                var messages: [[UInt8]] = []
                for message in writer.encryptAll(plaintexts) { messages.append(try message.get()) }
                let cryptor = try KeyedCryptor(credential)
                // Once, so that the keys are known afterwards: deriving them takes as long as some thousand records.
                _ = try cryptor.decrypt(messages[0])
                return { () throws(CryptorError) in
                    for result in work(cryptor, plaintexts, messages) { _ = try result.get() }
                }
            }
            return (try repeated(under: .password("correct horse battery staple")), try repeated(under: .keys(pair(0))))
        }
    }

    /// Forged messages under a keyring of 16, each of which is wrong.
    private static func wrongCandidates(_ setting: Setting) throws(BenchmarkError) -> Race {
        let (times, count) = (setting.some(20_000), 16)
        var message: [UInt8] = []
        let cryptor = try calling("keyring") { () throws(CryptorError) in
            message = try Cryptor.encrypt(plaintext, with: .keys(pair(99)))
            return try KeyedCryptor(.keyring(keys: Array(0..<UInt8(count))))
        }
        let exchange = try Exchange(byteCount: plaintext.count)
        exchange.message.bytes[exchange.message.count - 1] ^= 1
        return Race(
            unit: .time,
            ours: Contender(name: "sixteen wrong pairs", messages: times * count) { () throws(BenchmarkError) in
                for _ in 0..<times { try check((try? cryptor.decrypt(message)) == nil, "it was opened") }
            },
            limits: [
                Contender(name: "HMAC by C", messages: times * count) { () throws(BenchmarkError) in
                    try exchange.primitives.refuse(exchange.message, into: exchange.decrypted, times: times * count)
                }
            ])
    }
}

extension Credential {
    fileprivate static func keyring(keys numbers: [UInt8]) throws(CryptorError) -> Credential {
        var pairs: [Credential] = []
        for number in numbers {
            pairs.append(
                .keys(
                    try KeyPair(
                        encryptionKey: [UInt8](repeating: number, count: 32),
                        hmacKey: [UInt8](repeating: number + 100, count: 32))))
        }
        return try keyring(primary: pairs[0], previous: Array(pairs.dropFirst()))
    }
}
