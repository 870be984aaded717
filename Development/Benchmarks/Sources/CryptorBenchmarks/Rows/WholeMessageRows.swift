import CryptorFormat

/// Calls that return an array: the system has to find pages for it and fill them with zeros. The limits that write pay
/// for that, too, because their memory has just come from malloc. Results are freed outside the measured time.
///
/// Encryption is limited by the cipher, which writes. Decryption is limited by the hash, which only reads, or by the
/// cipher, which meanwhile writes into fresh memory: whichever ends last.
enum WholeMessageRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.bulk)
        return [
            Benchmark(
                section: .whole, name: "Cryptor.encrypt \(size)",
                note: "AES-256-CBC by one call into memory that malloc has just given", target: 0.95,
                work: .race(rounds: setting.rounds, encryption)),
            Benchmark(
                section: .whole, name: "Cryptor.decrypt \(size)",
                note: "SHA-256 of the ciphertext, or AES-256-CBC decryption into memory that malloc has just given",
                target: 0.95, work: .race(rounds: setting.rounds, decryption)),
        ]
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let primitives = exchange.primitives
        let credential = try Streaming().credential
        let plaintext = exchange.plaintext.array
        return Race(
            unit: .throughput(byteCount: setting.bulk),
            ours: arrayContender("Cryptor.encrypt") { () throws(CryptorError) in
                try Cryptor.encrypt(plaintext, with: credential)
            } check: { message in
                message.withUnsafeBytes { primitives.message($0, holds: exchange.plaintext.readable) }
            },
            limits: [
                freshMemoryContender(byteCount: setting.bulk) { (memory) throws(BenchmarkError) in
                    try primitives.encryptCBC(exchange.plaintext, into: memory)
                }
            ])
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: setting.bulk)
        let primitives = exchange.primitives
        let credential = try Streaming().credential
        let message = exchange.message.array
        let count = exchange.cipherByteCount
        return Race(
            unit: .throughput(byteCount: setting.bulk),
            ours: arrayContender("Cryptor.decrypt") { () throws(CryptorError) in
                try Cryptor.decrypt(message, with: credential)
            } check: { plaintext in
                plaintext.withUnsafeBytes { $0.equals(exchange.plaintext.readable) }
            },
            limits: [
                exchange.hashing,
                freshMemoryContender(byteCount: count) { (memory) throws(BenchmarkError) in
                    try primitives.decryptCBC(exchange.message, count: count, into: memory)
                },
            ],
            rule: .slowest)
    }

    /// - Parameter run: returns an array, which the contender keeps until it has been checked.
    private static func arrayContender(
        _ name: String, _ run: @escaping () throws(CryptorError) -> [UInt8], check isRight: @escaping ([UInt8]) -> Bool
    ) -> Contender {
        var result: [UInt8] = []
        return Contender(name: name) { () throws(BenchmarkError) in
            result = try calling(name, run)
        } check: { () throws(BenchmarkError) in
            try check(isRight(result), "the result is wrong")
            result = []
        }
    }

    private static func freshMemoryContender(
        byteCount: Int, _ run: @escaping (Memory) throws(BenchmarkError) -> Void
    ) -> Contender {
        var memory: Memory?
        return Contender(name: "AES-256-CBC into fresh memory") { () throws(BenchmarkError) in
            let fresh = Memory(untouched: byteCount)
            try run(fresh)
            memory = fresh
        } check: { () throws(BenchmarkError) in
            try check(memory != nil, "nothing was written")
            memory = nil
        }
    }
}
