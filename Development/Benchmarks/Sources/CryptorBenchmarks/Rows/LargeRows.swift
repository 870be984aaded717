import CryptorFormat

/// Messages so large that only the work on their bytes counts: the rows show how near it comes to the primitives.
enum LargeRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.bulk)
        return [
            Benchmark(
                section: .large, name: "encrypt \(size)",
                note: "Encryptor.update over spans; AES-256-CBC by one call of EVP_EncryptUpdate", target: 0.95,
                isHeadline: true, work: .race(rounds: setting.rounds, encryption)),
            Benchmark(
                section: .large, name: "decrypt \(size)",
                note: "Decryptor.update over spans; SHA-256 of the ciphertext by one call of EVP_DigestUpdate",
                target: 0.95, isHeadline: true, work: .race(rounds: setting.rounds, decryption)),
            Benchmark(
                section: .large, name: "encrypt \(size), one core",
                note: "the same, serial; AES-256-CBC and HMAC by OpenSSL, in turn", target: 1,
                work: .race(rounds: setting.rounds, serialEncryption)),
            Benchmark(
                section: .large, name: "decrypt \(size), one core",
                note: "the same, serial; HMAC and AES-256-CBC by OpenSSL, in turn", target: 1,
                work: .race(rounds: setting.rounds, serialDecryption)),
        ]
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let ours = exchange.encryption("Encryptor", try Streaming())
        return Race(unit: .throughput(byteCount: setting.bulk), ours: ours, limits: [exchange.cbcEncryption])
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let ours = exchange.decryption("Decryptor", try Streaming())
        return Race(unit: .throughput(byteCount: setting.bulk), ours: ours, limits: [exchange.hashing])
    }

    private static let piece = 16 * 1024

    private static func serialEncryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let primitives = exchange.primitives
        return Race(
            unit: .throughput(byteCount: setting.bulk),
            ours: exchange.encryption("Encryptor", try Streaming(isSerial: true)),
            limits: [
                exchange.encryption("16 KiB at a time") { () throws(BenchmarkError) in
                    try primitives.encrypt(exchange.plaintext, pieces: piece, into: exchange.message)
                },
                exchange.encryption("in one piece") { () throws(BenchmarkError) in
                    try primitives.encrypt(exchange.plaintext, into: exchange.message)
                },
            ])
    }

    private static func serialDecryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let primitives = exchange.primitives
        return Race(
            unit: .throughput(byteCount: setting.bulk),
            ours: exchange.decryption("Decryptor", try Streaming(isSerial: true)),
            limits: [
                exchange.decryption("16 KiB at a time") { () throws(BenchmarkError) in
                    try primitives.decrypt(exchange.message, pieces: piece, into: exchange.decrypted)
                },
                exchange.decryption("in one piece") { () throws(BenchmarkError) in
                    try primitives.decrypt(exchange.message, into: exchange.decrypted)
                },
            ])
    }
}
