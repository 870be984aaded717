import CryptorFormat

/// Messages of other sizes, each with a stream of its own, set-up included.
enum SizeRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let sizes = [1 << 10, 64 << 10, setting.smallFile]
        return sizes.flatMap { byteCount in
            [Concurrency.serial, .automatic].flatMap { concurrency in
                [encryption(byteCount, concurrency, setting), decryption(byteCount, concurrency, setting)]
            }
        }
    }

    private static func encryption(_ byteCount: Int, _ concurrency: Concurrency, _ setting: Setting) -> Benchmark {
        benchmark("encrypt", byteCount, concurrency, setting) { (exchange) throws(BenchmarkError) in
            let isSerial = concurrency == .serial
            return Race(
                unit: .throughput(byteCount: byteCount),
                ours: exchange.encryption("Encryptor", try Streaming(concurrency)),
                limits: isSerial
                    ? [
                        exchange.encryption("AES-256-CBC, then HMAC") { () throws(BenchmarkError) in
                            try exchange.primitives.encrypt(
                                exchange.plaintext, into: exchange.message, times: exchange.times)
                        }
                    ] : [exchange.cbcEncryption, exchange.hashing],
                rule: isSerial ? .fastest : .slowest)
        }
    }

    private static func decryption(_ byteCount: Int, _ concurrency: Concurrency, _ setting: Setting) -> Benchmark {
        benchmark("decrypt", byteCount, concurrency, setting) { (exchange) throws(BenchmarkError) in
            let isSerial = concurrency == .serial
            return Race(
                unit: .throughput(byteCount: byteCount),
                ours: exchange.decryption("Decryptor", try Streaming(concurrency)),
                limits: isSerial
                    ? [
                        exchange.decryption("HMAC, then AES-256-CBC") { () throws(BenchmarkError) in
                            try exchange.primitives.decrypt(
                                exchange.message, into: exchange.decrypted, times: exchange.times)
                        }
                    ] : [exchange.cbcDecryption, exchange.hashing],
                rule: isSerial ? .fastest : .slowest)
        }
    }

    private static func benchmark(
        _ verb: String, _ byteCount: Int, _ concurrency: Concurrency, _ setting: Setting,
        _ makeRace: @escaping (Exchange) throws(BenchmarkError) -> Race
    ) -> Benchmark {
        let isSerial = concurrency == .serial
        return Benchmark(
            section: .sizes, name: "\(verb) \(Figures.binary(byteCount)), \(isSerial ? "one core" : "automatic")",
            note: isSerial
                ? "the primitives in turn, contexts reused"
                : "the slower of the primitives, as if a second core were free: less than 512 KiB never ask for one",
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                try makeRace(
                    try Exchange(byteCount: byteCount, times: setting.some(max(1, (64 << 20) / byteCount))))
            })
    }
}
