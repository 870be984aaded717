import CryptorFormat

/// Messages so large that only the work on their bytes counts: the rows show how near it comes to the primitives. Input
/// and output have been written before, so no page is missing.
enum LargeRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.bulk)
        return [
            row("encrypt \(size)", target: 0.95, isHeadline: true, setting) { exchange in
                (exchange.encryption("Encryptor", Streaming()), [exchange.cbcEncryption])
            },
            row("decrypt \(size)", target: 0.95, isHeadline: true, setting) { exchange in
                (exchange.decryption("Decryptor", Streaming()), [exchange.hashing])
            },
            row("encrypt \(size) in chunks of 64 KiB", target: 0.85, setting) { exchange in
                (exchange.encryption("Encryptor", Streaming(chunk: 64 << 10)), [exchange.cbcEncryption])
            },
            row("decrypt \(size) in chunks of 64 KiB", target: 0.87, setting) { exchange in
                (exchange.decryption("Decryptor", Streaming(chunk: 64 << 10)), [exchange.hashing])
            },
            row("encrypt \(size), one core", target: 1, setting) { exchange in
                (exchange.encryption("Encryptor", Streaming(isSerial: true)), [exchange.plainEncryption()])
            },
            row("decrypt \(size), one core", target: 1, setting) { exchange in
                (exchange.decryption("Decryptor", Streaming(isSerial: true)), [exchange.plainDecryption()])
            },
        ]
    }

    private static func row(
        _ name: String, target: Double, isHeadline: Bool = false, _ setting: Setting,
        _ contenders: @escaping (Exchange) -> (ours: Contender, limits: [Contender])
    ) -> Benchmark {
        Benchmark(
            section: .large, name: name, target: target, isHeadline: isHeadline,
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                let race = contenders(try Exchange(byteCount: setting.bulk))
                return Race(unit: .throughput(byteCount: setting.bulk), ours: race.ours, limits: race.limits)
            })
    }
}

/// A message through the streaming types, from memory into memory.
struct Streaming {
    /// Whether all work is done by one thread.
    var isSerial = false
    /// The bytes of a chunk; nil to pass everything at once.
    var chunk: Int?

    func encrypt(_ plaintext: Memory, into message: Memory) throws(BenchmarkError) {
        Cryptor.usesSecondThread = !isSerial
        defer { Cryptor.usesSecondThread = true }
        try calling("Encryptor") { () throws(CryptorError) in
            var encryptor = try Encryptor(try Keys.credential())
            var output = OutputRawSpan(buffer: message.bytes, initializedCount: 0)
            for chunk in chunks(of: plaintext) { try encryptor.update(chunk.bytes, into: &output) }
            try encryptor.finish(into: &output)
        }
    }

    func decrypt(_ message: Memory, into plaintext: Memory) throws(BenchmarkError) {
        Cryptor.usesSecondThread = !isSerial
        defer { Cryptor.usesSecondThread = true }
        try calling("Decryptor") { () throws(CryptorError) in
            var decryptor = try Decryptor(try Keys.credential())
            var output = OutputRawSpan(buffer: plaintext.bytes, initializedCount: 0)
            for chunk in chunks(of: message) { try decryptor.update(chunk.bytes, unverifiedInto: &output) }
            try decryptor.finish(into: &output)
        }
    }

    private func chunks(of memory: Memory) -> [UnsafeRawBufferPointer] {
        let size = chunk ?? memory.count
        return stride(from: 0, to: memory.count, by: size).map { offset in
            UnsafeRawBufferPointer(rebasing: memory.readable[offset..<min(offset + size, memory.count)])
        }
    }
}
