import CryptorFormat
import Dispatch
import Synchronization

/// Small messages under one pair of keys: the work around the primitives counts most.
enum KeyedRows {
    private static let byteCount = 64

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            row("KeyedCryptor: encrypt", target: 2.3, isHeadline: true, setting) { (setting) throws(BenchmarkError) in
                let (exchange, keyed) = (try exchange(setting), try cryptor())
                let ours = exchange.encryption("KeyedCryptor") { () throws(BenchmarkError) in
                    try calling("encrypt") { () throws(CryptorError) in
                        for _ in 0..<exchange.times {
                            var output = OutputRawSpan(buffer: exchange.message.bytes, initializedCount: 0)
                            try keyed.encrypt(exchange.plaintext.readable.bytes, into: &output)
                        }
                    }
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption()])
            },
            row("KeyedCryptor: decrypt", target: 0.85, isHeadline: true, setting) { (setting) throws(BenchmarkError) in
                let (exchange, keyed) = (try exchange(setting), try cryptor())
                let ours = exchange.decryption("KeyedCryptor") { () throws(BenchmarkError) in
                    try calling("decrypt") { () throws(CryptorError) in
                        for _ in 0..<exchange.times {
                            var output = OutputRawSpan(buffer: exchange.decrypted.bytes, initializedCount: 0)
                            try keyed.decrypt(exchange.message.readable.bytes, into: &output)
                        }
                    }
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption()])
            },
            row("KeyedCryptor: encrypt on two threads", target: 1.9, setting) {
                (setting) throws(BenchmarkError) in
                try threads(setting) { (keyed, plaintext, _, count) throws(CryptorError) in
                    var message: [UInt8] = []
                    for _ in 0..<count { message = try keyed.encrypt(plaintext) }
                    return try keyed.decrypt(message)
                }
            },
            row("KeyedCryptor: decrypt on two threads", target: 1.9, setting) {
                (setting) throws(BenchmarkError) in
                try threads(setting) { (keyed, _, message, count) throws(CryptorError) in
                    var plaintext: [UInt8] = []
                    for _ in 0..<count { plaintext = try keyed.decrypt(message) }
                    return plaintext
                }
            },
            whole("Cryptor.encrypt 1 KiB", target: 0.6, setting) { (exchange) throws(BenchmarkError) in
                let plaintext = exchange.plaintext.array
                let ours = exchange.encryption("Cryptor.encrypt") { () throws(BenchmarkError) in
                    var message: [UInt8] = []
                    try calling("encrypt") { () throws(CryptorError) in
                        let credential = try Keys.credential()
                        for _ in 0..<exchange.times { message = try Cryptor.encrypt(plaintext, with: credential) }
                    }
                    exchange.message.bytes.copyBytes(from: message)
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption()])
            },
            whole("Cryptor.decrypt 1 KiB", target: 0.35, setting) { (exchange) throws(BenchmarkError) in
                let message = exchange.message.array
                let ours = exchange.decryption("Cryptor.decrypt") { () throws(BenchmarkError) in
                    var plaintext: [UInt8] = []
                    try calling("decrypt") { () throws(CryptorError) in
                        let credential = try Keys.credential()
                        for _ in 0..<exchange.times { plaintext = try Cryptor.decrypt(message, with: credential) }
                    }
                    exchange.decrypted.bytes.copyBytes(from: plaintext)
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption()])
            },
        ]
    }

    private static func row(
        _ name: String, target: Double, isHeadline: Bool = false, _ setting: Setting,
        _ makeRace: @escaping (Setting) throws(BenchmarkError) -> Race
    ) -> Benchmark {
        Benchmark(
            section: .small, name: name, target: target, isHeadline: isHeadline,
            work: .race(rounds: setting.rounds, makeRace))
    }

    private static func whole(
        _ name: String, target: Double, _ setting: Setting,
        _ makeRace: @escaping (Exchange) throws(BenchmarkError) -> Race
    ) -> Benchmark {
        row(name, target: target, setting) { (setting) throws(BenchmarkError) in
            try makeRace(try Exchange(byteCount: 1024, times: setting.some(20_000)))
        }
    }

    private static func exchange(_ setting: Setting) throws(BenchmarkError) -> Exchange {
        try Exchange(byteCount: byteCount, times: setting.some(100_000))
    }

    private static func cryptor() throws(BenchmarkError) -> KeyedCryptor {
        try calling("KeyedCryptor") { () throws(CryptorError) in try KeyedCryptor(try Keys.pair()) }
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
                    // Each thread has messages of its own, as tasks of a service do. If they shared an array, they would wait
                    // for each other to count its references.
                    let (plaintext, message) = (plaintext.map(\.self), message.map(\.self))
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
