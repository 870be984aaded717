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
            .race(
                .passwords, "password message", target: 6.5, isHeadline: true,
                rounds: setting.rounds
            ) {
                Race(
                    unit: .time, ours: try encryption(setting.some(50)),
                    limits: [derivation(setting.some(10))])
            },
            .race(
                .passwords, "\(taskCount) password messages wait in a CryptorPool", target: 12,
                isHeadline: true,
                rounds: setting.rounds
            ) {
                Race(unit: .time, ours: try pool(), limits: [derivation(taskCount)])
            },
            .race(
                .passwords, "password message, compared with PyPI rncryptor", isHeadline: true,
                rounds: setting.fileRounds
            ) {
                let count = setting.some(20)
                let script =
                    "[rncryptor.encrypt(bytes(64), '\(password)') for _ in range(\(count))]"
                let limit = try python(script, messages: count)
                return Race(unit: .time, ours: try encryption(setting.some(50)), limits: [limit])
            },
            .race(
                .passwords, "a record under one password, written and read, and PyPI rncryptor",
                rounds: setting.fileRounds
            ) {
                let count = setting.some(5)
                let script = """
                    count = \(count)
                    messages = [rncryptor.encrypt(bytes(64), '\(password)') for _ in range(count)]
                    for message in messages:
                        rncryptor.decrypt(message, '\(password)')
                    """
                return Race(
                    unit: .time, ours: try records(), limits: [try python(script, messages: count)])
            },
        ]
    }

    private static func encryption(_ count: Int) throws -> Contender {
        let credential = try Credential.password(password)
        var message: [UInt8] = []
        return Contender(name: "Cryptor.encrypt", messages: count) {
            for _ in 0..<count { message = try Cryptor.encrypt(plaintext, with: credential) }
        } check: {
            try checkMessage(message)
        }
    }

    private static func pool() throws -> Contender {
        let credential = try Credential.password(password)
        let results = Results()
        return Contender(name: "CryptorPool", messages: taskCount) {
            results.all.withLock { $0 = [] }
        } run: {
            let isDone = DispatchSemaphore(value: 0)
            for _ in 0..<taskCount {
                Task {
                    let message = try? await CryptorPool.shared.encrypt(plaintext, with: credential)
                    results.all.withLock { $0.append(message ?? []) }
                    isDone.signal()
                }
            }
            for _ in 0..<taskCount { isDone.wait() }
        } check: {
            for message in results.all.withLock({ $0 }) { try checkMessage(message) }
        }
    }

    private final class Results: Sendable {
        let all = Mutex<[[UInt8]]>([])
    }

    /// Each cryptor is made anew, and derives its keys.
    private static func records() throws -> Contender {
        let credential = try Credential.password(password)
        let plaintexts = [[UInt8]](repeating: plaintext, count: 100)
        return Contender(name: "KeyedCryptor", messages: plaintexts.count) {
            let messages = try KeyedCryptor(credential).encryptAll(plaintexts).map { try $0.get() }
            for result in try KeyedCryptor(credential).decryptAll(messages) { _ = try result.get() }
        }
    }

    private static func python(_ script: String, messages: Int) throws -> Contender {
        let python = try Tool.python()
        return Contender(name: "PyPI's rncryptor", messages: messages) {
            try python.run(["-c", "import rncryptor\n" + script])
        }
    }

    private static func derivation(_ messages: Int) -> Contender {
        Contender(name: "PKCS5_PBKDF2_HMAC twice", messages: messages) {
            for _ in 0..<messages { _ = try derivedKeys([UInt8](0..<16)) }
        }
    }

    /// The two keys, as OpenSSL derives them.
    private static func derivedKeys(_ salts: [UInt8]) throws -> [UInt8] {
        var keys = [UInt8](repeating: 0, count: 64)
        try check(baseline_derive_keys(password, salts, &keys), "OpenSSL failed")
        return keys
    }

    /// Decrypts the message with keys that OpenSSL derives.
    private static func checkMessage(_ message: [UInt8]) throws {
        try check(message.count > 34, "it is no message")
        let keys = try derivedKeys(Array(message[2..<18]))
        let primitives = try Primitives(
            encryptionKey: Array(keys.prefix(32)), hmacKey: Array(keys.suffix(32)))
        let isRight = message.withUnsafeBytes { message in
            plaintext.withUnsafeBytes { primitives.message(message, holds: $0) }
        }
        try check(isRight, "it is no message of the plaintext")
    }
}
