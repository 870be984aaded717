import CryptorFormat

/// Version 3 with a password in the fewest lines over swift-crypto, for whoever wonders whether
/// they need a library. These rows exist if `CRYPTORFORMAT_SWIFT_CRYPTO` named a checkout of
/// swift-crypto when the benchmarks were built.
enum SwiftCryptoRows {
    #if canImport(CryptoExtras)
    static func benchmarks(_ setting: Setting) -> [Benchmark] {
        let byteCount = min(setting.bulk, 64 << 20)
        let large = Figures.binary(byteCount)
        return [
            row(
                "password message, and 29 lines over swift-crypto", 64, times: 10, decrypting: false
            ),
            row(
                "encrypt \(large), and 29 lines over swift-crypto", byteCount, times: 1,
                decrypting: false),
            row(
                "decrypt \(large), and 29 lines over swift-crypto", byteCount, times: 1,
                decrypting: true),
        ]
    }

    private static func row(_ name: String, _ byteCount: Int, times: Int, decrypting: Bool)
        -> Benchmark
    {
        .race(.swiftCrypto, name, rounds: 5) {
            let password = "correct horse battery staple"
            let plaintext = Data(count: byteCount)
            let credential = try Credential.password(password)
            let message = try Cryptor.encrypt(plaintext, with: credential)
            var (found, written) = (plaintext, message)
            func contender(
                _ name: String, encrypt: @escaping (Data) throws -> Data,
                decrypt: @escaping (Data) throws -> Data
            ) -> Contender {
                Contender(name: name, messages: times) {
                    for _ in 0..<times {
                        if decrypting {
                            found = try decrypt(message)
                        } else {
                            written = try encrypt(plaintext)
                        }
                    }
                } check: {
                    let plain = try Cryptor.decrypt(written, with: credential)
                    try check(found == plaintext && plain == plaintext, "it is not the plaintext")
                }
            }
            let ours = contender("Cryptor") {
                try Cryptor.encrypt($0, with: credential)
            } decrypt: {
                try Cryptor.decrypt($0, with: credential)
            }
            let theirs = contender("29 lines") {
                try FewLines.encrypt($0, password)
            } decrypt: {
                try FewLines.decrypt($0, password)
            }
            return Race(
                unit: byteCount > 64 ? .throughput(byteCount: byteCount) : .time, ours: ours,
                limits: [theirs])
        }
    }
    #else
    static func benchmarks(_ setting: Setting) -> [Benchmark] { [] }
    #endif
}

#if canImport(CryptoExtras)
import Crypto
import CryptoExtras
import Foundation

/// The 29 lines.
private enum FewLines {
    static func keys(_ password: String, _ salts: [Data]) throws -> [SymmetricKey] {
        try salts.map {
            try KDF.Insecure.PBKDF2.deriveKey(
                from: Data(password.utf8), salt: $0, using: .insecureSHA1, outputByteCount: 32,
                unsafeUncheckedRounds: 10_000)
        }
    }

    static func encrypt(_ plaintext: Data, _ password: String) throws -> Data {
        let random = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        let keys = try keys(password, [random[0..<8], random[8..<16]])
        var message = Data([3, 1]) + random
        message += try AES._CBC.encrypt(
            plaintext, using: keys[0], iv: AES._CBC.IV(ivBytes: random[16..<32]))
        message += Data(HMAC<SHA256>.authenticationCode(for: message, using: keys[1]))
        return message
    }

    static func decrypt(_ message: Data, _ password: String) throws -> Data {
        guard message.count >= 82, message.starts(with: [3, 1]) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let keys = try keys(password, [message[2..<10], message[10..<18]])
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                message.suffix(32), authenticating: message.dropLast(32), using: keys[1])
        else { throw CocoaError(.fileReadCorruptFile) }
        return try AES._CBC.decrypt(
            message[34..<message.count - 32], using: keys[0],
            iv: AES._CBC.IV(ivBytes: message[18..<34]))
    }
}
#endif
