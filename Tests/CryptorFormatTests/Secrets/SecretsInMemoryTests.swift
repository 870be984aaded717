#if os(Linux)
import CryptorPrimitives
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// When all values that held a secret are gone, it is nowhere in the process's memory: heap, all
/// stacks, and the rest.
@Suite(.enabled(if: !Sanitizer.watchesMemory, "sanitizers keep what was freed"))
struct SecretsInMemoryTests {
    private var generator = SeededGenerator()
    private let password: [UInt8]
    private let encryptionKey: [UInt8]
    private let hmacKey: [UInt8]

    init() {
        password = generator.bytes(40)
        encryptionKey = generator.bytes(32)
        hmacKey = generator.bytes(32)
    }

    /// Secrets that are still alive are found, which shows that the search works.
    @Test(arguments: [
        (
            "livingCredential",
            ["password-start", "password-end", "keys-encryption-key-start", "keys-hmac-key-end"]
        ),
        (
            "livingEncryptor",
            [
                "keys-round-key-2", "keys-round-key-14", "keys-inner-state-start",
                "keys-outer-state-end",
            ]
        ),
        (
            "livingCryptor",
            [
                "keys-encryption-key-start", "keys-decryption-round-key-1",
                "keys-decryption-round-key-13",
            ]
        ),
        (
            "keptSalts",
            ["password-start", "derived-hmac-key-end", "derived-decryption-round-key-1"]
        ),
    ])
    func whatIsAliveIsFound(scenario: String, needles: [String]) throws {
        let found = try found(in: scenario)
        #expect(Set(needles).isSubset(of: found.map(\.name)), "found only \(found)")
    }

    @Test(arguments: [
        "passwordFromLazyBytes", "secretFiles", "encrypt", "encryptOtherCollections", "decrypt",
        "refused",
        "abandonedStream",
        "keyedCryptorOnThreads", "batches", "keyrings", "pool", "oldVersions", "files",
    ])
    func whatIsGoneIsGone(scenario: String) throws {
        let found = try found(in: scenario)
        #expect(found.isEmpty, "\(generator)")
    }

    /// A cryptor that is still in use has nothing of the keys that it no longer keeps.
    @Test func droppedSaltsAreGone() throws {
        let found = try found(in: "droppedSalts")
        #expect(found.contains { $0.name == "password-start" }, "\(found)")
        #expect(!found.contains { $0.name.hasPrefix("derived") }, "\(found)")
    }

    private struct Finding: CustomStringConvertible {
        let name: String
        let place: String
        var description: String { "\(name) in \(place)" }
    }

    private func found(in scenario: String) throws -> [Finding] {
        // Otherwise each function's first call would save what is left in the vector registers on
        // the stack.
        let probe = try ProbeProcess(["secrets", scenario], environment: ["LD_BIND_NOW": "1"])
        try probe.send(
            ["password \(masked(password).hex)", "keys \(masked(encryptionKey + hmacKey).hex)"]
                + messages())
        var needles = Needle.password(password)
        needles += Needle.keys("keys", encryption: encryptionKey, hmac: hmacKey)
        needles += Needle.ends("key-text", Array((encryptionKey + hmacKey).hex.utf8))
        for (index, line) in try probe.linesUntilReady().enumerated() {
            let salts = try line.split(separator: " ").dropFirst().map { try #require(UInt8($0)) }
            try #require(salts.count == 16, "\(line)")
            needles += try derived(
                "derived-\(index)", encryptionSalt: salts.prefix(8), hmacSalt: salts.suffix(8))
        }
        for usesPassword in [true, false] {
            let code = try code(of: Array(forged(message(usesPassword)).dropLast(32)), usesPassword)
            let words = stride(from: 0, to: 32, by: 4).flatMap { code[$0..<$0 + 4].reversed() }
            needles += Needle.ends("right-code-\(usesPassword)", code)
            needles += Needle.ends("right-code-in-words-\(usesPassword)", words)
        }
        needles += try derived(
            "derived", encryptionSalt: Self.salts.encryption[...], hmacSalt: Self.salts.hmac[...])
        try probe.send(needles.map(\.line))
        let lines = try probe.finish()
        let scanned = lines.first.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
        #expect(scanned > 1 << 20, "only \(scanned) bytes were looked at")
        return lines.dropFirst().map { line in
            let words = line.split(separator: " ", maxSplits: 3)
            return Finding(name: String(words[1]), place: String(words[3]))
        }
    }

    private func derived(
        _ name: String, encryptionSalt: ArraySlice<UInt8>, hmacSalt: ArraySlice<UInt8>
    ) throws -> [Needle] {
        let keys = try Credential.password(utf8: password).keys(
            MessageHeader.Salts(encryption: Array(encryptionSalt), hmac: Array(hmacSalt)))
        return Needle.keys(name, encryption: keys.encryptionKey.plain, hmac: keys.hmacKey.plain)
    }

    private static let salts = MessageHeader.Salts(encryption: Array(1...8), hmac: Array(11...18))

    private func credential(_ usesPassword: Bool) throws -> Credential {
        usesPassword
            ? try .password(utf8: password)
            : .keys(try MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey))
    }

    private func header(_ usesPassword: Bool) -> MessageHeader {
        MessageHeader(salts: usesPassword ? Self.salts : nil, iv: Array(repeating: 7, count: 16))
    }

    private func message(_ usesPassword: Bool) throws -> [UInt8] {
        let plaintext = [UInt8](repeating: 0x61, count: 2000)
        return try Cryptor.encrypt(
            plaintext, with: credential(usesPassword), header: header(usesPassword))
    }

    /// An altered ciphertext with the old HMAC. Only those who have the key may know its right
    /// HMAC.
    private func forged(_ message: [UInt8]) -> [UInt8] {
        var forged = message
        forged[100] ^= 1
        return forged
    }

    private func code(of message: [UInt8], _ usesPassword: Bool) throws -> [UInt8] {
        let hmacKey = try credential(usesPassword).keys(for: header(usesPassword)).hmacKey
        return try BareHMAC.tag(of: message, key: hmacKey)
    }

    /// Messages for the probe, right and wrong, under the password and the keys.
    private func messages() throws -> [String] {
        try [true, false].flatMap { usesPassword in
            let right = try message(usesPassword)
            // The last block is left out, and the HMAC is computed for the rest: plaintext is taken
            // for padding.
            let cut = Array(right.dropLast(48))
            let padding = try cut + code(of: cut, usesPassword)
            let kind = usesPassword ? "password" : "keys"
            let writer = Version0Writer(
                salts: usesPassword ? Self.salts : nil, iv: Array(repeating: 7, count: 16))
            let version0 = try writer.message(
                of: [UInt8](repeating: 0x61, count: 2000), with: credential(usesPassword))
            return [
                "right-\(kind) \(right.hex)", "forged-\(kind) \(forged(right).hex)",
                "padding-\(kind) \(padding.hex)", "version0-\(kind) \(version0.hex)",
            ]
        }
    }
}
#endif
