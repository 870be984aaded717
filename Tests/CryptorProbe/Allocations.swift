import CCryptorProbe
import CryptorAsync
import CryptorFiles
import CryptorFormat
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Lets each allocation of OpenSSL fail in turn, first alone and then together with all later ones.
///
/// Prints a line for each failure that led to neither an error nor a right result, and then counts.
struct Allocations {
    enum Operation: String {
        case encrypt, encryptStream, decrypt, decryptStream, keyedEncrypt, keyedDecrypt, newKeyed
        /// OpenSSL's PBKDF2 with only three iterations, because it allocates in each of them.
        case derive
    }

    private let operation: Operation
    private let credential: Credential
    private let keyPair: KeyPair
    private let usesPassword: Bool
    private static let plaintext = [UInt8](repeating: 0x61, count: 100)

    static func run(_ name: String) throws {
        guard probe_watch_allocations() else { throw Probe.Failure(description: "OpenSSL has allocated already") }
        let words = name.split(separator: "-")
        guard let operation = Operation(rawValue: String(words[0])) else {
            throw Probe.Failure(description: "no operation \(name)")
        }
        let bytes = [UInt8](repeating: 3, count: 32)
        let keyPair = try KeyPair(encryptionKey: bytes, hmacKey: bytes)
        let usesPassword = words[1] == "password"
        let work = Allocations(
            operation: operation, credential: usesPassword ? try .password("correct horse") : .keys(keyPair),
            keyPair: keyPair, usesPassword: usesPassword)
        try work.failEach()
    }

    private enum Outcome { case right, error, wrong }

    private func failEach() throws {
        let message = try Cryptor.encrypt(Self.plaintext, with: credential)
        let cryptor = try KeyedCryptor(keyPair)
        var counts: [Outcome: Int] = [:]
        for allAfter in [false, true] {
            var number = 0
            while true {
                number += 1
                let (outcome, made) = attempt(number, allAfter, message, cryptor)
                if made < number {
                    guard outcome == .right else { throw Probe.Failure(description: "it fails by itself") }
                    break
                }
                counts[outcome, default: 0] += 1
                if outcome == .wrong { print("wrong: allocation \(number), all after: \(allAfter)") }
                // Deriving keys from a password takes long, so this case is checked only once, at the end.
                if !usesPassword, attempt(0, false, message, cryptor).outcome != .right {
                    print("wrong: after allocation \(number) had failed, all after: \(allAfter)")
                }
            }
        }
        if attempt(0, false, message, cryptor).outcome != .right { print("wrong: after all") }
        print("counts \(counts[.error] ?? 0) \(counts[.right] ?? 0)")
    }

    private static let salt = Array(UInt8(1)...8)

    /// Derives a key with OpenSSL or with the lanes, which allocate nothing through OpenSSL.
    private func key(_ engine: PBKDF2.Engine) throws(OpenSSLError) -> [UInt8] {
        let request = PBKDF2.Request(password: SecretBytes(copying: "password".utf8.span.bytes), salt: Self.salt)
        let key = try PBKDF2.deriveKeys(for: [request], iterations: 3, engine: engine)[0]
        return key.withRawSpan { key in key.withUnsafeBytes { Array($0) } }
    }

    private func attempt(
        _ number: Int, _ allAfter: Bool, _ message: [UInt8], _ cryptor: KeyedCryptor?
    ) -> (outcome: Outcome, made: Int) {
        var result: [UInt8] = []
        probe_fail_allocation(number, allAfter)
        defer { probe_fail_allocation(0, false) }
        do {
            result = try perform(message, cryptor)
        } catch {
            let made = probe_allocations()
            // A failure of the library must not be taken for a forged message.
            let code = (error as? CryptorError)?.code
            let isRight = code == .cryptoLibraryFailure || error is OpenSSLError
            if !isRight { print("wrong: \(error)") }
            return (isRight ? .error : .wrong, made)
        }
        let made = probe_allocations()
        probe_fail_allocation(0, false)
        switch operation {
        case .derive: return ((try? key(.portableLanes)) == result ? .right : .wrong, made)
        case .decrypt, .decryptStream, .keyedDecrypt: return (result == Self.plaintext ? .right : .wrong, made)
        default:
            let read = try? Cryptor.decrypt(result, with: operation.isKeyed ? .keys(keyPair) : credential)
            return (read == Self.plaintext ? .right : .wrong, made)
        }
    }

    private func perform(_ message: [UInt8], _ cryptor: KeyedCryptor?) throws -> [UInt8] {
        var output: [UInt8] = []
        switch operation {
        case .encrypt: return try Cryptor.encrypt(Self.plaintext, with: credential)
        case .decrypt: return try Cryptor.decrypt(message, with: credential)
        case .encryptStream:
            var encryptor = try Encryptor(credential)
            for byte in Self.plaintext { try encryptor.update([byte], into: &output) }
            try encryptor.finish(into: &output)
        case .decryptStream:
            var decryptor = try Decryptor(credential)
            for byte in message { try decryptor.update([byte], unverifiedInto: &output) }
            try decryptor.finish(into: &output)
        case .keyedEncrypt:
            guard let cryptor else { preconditionFailure("no cryptor") }
            return try cryptor.encrypt(Self.plaintext)
        case .keyedDecrypt:
            guard let cryptor else { preconditionFailure("no cryptor") }
            return try cryptor.decrypt(message)
        case .derive: return try key(.openSSL)
        case .newKeyed: return try KeyedCryptor(keyPair).encrypt(Self.plaintext)
        }
        return output
    }
}

extension Allocations.Operation {
    fileprivate var isKeyed: Bool { self == .keyedEncrypt || self == .newKeyed }
}
