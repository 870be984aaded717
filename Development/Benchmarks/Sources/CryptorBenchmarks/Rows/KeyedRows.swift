import CryptorFormat
import Dispatch
import Synchronization

/// Small messages under one pair of keys: the work around the primitives counts most.
enum KeyedRows {
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
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
            .race(
                .small, "KeyedCryptor: encrypt on two threads", target: 1.9, rounds: setting.rounds
            ) {
                try threads(setting) { keyed, plaintext, _, count in
                    var message: [UInt8] = []
                    for _ in 0..<count { message = try keyed.encrypt(plaintext) }
                    return try keyed.decrypt(message)
                }
            },
            .race(
                .small, "KeyedCryptor: decrypt on two threads", target: 1.9, rounds: setting.rounds
            ) {
                try threads(setting) { keyed, _, message, count in
                    var plaintext: [UInt8] = []
                    for _ in 0..<count { plaintext = try keyed.decrypt(message) }
                    return plaintext
                }
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

    private static func threads(_ setting: Setting, _ work: @escaping Work) throws -> Race {
        let exchange = try small(setting)
        let keyed = try KeyedCryptor(Keys.pair())
        let plaintext = exchange.plaintext.array
        let message = exchange.message.array
        let count = exchange.times
        func contender(_ name: String, _ threads: Int) -> Contender {
            Contender(name: name, messages: threads * count) {
                let successes = Atomic<Int>(0)
                DispatchQueue.concurrentPerform(iterations: threads) { _ in
                    // Each thread has messages of its own, as tasks of a service do. If they shared
                    // an array, they would wait for each other to count its references.
                    let (plaintext, message) = (plaintext.map(\.self), message.map(\.self))
                    if (try? work(keyed, plaintext, message, count)) == plaintext {
                        successes.add(1, ordering: .relaxed)
                    }
                }
                try check(successes.load(ordering: .relaxed) == threads, "it is not the plaintext")
            }
        }
        return Race(
            unit: .time, ours: contender("two threads", 2), limits: [contender("one thread", 1)])
    }
}
