import CryptorFormat
import Dispatch
import Synchronization

/// Small messages under one pair of keys: the work around the primitives counts most.
enum KeyedRows {
    static let byteCount = 64

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            benchmark("encrypt into the caller's memory", target: 0.8, isHeadline: true, setting, encryptionInPlace),
            benchmark("encrypt into an array", target: 0.8, setting, encryption),
            benchmark("decrypt into the caller's memory", target: 0.8, isHeadline: true, setting, decryptionInPlace),
            benchmark("decrypt into an array", target: 0.8, setting, decryption),
            benchmark("encrypt on two threads", note: "messages in all, to one thread", target: 1.9, setting) {
                (setting) throws(BenchmarkError) in
                try threads(setting) { (keyed, plaintext, _, count) throws(CryptorError) in
                    var message: [UInt8] = []
                    for _ in 0..<count { message = try keyed.encrypt(plaintext) }
                    return try keyed.decrypt(message)
                }
            },
            benchmark("decrypt on two threads", note: "messages in all, to one thread", target: 1.9, setting) {
                (setting) throws(BenchmarkError) in
                try threads(setting) { (keyed, _, message, count) throws(CryptorError) in
                    var plaintext: [UInt8] = []
                    for _ in 0..<count { plaintext = try keyed.decrypt(message) }
                    return plaintext
                }
            },
        ]
    }

    private static func benchmark(
        _ name: String, note: String = "OpenSSL's calls by C, contexts reused", target: Double,
        isHeadline: Bool = false,
        _ setting: Setting,
        _ makeRace: @escaping (Setting) throws(BenchmarkError) -> Race
    ) -> Benchmark {
        Benchmark(
            section: .small, name: "KeyedCryptor: \(name)", note: note, target: target, isHeadline: isHeadline,
            work: .race(rounds: setting.rounds, makeRace))
    }

    private static func cryptor() throws(BenchmarkError) -> KeyedCryptor {
        try calling("KeyedCryptor") { () throws(CryptorError) in try KeyedCryptor(try Keys.pair()) }
    }

    private static func encryptionInPlace(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: byteCount, times: setting.some(100_000))
        let keyed = try cryptor()
        let ours = exchange.encryption("KeyedCryptor") { () throws(BenchmarkError) in
            try calling("encrypt") { () throws(CryptorError) in
                for _ in 0..<exchange.times {
                    var output = OutputRawSpan(buffer: exchange.message.bytes, initializedCount: 0)
                    try keyed.encrypt(exchange.plaintext.readable.bytes, into: &output)
                }
            }
        }
        return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption()])
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: byteCount, times: setting.some(100_000))
        let keyed = try cryptor()
        let plaintext = exchange.plaintext.array
        let ours = exchange.encryption("KeyedCryptor") { () throws(BenchmarkError) in
            var message: [UInt8] = []
            try calling("encrypt") { () throws(CryptorError) in
                for _ in 0..<exchange.times { message = try keyed.encrypt(plaintext) }
            }
            exchange.message.bytes.copyBytes(from: message)
        }
        return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption()])
    }

    private static func decryptionInPlace(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: byteCount, times: setting.some(100_000))
        let keyed = try cryptor()
        let ours = exchange.decryption("KeyedCryptor") { () throws(BenchmarkError) in
            try calling("decrypt") { () throws(CryptorError) in
                for _ in 0..<exchange.times {
                    var output = OutputRawSpan(buffer: exchange.decrypted.bytes, initializedCount: 0)
                    try keyed.decrypt(exchange.message.readable.bytes, into: &output)
                }
            }
        }
        return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption()])
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: byteCount, times: setting.some(100_000))
        let keyed = try cryptor()
        let message = exchange.message.array
        let ours = exchange.decryption("KeyedCryptor") { () throws(BenchmarkError) in
            var plaintext: [UInt8] = []
            try calling("decrypt") { () throws(CryptorError) in
                for _ in 0..<exchange.times { plaintext = try keyed.decrypt(message) }
            }
            exchange.decrypted.bytes.copyBytes(from: plaintext)
        }
        return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption()])
    }

    /// Handles the given number of messages, with the plaintext and its message, and returns the last plaintext.
    private typealias Work = @Sendable (KeyedCryptor, [UInt8], [UInt8], Int) throws(CryptorError) -> [UInt8]

    private static func threads(_ setting: Setting, _ work: @escaping Work) throws(BenchmarkError) -> Race {
        let exchange = try Exchange(byteCount: byteCount)
        let keyed = try cryptor()
        let plaintext = exchange.plaintext.array
        let message = exchange.message.array
        let count = setting.some(100_000)
        let contenders = [2, 1].map { threads in
            Contender(name: threads == 1 ? "one thread" : "two threads", messages: threads * count) {
                () throws(BenchmarkError) in
                let failures = Atomic<Int>(0)
                DispatchQueue.concurrentPerform(iterations: threads) { _ in
                    do throws(CryptorError) {
                        guard try work(keyed, plaintext, message, count) != plaintext else { return }
                    } catch {}
                    failures.add(1, ordering: .relaxed)
                }
                try check(failures.load(ordering: .relaxed) == 0, "it is not the plaintext")
            }
        }
        return Race(unit: .time, ours: contenders[0], limits: [contenders[1]])
    }
}
