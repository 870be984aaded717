import CSupport
import CryptorFormat

/// What a message allocates, and how much memory a process needs at its peak.
enum MemoryRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let size = Figures.binary(setting.bulk)
        let peakNote = "what the peak of a process of its own grows by, without the output"
        return [
            allocations("OpenSSL by C: encrypt 64 bytes", 64) { (exchange) throws(BenchmarkError) in
                return { () throws(BenchmarkError) in
                    try exchange.primitives.encrypt(exchange.plaintext, into: exchange.message)
                }
            },
            allocations("KeyedCryptor: encrypt 64 bytes into the caller's memory", 64) {
                (exchange) throws(BenchmarkError) in
                let keyed = try keyed()
                return { () throws(BenchmarkError) in
                    try calling("encrypt") { () throws(CryptorError) in
                        var output = OutputRawSpan(buffer: exchange.message.bytes, initializedCount: 0)
                        try keyed.encrypt(exchange.plaintext.readable.bytes, into: &output)
                    }
                }
            },
            allocations("KeyedCryptor: encrypt 64 bytes into an array", 64) { (exchange) throws(BenchmarkError) in
                let keyed = try keyed()
                let plaintext = exchange.plaintext.array
                return { () throws(BenchmarkError) in
                    _ = try calling("encrypt") { () throws(CryptorError) in try keyed.encrypt(plaintext) }
                }
            },
            allocations("KeyedCryptor: decrypt 64 bytes into the caller's memory", 64) {
                (exchange) throws(BenchmarkError) in
                let keyed = try keyed()
                return { () throws(BenchmarkError) in
                    try calling("decrypt") { () throws(CryptorError) in
                        var output = OutputRawSpan(buffer: exchange.decrypted.bytes, initializedCount: 0)
                        try keyed.decrypt(exchange.message.readable.bytes, into: &output)
                    }
                }
            },
            allocations("KeyedCryptor: decrypt 64 bytes into an array", 64) { (exchange) throws(BenchmarkError) in
                let keyed = try keyed()
                let message = exchange.message.array
                return { () throws(BenchmarkError) in
                    _ = try calling("decrypt") { () throws(CryptorError) in try keyed.decrypt(message) }
                }
            },
            allocations("Cryptor.encrypt 1 KiB", 1024) { (exchange) throws(BenchmarkError) in
                let credential = try Streaming().credential
                let plaintext = exchange.plaintext.array
                return { () throws(BenchmarkError) in
                    _ = try calling("encrypt") { () throws(CryptorError) in
                        try Cryptor.encrypt(plaintext, with: credential)
                    }
                }
            },
            Benchmark(
                section: .memory, name: "peak of Cryptor.encrypt \(size)", note: peakNote, isAlone: true,
                work: .amounts { (setting) throws(BenchmarkError) in
                    let plaintext = try Exchange(byteCount: setting.bulk).plaintext.array
                    return try growth(of: plaintext) { (bytes, keys) throws(CryptorError) in
                        try Cryptor.encrypt(bytes, with: keys)
                    }
                }),
            Benchmark(
                section: .memory, name: "peak of Cryptor.decrypt \(size)", note: peakNote, isAlone: true,
                work: .amounts { (setting) throws(BenchmarkError) in
                    let message = try Exchange(byteCount: setting.bulk).message.array
                    return try growth(of: message) { (bytes, keys) throws(CryptorError) in
                        try Cryptor.decrypt(bytes, with: keys)
                    }
                }),
            Benchmark(
                section: .memory, name: "peak of rncryptor with \(Figures.binary(setting.file))",
                note: "the largest resident set that the system saw", isAlone: true, work: .amounts(commandPeaks)),
        ]
    }

    private static func keyed() throws(BenchmarkError) -> KeyedCryptor {
        try calling("KeyedCryptor") { () throws(CryptorError) in try KeyedCryptor(try Keys.pair()) }
    }

    /// - Parameter makeRun: returns a closure that handles one message.
    private static func allocations(
        _ name: String, _ byteCount: Int,
        _ makeRun: @escaping (Exchange) throws(BenchmarkError) -> () throws(BenchmarkError) -> Void
    ) -> Benchmark {
        Benchmark(
            section: .memory, name: "allocations of \(name)",
            note: "what one message asks malloc for, OpenSSL's part included",
            work: .amounts { (_) throws(BenchmarkError) in
                guard support_can_count_allocations() else { throw .skipped("malloc can be counted with glibc only") }
                let run = try makeRun(try Exchange(byteCount: byteCount))
                // Memory that is set up once does not count.
                for _ in 0..<10 { try run() }
                let times = 1000
                support_start_counting()
                for _ in 0..<times { try run() }
                let counted = support_stop_counting()
                return [
                    Amount(label: "count", value: Double(counted.count) / Double(times), unit: .allocations),
                    Amount(label: "size", value: Double(counted.bytes) / Double(times), unit: .bytes),
                ]
            })
    }

    /// How much the peak of this process grows, without the output.
    private static func growth(
        of input: [UInt8], _ run: ([UInt8], Credential) throws(CryptorError) -> [UInt8]
    ) throws(BenchmarkError) -> [Amount] {
        let credential = try Streaming().credential
        // Loads code and algorithms before the measurement.
        _ = try calling("warming up") { () throws(CryptorError) in
            try Cryptor.decrypt(try Cryptor.encrypt([1, 2, 3], with: credential), with: credential)
        }
        let before = try PeakMemory.reset()
        let output = try calling("the call") { () throws(CryptorError) in try run(input, credential) }
        let growth = try PeakMemory.now() - before - output.count
        return [Amount(label: "beyond input and output", value: Double(growth), unit: .bytes, allowed: Double(2 << 20))]
    }

    private static func commandPeaks(_ setting: Setting) throws(BenchmarkError) -> [Amount] {
        let rncryptor = try Tool.command(setting.options)
        let files = try setting.files()
        let key = try CommandRows.keyFile(in: files.place)
        let encrypted = files.place.fresh("encrypted")
        let decrypted = files.place.fresh("decrypted")
        let peaks = [
            ("encrypt", try rncryptor.peak("encrypt", "-q", "--key-file", key, "-o", encrypted, files.plaintext)),
            ("decrypt", try rncryptor.peak("decrypt", "-q", "--key-file", key, "-o", decrypted, encrypted)),
        ]
        return peaks.map { label, peak in Amount(label: label, value: Double(peak), unit: .bytes) }
    }
}
