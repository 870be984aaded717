import CBaseline
import CryptorAsync
import Dispatch
import Synchronization

/// Small messages with a password: all the time goes into PBKDF2.
enum PasswordRows {
    private static let password = "correct horse battery staple"
    private static let plaintext = [UInt8](repeating: 7, count: 64)
    private static let taskCount = 16

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            Benchmark(
                section: .passwords, name: "password message",
                target: 6.5, isHeadline: true,
                work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                    Race(unit: .time, ours: try encryption(setting), limits: [derivation(setting.some(10))])
                }),
            Benchmark(
                section: .passwords, name: "\(taskCount) password messages wait in a CryptorPool",
                target: 12,
                isHeadline: true, work: .race(rounds: setting.rounds, pool)),
            Benchmark(
                section: .passwords, name: "password message, and by another program",
                isHeadline: true,
                work: .race(rounds: setting.fileRounds, python)),
            Benchmark(
                section: .passwords, name: "a record under one password, written and read, and by another program",
                work: .race(rounds: setting.fileRounds, records)),
        ]
    }

    private static func credential() throws(BenchmarkError) -> Credential {
        try calling("password") { () throws(CryptorError) in try .password(password) }
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Contender {
        let credential = try credential()
        let times = setting.some(50)
        var message: [UInt8] = []
        return Contender(name: "Cryptor.encrypt", messages: times) { () throws(BenchmarkError) in
            try calling("encrypt") { () throws(CryptorError) in
                for _ in 0..<times { message = try Cryptor.encrypt(plaintext, with: credential) }
            }
        } check: { () throws(BenchmarkError) in
            try checkMessage(message)
        }
    }

    private static func pool(_ setting: Setting) throws(BenchmarkError) -> Race {
        let credential = try credential()
        var messages: [[UInt8]] = []
        let ours = Contender(name: "CryptorPool", messages: taskCount) { () throws(BenchmarkError) in
            let results = Results()
            let isDone = DispatchSemaphore(value: 0)
            for _ in 0..<taskCount {
                Task {
                    let message = try? await CryptorPool.shared.encrypt(plaintext, with: credential)
                    results.all.withLock { $0.append(message ?? []) }
                    isDone.signal()
                }
            }
            for _ in 0..<taskCount { isDone.wait() }
            messages = results.all.withLock { $0 }
        } check: { () throws(BenchmarkError) in
            for message in messages { try checkMessage(message) }
        }
        return Race(unit: .time, ours: ours, limits: [derivation(taskCount)])
    }

    private final class Results: Sendable {
        let all = Mutex<[[UInt8]]>([])
    }

    private static func python(_ setting: Setting) throws(BenchmarkError) -> Race {
        let python = try Tool.python()
        let messages = setting.some(20)
        let script = "import rncryptor; [rncryptor.encrypt(bytes(64), '\(password)') for _ in range(\(messages))]"
        let theirs = Contender(name: "PyPI's rncryptor", messages: messages) { () throws(BenchmarkError) in
            try python.run("-c", script)
        }
        return Race(unit: .time, ours: try encryption(setting), limits: [theirs])
    }

    /// Each cryptor is made anew, and derives its keys.
    private static func records(_ setting: Setting) throws(BenchmarkError) -> Race {
        let python = try Tool.python()
        let credential = try credential()
        let plaintexts = [[UInt8]](repeating: plaintext, count: 100)
        let ours = Contender(name: "KeyedCryptor", messages: plaintexts.count) { () throws(BenchmarkError) in
            try calling("records") { () throws(CryptorError) in
                var messages: [[UInt8]] = []
                for result in try KeyedCryptor(credential).encryptAll(plaintexts) { messages.append(try result.get()) }
                for result in try KeyedCryptor(credential).decryptAll(messages) { _ = try result.get() }
            }
        }
        let count = setting.some(5)
        let script = """
            import rncryptor
            for message in [rncryptor.encrypt(bytes(64), '\(password)') for _ in range(\(count))]:
                rncryptor.decrypt(message, '\(password)')
            """
        let theirs = Contender(name: "PyPI's rncryptor", messages: count) { () throws(BenchmarkError) in
            try python.run("-c", script)
        }
        return Race(unit: .time, ours: ours, limits: [theirs])
    }

    private static func derivation(_ messages: Int) -> Contender {
        Contender(name: "PKCS5_PBKDF2_HMAC twice", messages: messages) { () throws(BenchmarkError) in
            var keys = [UInt8](repeating: 0, count: 64)
            for _ in 0..<messages {
                try check(baseline_derive_keys(password, [UInt8](0..<16), &keys), "OpenSSL failed")
            }
        }
    }

    /// Decrypts the message with keys that OpenSSL derives.
    private static func checkMessage(_ message: [UInt8]) throws(BenchmarkError) {
        var keys = [UInt8](repeating: 0, count: 64)
        try check(message.count > 34, "it is no message")
        try check(baseline_derive_keys(password, Array(message[2..<18]), &keys), "OpenSSL failed")
        let primitives = try Primitives(encryptionKey: Array(keys.prefix(32)), hmacKey: Array(keys.suffix(32)))
        let isRight = message.withUnsafeBytes { message in
            plaintext.withUnsafeBytes { plaintext in
                primitives.message(message, holds: plaintext, headerByteCount: 34)
            }
        }
        try check(isRight, "it is no message of the plaintext")
    }
}
