import CryptorFormat

/// Many messages in one call, without an allocation for each.
enum ColumnRows {
    /// The bytes of a column. Results of no more than a few MiB get memory that was used before.
    private static let columnByteCount = 512 * 1024

    private static let targets = [64: (0.9, 0.9), 1024: (0.9, 0.9), 16384: (0.9, 0.9)]

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [64, 1024, 16384].flatMap { byteCount in
            [
                row("encrypt", byteCount, target: targets[byteCount]?.0, setting) {
                    (exchange, keyed) throws(BenchmarkError) in
                    let column = ByteColumn([[UInt8]](repeating: exchange.plaintext.array, count: exchange.times))
                    let ours = exchange.encryption("KeyedCryptor.encryptAll") { () throws(BenchmarkError) in
                        let result = keyed.encryptAll(column)
                        try check(result.failures.isEmpty, "a message failed")
                        exchange.message.bytes.copyBytes(from: result.column[exchange.times - 1])
                    }
                    return (ours, exchange.plainEncryption())
                },
                row("decrypt", byteCount, target: targets[byteCount]?.1, setting) {
                    (exchange, keyed) throws(BenchmarkError) in
                    let column = ByteColumn([[UInt8]](repeating: exchange.message.array, count: exchange.times))
                    let ours = exchange.decryption("KeyedCryptor.decryptAll") { () throws(BenchmarkError) in
                        let result = keyed.decryptAll(column)
                        try check(result.failures.isEmpty, "a message failed")
                        exchange.decrypted.bytes.copyBytes(from: result.column[exchange.times - 1])
                    }
                    return (ours, exchange.plainDecryption())
                },
            ]
        }
    }

    private static func row(
        _ verb: String, _ byteCount: Int, target: Double?, _ setting: Setting,
        _ contenders:
            @escaping (Exchange, KeyedCryptor) throws(BenchmarkError) -> (ours: Contender, limit: Contender)
    ) -> Benchmark {
        Benchmark(
            section: .columns, name: "\(verb) a column, \(Figures.binary(byteCount)) each",
            note: "a ByteColumn of \(Figures.binary(columnByteCount)); OpenSSL's calls by C, contexts reused",
            target: target,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                let exchange = try Exchange(byteCount: byteCount, times: columnByteCount / byteCount)
                let keyed = try calling("KeyedCryptor") { () throws(CryptorError) in
                    try KeyedCryptor(try Keys.pair())
                }
                let race = try contenders(exchange, keyed)
                return Race(unit: .throughput(byteCount: byteCount), ours: race.ours, limits: [race.limit])
            })
    }
}
