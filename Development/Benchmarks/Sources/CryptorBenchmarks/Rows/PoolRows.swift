import CryptorFormat
import Dispatch
import Synchronization

/// Small password messages through a pool of threads: one task for each message, all at once.
enum PoolRows {
    static let taskCount = 64

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            Benchmark(
                section: .pool, name: "\(taskCount) tasks encrypt by CryptorPool",
                note: "messages in all; Cryptor.encryptAll, and two calls of PKCS5_PBKDF2_HMAC for each, on one core",
                work: .race(rounds: setting.rounds, encryption)),
            Benchmark(
                section: .pool, name: "\(taskCount) tasks decrypt by CryptorPool",
                note: "messages in all; Cryptor.decryptAll, and two calls of PKCS5_PBKDF2_HMAC for each, on one core",
                work: .race(rounds: setting.rounds, decryption)),
        ]
    }

    private static func encryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let credential = try PasswordRows.credential()
        let plaintexts = [[UInt8]](repeating: PasswordRows.plaintext, count: setting.some(taskCount))
        var messages: [[UInt8]] = []
        let ours = Contender(name: "CryptorPool", messages: plaintexts.count) { () throws(BenchmarkError) in
            messages = try inTasks(plaintexts.count) { (index) throws(CryptorError) in
                try await CryptorPool.shared.encrypt(plaintexts[index], with: credential)
            }
        } check: { () throws(BenchmarkError) in
            try check(messages.count == plaintexts.count, "\(messages.count) messages")
            for message in messages { try PasswordRows.checkMessage(message) }
        }
        let batch = Contender(name: "Cryptor.encryptAll", messages: plaintexts.count) { () throws(BenchmarkError) in
            try all(Cryptor.encryptAll(plaintexts, with: credential))
        }
        return Race(unit: .time, ours: ours, limits: [batch, PasswordRows.derivation(messages: plaintexts.count)])
    }

    private static func decryption(_ setting: Setting) throws(BenchmarkError) -> Race {
        let credential = try PasswordRows.credential()
        let count = setting.some(taskCount)
        let written = Cryptor.encryptAll([[UInt8]](repeating: PasswordRows.plaintext, count: count), with: credential)
        let messages = try all(written)
        var plaintexts: [[UInt8]] = []
        let ours = Contender(name: "CryptorPool", messages: count) { () throws(BenchmarkError) in
            plaintexts = try inTasks(count) { (index) throws(CryptorError) in
                try await CryptorPool.shared.decrypt(messages[index], with: credential)
            }
        } check: { () throws(BenchmarkError) in
            let areRight = plaintexts.count == count && plaintexts.allSatisfy { $0 == PasswordRows.plaintext }
            try check(areRight, "they are not the plaintexts")
        }
        let batch = Contender(name: "Cryptor.decryptAll", messages: count) { () throws(BenchmarkError) in
            try all(Cryptor.decryptAll(messages, with: credential))
        }
        return Race(unit: .time, ours: ours, limits: [batch, PasswordRows.derivation(messages: count)])
    }

    @discardableResult
    private static func all(_ results: [Result<[UInt8], CryptorError>]) throws(BenchmarkError) -> [[UInt8]] {
        try calling("batch") { () throws(CryptorError) in
            var outputs: [[UInt8]] = []
            for result in results { outputs.append(try result.get()) }
            return outputs
        }
    }

    /// The results of `count` tasks that run at once. The calling thread waits for the last.
    private static func inTasks(
        _ count: Int, _ work: @escaping @Sendable (Int) async throws(CryptorError) -> [UInt8]
    ) throws(BenchmarkError) -> [[UInt8]] {
        let results = Results(count: count)
        let isDone = DispatchSemaphore(value: 0)
        for index in 0..<count {
            Task {
                do throws(CryptorError) {
                    results.set(try await work(index), at: index)
                } catch {}
                if results.isLast() { isDone.signal() }
            }
        }
        isDone.wait()
        return try results.all()
    }

    private final class Results: Sendable {
        private let outputs: Mutex<[[UInt8]]>
        private let missing: Atomic<Int>

        init(count: Int) {
            outputs = Mutex([[UInt8]](repeating: [], count: count))
            missing = Atomic(count)
        }

        func set(_ output: [UInt8], at index: Int) { outputs.withLock { $0[index] = output } }

        func isLast() -> Bool { missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

        func all() throws(BenchmarkError) -> [[UInt8]] {
            let outputs = outputs.withLock { $0 }
            try check(outputs.allSatisfy { !$0.isEmpty }, "a task failed")
            return outputs
        }
    }
}
