import CryptorFormat

/// What a stream costs that comes in small pieces.
enum ChunkRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.stream)
        return [
            Benchmark(
                section: .chunks, name: "encrypt \(size) in chunks of 1 KiB",
                note: "the same in chunks of 1 MiB", target: 0.85,
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    let exchange = try Exchange(byteCount: setting.stream)
                    return Race(
                        unit: .throughput(byteCount: setting.stream),
                        ours: exchange.encryption("Encryptor, 1 KiB", try Streaming(.serial, chunk: 1 << 10)),
                        limits: [exchange.encryption("Encryptor, 1 MiB", try Streaming(.serial, chunk: 1 << 20))])
                }),
            Benchmark(
                section: .chunks, name: "decrypt \(size) in chunks of 1 KiB",
                note: "the same in chunks of 1 MiB", target: 0.85,
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    let exchange = try Exchange(byteCount: setting.stream)
                    return Race(
                        unit: .throughput(byteCount: setting.stream),
                        ours: exchange.decryption("Decryptor, 1 KiB", try Streaming(.serial, chunk: 1 << 10)),
                        limits: [exchange.decryption("Decryptor, 1 MiB", try Streaming(.serial, chunk: 1 << 20))])
                }),
        ]
    }
}
