import CryptorFormat

/// Messages so large that only the work on their bytes counts: the rows show how near it comes to
/// the primitives. Input and output have been written before, so no page is missing.
enum LargeRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.bulk)
        let (whole, chunks) = (Streaming(), Streaming(chunk: 64 << 10))
        let serial = Streaming(isSerial: true)
        return [
            row("encrypt \(size)", target: 0.95, isHeadline: true, setting) {
                (whole.encryption($0), $0.cbcEncryption)
            },
            row("decrypt \(size)", target: 0.95, isHeadline: true, setting) {
                (whole.decryption($0), $0.hashing)
            },
            row("encrypt \(size) in chunks of 64 KiB", target: 0.85, setting) {
                (chunks.encryption($0), $0.cbcEncryption)
            },
            row("decrypt \(size) in chunks of 64 KiB", target: 0.87, setting) {
                (chunks.decryption($0), $0.hashing)
            },
            row("encrypt \(size), one core", target: 1, setting) {
                (serial.encryption($0), $0.plainEncryption)
            },
            // Memory that others could write to is copied first; the limit copies nothing.
            row("decrypt \(size), one core", target: 0.93, setting) {
                (serial.decryption($0), $0.plainDecryption)
            },
        ]
    }

    private static func row(
        _ name: String, target: Double, isHeadline: Bool = false, _ setting: Setting,
        _ contenders: @escaping (Exchange) -> (ours: Contender, limit: Contender)
    ) -> Benchmark {
        .race(.large, name, target: target, isHeadline: isHeadline, rounds: setting.rounds) {
            let race = contenders(try Exchange(byteCount: setting.bulk))
            return Race(
                unit: .throughput(byteCount: setting.bulk), ours: race.ours, limits: [race.limit])
        }
    }
}

/// A message through the streaming types, from memory into memory.
private struct Streaming {
    /// Whether all work is done by one thread.
    var isSerial = false
    /// The bytes of a chunk; nil to pass everything at once.
    var chunk: Int?

    func encryption(_ exchange: Exchange) -> Contender {
        exchange.encryption("Encryptor") {
            Cryptor.usesSecondThread = !isSerial
            defer { Cryptor.usesSecondThread = true }
            var encryptor = try Encryptor(try Keys.credential())
            var output = OutputRawSpan(buffer: exchange.message.bytes, initializedCount: 0)
            for chunk in chunks(of: exchange.plaintext) {
                try encryptor.update(chunk.bytes, into: &output)
            }
            try encryptor.finish(into: &output)
        }
    }

    func decryption(_ exchange: Exchange) -> Contender {
        exchange.decryption("Decryptor") {
            Cryptor.usesSecondThread = !isSerial
            defer { Cryptor.usesSecondThread = true }
            var decryptor = try Decryptor(try Keys.credential())
            var output = OutputRawSpan(buffer: exchange.decrypted.bytes, initializedCount: 0)
            for chunk in chunks(of: exchange.message) {
                try decryptor.update(chunk.bytes, unverifiedInto: &output)
            }
            try decryptor.finish(into: &output)
        }
    }

    private func chunks(of memory: Memory) -> [UnsafeRawBufferPointer] {
        let size = chunk ?? memory.count
        return stride(from: 0, to: memory.count, by: size).map { offset in
            UnsafeRawBufferPointer(
                rebasing: memory.readable[offset..<min(offset + size, memory.count)])
        }
    }
}
