import CryptorFormat

/// What a stream costs that comes in pieces, as from a network.
enum ChunkRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.stream)
        let overlapped = [16 << 10, 64 << 10, 512 << 10, 4 << 20].flatMap { chunk in
            // The cipher's time is hidden in the hash's, or the other way round, from there on.
            let targets: (encryption: Double?, decryption: Double?) =
                chunk == 64 << 10 ? (0.85, 0.87) : chunk == 4 << 20 ? (0.95, 0.95) : (nil, nil)
            return [
                Benchmark(
                    section: .chunks, name: "encrypt \(size) in chunks of \(Figures.binary(chunk))",
                    note: "Encryptor.update over spans; AES-256-CBC by one call of EVP_EncryptUpdate",
                    target: targets.encryption,
                    work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                        let exchange = try Exchange(byteCount: setting.stream)
                        return Race(
                            unit: .throughput(byteCount: setting.stream),
                            ours: exchange.encryption("Encryptor", try Streaming(.automatic, chunk: chunk)),
                            limits: [exchange.cbcEncryption])
                    }),
                Benchmark(
                    section: .chunks, name: "decrypt \(size) in chunks of \(Figures.binary(chunk))",
                    note: "Decryptor.update over spans; SHA-256 of the ciphertext by one call of EVP_DigestUpdate",
                    target: targets.decryption,
                    work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                        let exchange = try Exchange(byteCount: setting.stream)
                        return Race(
                            unit: .throughput(byteCount: setting.stream),
                            ours: exchange.decryption("Decryptor", try Streaming(.automatic, chunk: chunk)),
                            limits: [exchange.hashing])
                    }),
            ]
        }
        return [
            Benchmark(
                section: .chunks, name: "encrypt \(size) in chunks of 1 KiB, one core",
                note: "the same in chunks of 1 MiB", target: 0.85,
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    let exchange = try Exchange(byteCount: setting.stream)
                    return Race(
                        unit: .throughput(byteCount: setting.stream),
                        ours: exchange.encryption("Encryptor, 1 KiB", try Streaming(.serial, chunk: 1 << 10)),
                        limits: [exchange.encryption("Encryptor, 1 MiB", try Streaming(.serial, chunk: 1 << 20))])
                }),
            Benchmark(
                section: .chunks, name: "decrypt \(size) in chunks of 1 KiB, one core",
                note: "the same in chunks of 1 MiB", target: 0.85,
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    let exchange = try Exchange(byteCount: setting.stream)
                    return Race(
                        unit: .throughput(byteCount: setting.stream),
                        ours: exchange.decryption("Decryptor, 1 KiB", try Streaming(.serial, chunk: 1 << 10)),
                        limits: [exchange.decryption("Decryptor, 1 MiB", try Streaming(.serial, chunk: 1 << 20))])
                }),
        ] + overlapped
    }
}
