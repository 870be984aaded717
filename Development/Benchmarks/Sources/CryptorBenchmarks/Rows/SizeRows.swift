import CryptorFormat

/// Messages of other sizes, each through a stream of its own, including its set-up.
enum SizeRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let sizes = [1 << 10, 64 << 10, setting.smallFile]
        return wholeMessages(1 << 10, setting)
            + sizes.flatMap { byteCount in
                [true, false].flatMap { isSerial in
                    [
                        encryption(byteCount, isSerial: isSerial, setting),
                        decryption(byteCount, isSerial: isSerial, setting),
                    ]
                }
            }
    }

    /// One call for each message, which returns an array.
    private static func wholeMessages(_ byteCount: Int, _ setting: Setting) -> [Benchmark] {
        [
            benchmark("Cryptor.encrypt", byteCount, isSerial: true, target: 0.6, setting) {
                (exchange) throws(BenchmarkError) in
                let (plaintext, credential) = (exchange.plaintext.array, try Streaming().credential)
                let ours = exchange.encryption("Cryptor.encrypt") { () throws(BenchmarkError) in
                    var message: [UInt8] = []
                    try calling("encrypt") { () throws(CryptorError) in
                        for _ in 0..<exchange.times {
                            message = try Cryptor.encrypt(plaintext, with: credential)
                        }
                    }
                    exchange.message.bytes.copyBytes(from: message)
                }
                return Race(
                    unit: .throughput(byteCount: byteCount), ours: ours,
                    limits: [exchange.plainEncryption("AES-256-CBC, then HMAC")])
            },
            benchmark("Cryptor.decrypt", byteCount, isSerial: true, target: 0.35, setting) {
                (exchange) throws(BenchmarkError) in
                let (message, credential) = (exchange.message.array, try Streaming().credential)
                let ours = exchange.decryption("Cryptor.decrypt") { () throws(BenchmarkError) in
                    var plaintext: [UInt8] = []
                    try calling("decrypt") { () throws(CryptorError) in
                        for _ in 0..<exchange.times {
                            plaintext = try Cryptor.decrypt(message, with: credential)
                        }
                    }
                    exchange.decrypted.bytes.copyBytes(from: plaintext)
                }
                return Race(
                    unit: .throughput(byteCount: byteCount), ours: ours,
                    limits: [exchange.plainDecryption("HMAC, then AES-256-CBC")])
            },
        ]
    }

    private static func encryption(_ byteCount: Int, isSerial: Bool, _ setting: Setting) -> Benchmark {
        benchmark("encrypt", byteCount, isSerial: isSerial, setting) { (exchange) throws(BenchmarkError) in
            Race(
                unit: .throughput(byteCount: byteCount),
                ours: exchange.encryption("Encryptor", try Streaming(isSerial: isSerial)),
                limits: isSerial
                    ? [exchange.plainEncryption("AES-256-CBC, then HMAC")]
                    : [exchange.cbcEncryption, exchange.hashing],
                rule: isSerial ? .fastest : .slowest)
        }
    }

    private static func decryption(_ byteCount: Int, isSerial: Bool, _ setting: Setting) -> Benchmark {
        benchmark("decrypt", byteCount, isSerial: isSerial, setting) { (exchange) throws(BenchmarkError) in
            Race(
                unit: .throughput(byteCount: byteCount),
                ours: exchange.decryption("Decryptor", try Streaming(isSerial: isSerial)),
                limits: isSerial
                    ? [exchange.plainDecryption("HMAC, then AES-256-CBC")]
                    : [exchange.cbcDecryption, exchange.hashing],
                rule: isSerial ? .fastest : .slowest)
        }
    }

    private static func benchmark(
        _ verb: String, _ byteCount: Int, isSerial: Bool, target: Double? = nil, _ setting: Setting,
        _ makeRace: @escaping (Exchange) throws(BenchmarkError) -> Race
    ) -> Benchmark {
        Benchmark(
            section: .sizes, name: "\(verb) \(Figures.binary(byteCount)), \(isSerial ? "one core" : "automatic")",
            note: isSerial
                ? "the primitives in turn, contexts reused"
                : "the slower of the primitives, as if a second core were free: less than 512 KiB never ask for one",
            target: target,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                try makeRace(
                    try Exchange(byteCount: byteCount, times: setting.some(max(1, (64 << 20) / byteCount))))
            })
    }
}
