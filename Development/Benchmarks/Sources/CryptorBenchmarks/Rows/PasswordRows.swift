import CBaseline
// This module is a part of the library, but not a product.
import CPBKDF2Lanes
import CryptorFormat

/// Small messages with a password: all the time goes into PBKDF2.
enum PasswordRows {
    private static let password = "correct horse battery staple"
    private static let byteCount = 64
    private static let batchCount = 16

    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        [
            Benchmark(
                section: .passwords, name: "password message",
                note: "Cryptor.encrypt; two calls of PKCS5_PBKDF2_HMAC", target: 5.5,
                isHeadline: true, work: .race(rounds: setting.rounds, message)),
            Benchmark(
                section: .passwords, name: "password message, CRYPTORFORMAT_OPENSSL_KDF=1",
                note: "the same, keys by OpenSSL", isAlone: true, environment: "CRYPTORFORMAT_OPENSSL_KDF=1",
                work: .race(rounds: setting.rounds, message)),
            path("portable vectors", cpbkdf2_portable, setting),
            path("x86's SHA instructions", cpbkdf2_sha, setting),
            path("AVX-512", cpbkdf2_avx512, setting),
            Benchmark(
                section: .passwords, name: "\(batchCount) password messages in a batch",
                note: "Cryptor.encryptAll; two calls of PKCS5_PBKDF2_HMAC for each", target: 20,
                isHeadline: true, work: .race(rounds: setting.rounds, batch)),
            Benchmark(
                section: .passwords, name: "password message, and by another program",
                note: "Cryptor.encrypt; PyPI's rncryptor, twenty messages and the start of Python", isHeadline: true,
                work: .race(rounds: setting.fileRounds, python)),
        ]
    }

    static let plaintext = [UInt8](repeating: 7, count: byteCount)
    /// Two salts, for when there is no message to take them from.
    private static let salts = [UInt8](0..<16)

    static func credential() throws(BenchmarkError) -> Credential {
        try calling("password") { () throws(CryptorError) in try .password(password) }
    }

    private static func message(_ setting: Setting) throws(BenchmarkError) -> Race {
        let credential = try credential()
        return race(setting, "Cryptor.encrypt") { () throws(BenchmarkError) in
            try calling("encrypt") { () throws(CryptorError) in try Cryptor.encrypt(plaintext, with: credential) }
        }
    }

    private static func batch(_ setting: Setting) throws(BenchmarkError) -> Race {
        let credential = try credential()
        let plaintexts = [[UInt8]](repeating: plaintext, count: batchCount)
        var messages: [[UInt8]] = []
        let ours = Contender(name: "Cryptor.encryptAll", messages: batchCount) { () throws(BenchmarkError) in
            messages = try calling("encryptAll") { () throws(CryptorError) in
                var messages: [[UInt8]] = []
                for message in Cryptor.encryptAll(plaintexts, with: credential) { messages.append(try message.get()) }
                return messages
            }
        } check: { () throws(BenchmarkError) in
            try check(messages.count == plaintexts.count, "\(messages.count) messages")
            for message in messages { try checkMessage(message) }
        }
        return Race(unit: .time, ours: ours, limits: [derivation(messages: batchCount)])
    }

    /// The library itself takes the fastest path that there is. The others are called as the library would call them.
    private static func path(_ name: String, _ path: cpbkdf2_path, _ setting: Setting) -> Benchmark {
        Benchmark(
            section: .passwords, name: "password message, \(name)", note: "the same, keys by this path",
            work: .race(rounds: setting.rounds) { (setting) throws(BenchmarkError) in
                guard cpbkdf2_is_available(path) else { throw .skipped("this processor cannot run it") }
                return race(setting, name) { () throws(BenchmarkError) in try message(path) }
            })
    }

    private static func message(_ path: cpbkdf2_path) throws(BenchmarkError) -> [UInt8] {
        let password = Array(password.utf8)
        var keys = [UInt8](repeating: 0, count: 64)
        password.withUnsafeBufferPointer { password in
            salts.withUnsafeBufferPointer { salts in
                keys.withUnsafeMutableBufferPointer { keys in
                    let requests = [0, 1].map { index in
                        cpbkdf2_request(
                            password: password.baseAddress, password_bytes: password.count,
                            salt: salts.baseAddress?.advanced(by: 8 * index), salt_bytes: 8,
                            key: keys.baseAddress?.advanced(by: 32 * index))
                    }
                    cpbkdf2_derive(path, requests, requests.count, 10_000)
                }
            }
        }
        return try calling("encrypt") { () throws(CryptorError) in
            let pair = try KeyPair(encryptionKey: keys.prefix(32), hmacKey: keys.suffix(32))
            return try Cryptor.encrypt(plaintext, with: .keys(pair))
        }
    }

    private static func race(
        _ setting: Setting, _ name: String, _ run: @escaping () throws(BenchmarkError) -> [UInt8]
    ) -> Race {
        let times = setting.some(50)
        var message: [UInt8] = []
        let ours = Contender(name: name, messages: times) { () throws(BenchmarkError) in
            for _ in 0..<times { message = try run() }
        } check: { () throws(BenchmarkError) in
            try checkMessage(message)
        }
        return Race(unit: .time, ours: ours, limits: [derivation(messages: max(1, times / 5))])
    }

    private static func python(_ setting: Setting) throws(BenchmarkError) -> Race {
        let python = try Tool.python()
        let credential = try credential()
        let ours = race(setting, "Cryptor.encrypt") { () throws(BenchmarkError) in
            try calling("encrypt") { () throws(CryptorError) in try Cryptor.encrypt(plaintext, with: credential) }
        }.ours
        let messages = setting.some(20)
        let script =
            "import rncryptor; [rncryptor.encrypt(bytes(\(byteCount)), '\(password)') for _ in range(\(messages))]"
        let theirs = Contender(name: "PyPI's rncryptor", messages: messages) { () throws(BenchmarkError) in
            try python.run("-c", script)
        }
        return Race(unit: .time, ours: ours, limits: [theirs])
    }

    static func derivation(messages: Int) -> Contender {
        Contender(name: "PKCS5_PBKDF2_HMAC twice", messages: messages) { () throws(BenchmarkError) in
            var keys = [UInt8](repeating: 0, count: 64)
            for _ in 0..<messages {
                try check(baseline_derive_keys(password, salts, &keys), "OpenSSL failed")
            }
        }
    }

    /// Decrypts the message with keys that OpenSSL derives.
    static func checkMessage(_ message: [UInt8]) throws(BenchmarkError) {
        var keys = [UInt8](repeating: 0, count: 64)
        let usesPassword = message[1] == 1
        let salts = usesPassword ? Array(message[2..<18]) : salts
        try check(baseline_derive_keys(password, salts, &keys), "OpenSSL failed")
        let primitives = try Primitives(encryptionKey: Array(keys.prefix(32)), hmacKey: Array(keys.suffix(32)))
        let isRight = message.withUnsafeBytes { message in
            plaintext.withUnsafeBytes { plaintext in
                primitives.message(message, holds: plaintext, headerByteCount: usesPassword ? 34 : 18)
            }
        }
        try check(isRight, "it is no message of the plaintext")
    }
}
