import CryptorFormat

/// What a stream in small chunks costs, as from a network: on one core against larger chunks, otherwise against the
/// slower of the primitives.
enum ChunkRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let kibibyte = 1 << 10
        // From 64 KiB on, the faster primitive's time is hidden in that of the slower.
        return rows(kibibyte, isSerial: true, setting, encryption: 0.85, decryption: 0.85)
            + rows(16 * kibibyte, isSerial: false, setting)
            + rows(64 * kibibyte, isSerial: false, setting, encryption: 0.85, decryption: 0.87)
            + rows(512 * kibibyte, isSerial: false, setting)
            + rows(4096 * kibibyte, isSerial: false, setting, encryption: 0.95, decryption: 0.95)
    }

    private static func rows(
        _ chunk: Int, isSerial: Bool, _ setting: Setting, encryption: Double? = nil, decryption: Double? = nil
    ) -> [Benchmark] {
        [
            row("encrypt", chunk, isSerial, target: encryption, setting) { (exchange) throws(BenchmarkError) in
                let large = try Streaming(isSerial: true, chunk: 1 << 20)
                return (
                    exchange.encryption("Encryptor", try Streaming(isSerial: isSerial, chunk: chunk)),
                    isSerial ? exchange.encryption("Encryptor, 1 MiB", large) : exchange.cbcEncryption
                )
            },
            row("decrypt", chunk, isSerial, target: decryption, setting) { (exchange) throws(BenchmarkError) in
                let large = try Streaming(isSerial: true, chunk: 1 << 20)
                return (
                    exchange.decryption("Decryptor", try Streaming(isSerial: isSerial, chunk: chunk)),
                    isSerial ? exchange.decryption("Decryptor, 1 MiB", large) : exchange.hashing
                )
            },
        ]
    }

    private static func row(
        _ verb: String, _ chunk: Int, _ isSerial: Bool, target: Double?, _ setting: Setting,
        _ contenders: @escaping (Exchange) throws(BenchmarkError) -> (ours: Contender, limit: Contender)
    ) -> Benchmark {
        let name = "\(verb) \(Figures.binary(setting.stream)) in chunks of \(Figures.binary(chunk))"
        return Benchmark(
            section: .chunks, name: isSerial ? "\(name), one core" : name,
            note: isSerial ? "the same in chunks of 1 MiB" : "update over spans; the primitive by one call",
            target: target,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                let race = try contenders(try Exchange(byteCount: setting.stream))
                return Race(
                    unit: .throughput(byteCount: setting.stream), ours: race.ours, limits: [race.limit])
            })
    }
}
