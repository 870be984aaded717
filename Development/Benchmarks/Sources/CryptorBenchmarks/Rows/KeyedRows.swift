import CryptorFormat
import Dispatch
import Synchronization

/// Small messages under one pair of keys: the work around the primitives counts most.
enum KeyedRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        alone(setting)
            + threads("encrypt", setting) { keyed, plaintext, _, count in
                var message: [UInt8] = []
                for _ in 0..<count { message = try keyed.encrypt(plaintext) }
                return try keyed.decrypt(message)
            }
            + threads("decrypt", setting) { keyed, _, message, count in
                var plaintext: [UInt8] = []
                for _ in 0..<count { plaintext = try keyed.decrypt(message) }
                return plaintext
            }
    }

    private static func alone(_ setting: Setting) -> [Benchmark] {
        [
            .race(
                .small, "KeyedCryptor: encrypt", target: 2.3, isHeadline: true,
                rounds: setting.rounds
            ) {
                let (exchange, keyed) = (try small(setting), try KeyedCryptor(Keys.pair()))
                let ours = exchange.encryption("KeyedCryptor") {
                    for _ in 0..<exchange.times {
                        var output = OutputRawSpan(
                            buffer: exchange.message.bytes, initializedCount: 0)
                        try keyed.encrypt(exchange.plaintext.readable.bytes, into: &output)
                    }
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption])
            },
            .race(
                .small, "KeyedCryptor: decrypt", target: 0.85, isHeadline: true,
                rounds: setting.rounds
            ) {
                let (exchange, keyed) = (try small(setting), try KeyedCryptor(Keys.pair()))
                let ours = exchange.decryption("KeyedCryptor") {
                    for _ in 0..<exchange.times {
                        var output = OutputRawSpan(
                            buffer: exchange.decrypted.bytes, initializedCount: 0)
                        try keyed.decrypt(exchange.message.readable.bytes, into: &output)
                    }
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption])
            },
            .race(.small, "Cryptor.encrypt 1 KiB", target: 0.6, rounds: setting.rounds) {
                let exchange = try Exchange(byteCount: 1024, times: setting.some(20_000))
                let plaintext = exchange.plaintext.array
                let ours = exchange.encryption("Cryptor.encrypt") {
                    var message: [UInt8] = []
                    let credential = try Keys.credential()
                    for _ in 0..<exchange.times {
                        message = try Cryptor.encrypt(plaintext, with: credential)
                    }
                    exchange.message.bytes.copyBytes(from: message)
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainEncryption])
            },
            .race(.small, "Cryptor.decrypt 1 KiB", target: 0.35, rounds: setting.rounds) {
                let exchange = try Exchange(byteCount: 1024, times: setting.some(20_000))
                let message = exchange.message.array
                let ours = exchange.decryption("Cryptor.decrypt") {
                    var plaintext: [UInt8] = []
                    let credential = try Keys.credential()
                    for _ in 0..<exchange.times {
                        plaintext = try Cryptor.decrypt(message, with: credential)
                    }
                    exchange.decrypted.bytes.copyBytes(from: plaintext)
                }
                return Race(unit: .time, ours: ours, limits: [exchange.plainDecryption])
            },
        ]
    }

    private static func small(_ setting: Setting) throws -> Exchange {
        try Exchange(byteCount: 64, times: setting.some(100_000))
    }

    /// Handles the given number of messages, with the plaintext and its message, and returns the
    /// last plaintext.
    private typealias Work = @Sendable (KeyedCryptor, [UInt8], [UInt8], Int) throws -> [UInt8]

    /// Two threads with one cryptor, beside one thread, and beside a cryptor each.
    private static func threads(
        _ verb: String, _ setting: Setting, _ work: @escaping Work
    ) -> [Benchmark] {
        [("on two threads", 1.9, 1), ("on two threads, shared or one each", 0.97, 2)].map {
            (name: String, target: Double, count: Int) in
            .race(.small, "KeyedCryptor: \(verb) \(name)", target: target, rounds: setting.rounds) {
                let exchange = try small(setting)
                let shared = try KeyedCryptor(Keys.pair())
                let others = try (0..<count).map { _ in try KeyedCryptor(Keys.pair()) }
                return Race(
                    unit: .time, ours: contender("shared", [shared, shared], exchange, work),
                    limits: [contender(count == 1 ? "one thread" : "each", others, exchange, work)])
            }
        }
    }

    /// As many threads as there are cryptors.
    private static func contender(
        _ name: String, _ cryptors: [KeyedCryptor], _ exchange: Exchange, _ work: @escaping Work
    ) -> Contender {
        let (plaintext, message) = (exchange.plaintext.array, exchange.message.array)
        let count = exchange.times
        return Contender(name: name, messages: cryptors.count * count) {
            let successes = Atomic<Int>(0)
            DispatchQueue.concurrentPerform(iterations: cryptors.count) { number in
                // Each thread has messages of its own, as tasks of a service do. If they shared an
                // array, they would wait for each other to count its references.
                let (plaintext, message) = (plaintext.map(\.self), message.map(\.self))
                if (try? work(cryptors[number], plaintext, message, count)) == plaintext {
                    successes.add(1, ordering: .relaxed)
                }
            }
            let all = successes.load(ordering: .relaxed) == cryptors.count
            try check(all, "it is not the plaintext")
        }
    }
}
