import CCryptorProbe
import CryptorAsync
import CryptorFiles
import Foundation

enum Scenario: String {
    // In these scenarios the secrets are still in use, and must be found.
    case livingCredential, livingEncryptor, livingCryptor, keptSalts, droppedSalts
    case passwordFromLazyBytes, secretFiles
    case encrypt, encryptOtherCollections, decrypt, refused, abandonedStream
    case keyedCryptorOnThreads, batches, keyrings, pool, oldVersions, files
}

/// Each scenario is done with a password and with keys.
struct ScenarioWork {
    private let given: [String: [UInt8]]
    private let directory: String
    private static let plaintext = [UInt8](repeating: 0x20, count: 1000)
    private static let large = [UInt8](repeating: 0x20, count: 12 << 20)

    init(_ given: [String: [UInt8]], directory: String) {
        self.given = given
        self.directory = directory
    }

    // MARK: Secrets

    /// Calls `body` with the unmasked bytes, and cleanses them afterwards.
    private func unmasked<Result>(
        _ name: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows
        -> Result
    {
        let masked = given[name] ?? []
        let secret = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: masked.count)
        _ = secret.initialize(from: masked)
        probe_mask(secret.baseAddress, secret.count)
        defer {
            probe_cleanse(secret.baseAddress, secret.count)
            secret.deallocate()
        }
        return try body(UnsafeBufferPointer(secret))
    }

    private func password() throws -> Credential {
        try unmasked("password") { try .password(utf8: $0) }
    }

    private func messageKeys() throws -> MessageKeys {
        try unmasked("keys") { keys in
            try MessageKeys(
                encryptionKey: UnsafeBufferPointer(rebasing: keys[..<32]),
                hmacKey: UnsafeBufferPointer(rebasing: keys[32...]))
        }
    }

    private func message(_ name: String, _ credential: Credential) throws -> [UInt8] {
        let name = "\(name)-\(credential.password != nil ? "password" : "keys")"
        guard let message = given[name] else { throw Probe.Failure(description: "no \(name)") }
        return message
    }

    // MARK: Work

    private final class Kept {
        var credentials: [Credential] = []
        var cryptor: KeyedCryptor?
        var encryptor: Encryptor?
    }

    /// Does a scenario with a password and with keys, or without either.
    func perform(_ scenario: Scenario) throws -> AnyObject? {
        let kept = Kept()
        switch scenario {
        case .livingEncryptor: kept.encryptor = try Encryptor(.keys(try messageKeys()))
        case .livingCryptor: kept.cryptor = try KeyedCryptor(try messageKeys())
        case .keptSalts: kept.cryptor = try cryptorWithSalts(dropping: false)
        case .droppedSalts: kept.cryptor = try cryptorWithSalts(dropping: true)
        case .passwordFromLazyBytes: try passwordFromLazyBytes()
        case .secretFiles: try secretFiles()
        case .encryptOtherCollections: try encryptOtherCollections()
        case .keyedCryptorOnThreads:
            let cryptor = try KeyedCryptor(messageKeys())
            DispatchQueue.concurrentPerform(iterations: 64) { _ in try? useKeyedCryptor(cryptor) }
        default:
            for credential in [try password(), .keys(try messageKeys())] {
                try perform(scenario, credential, kept)
            }
        }
        return kept
    }

    private func perform(_ scenario: Scenario, _ credential: Credential, _ kept: Kept) throws {
        switch scenario {
        case .livingCredential: kept.credentials.append(credential)
        case .encrypt:
            for plaintext in [Self.plaintext, Self.large] {
                note(try Cryptor.encrypt(plaintext, with: credential))
            }
            try encryptStream(credential)
        case .decrypt:
            _ = try Cryptor.decrypt(message("right", credential), with: credential)
            try decryptStream("right", credential)
        case .refused:
            for name in ["forged", "padding"] {
                try refused {
                    _ = try Cryptor.decrypt(try message(name, credential), with: credential)
                }
                try refused { try decryptStream(name, credential) }
            }
        case .abandonedStream:
            try refused { try decryptStream("right", credential, without: 5) }
            try refused { try decryptStream("right", credential, without: 900) }
            var abandoned = try Decryptor(credential)
            var plaintext: [UInt8] = []
            try abandoned.update(
                message("right", credential).prefix(500), unverifiedInto: &plaintext)
        case .batches:
            let cryptor = try KeyedCryptor(credential)
            let messages = cryptor.encryptAll([[UInt8]](repeating: [1, 2, 3], count: 5))
            for message in messages { note(try message.get()) }
            let refused = try message("forged", credential)
            _ = try KeyedCryptor(credential).decryptAll(
                try messages.map { try $0.get() } + [refused])
        case .keyrings: try useKeyrings(credential)
        case .pool: try usePool(credential)
        case .oldVersions: try oldVersions(credential)
        case .files: try files(credential)
        default: throw Probe.Failure(description: "\(scenario) takes no credential")
        }
    }

    /// Prints the salts of a message.
    private func note(_ message: some Collection<UInt8>) {
        guard message.dropFirst().first == 1 else { return }
        print("salts", message.dropFirst(2).prefix(16).map { String($0) }.joined(separator: " "))
    }

    private func refused(_ body: () throws -> Void) throws {
        do { try body() } catch is CryptorError { return }
        throw Probe.Failure(description: "it was not refused")
    }

    /// Plaintexts that must not stay behind, in collections that are copied before they are
    /// encrypted. Each is longer than the one before, so that the memory of its copy is too small
    /// for the copies that come later, and is not overwritten by these.
    private func encryptOtherCollections() throws {
        let credential = Credential.keys(try .random())
        let cryptor = try KeyedCryptor(.random())
        for byteCount in stride(from: 1000, through: 4000, by: 500) {
            let plaintext = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: byteCount)
            plaintext.initialize(repeating: 0x20)
            unmasked("keys") { keys in
                for start in stride(from: 0, to: byteCount - keys.count, by: 100) {
                    _ = UnsafeMutableBufferPointer(rebasing: plaintext[start...]).update(from: keys)
                }
            }
            defer {
                probe_cleanse(plaintext.baseAddress, plaintext.count)
                plaintext.deallocate()
            }
            let bytes = UnsafeBufferPointer(plaintext)
            note(try Cryptor.encrypt(bytes, with: credential))
            note(try Cryptor.encrypt(bytes.lazy.map { $0 }, with: credential))
            _ = try cryptor.encrypt(bytes)
            _ = try cryptor.encrypt(bytes.lazy.map { $0 })
            _ = try cryptor.encrypt(bytes.lazy.filter { _ in true })
            _ = try cryptor.encrypt([bytes[..<1000], bytes[1000...]].joined())
            var encryptor = try Encryptor(credential)
            var message: [UInt8] = []
            try encryptor.update(bytes, into: &message)
            try encryptor.update(bytes.lazy.map { $0 }, into: &message)
            try encryptor.finish(into: &message)
        }
    }

    private func passwordFromLazyBytes() throws {
        let masked = given["password"] ?? []
        let bytes = masked.indices.lazy.map { index in
            masked[index] ^ UInt8(truncatingIfNeeded: 0xA5 ^ index &* 73)
        }
        note(try Cryptor.encrypt([1], with: .password(utf8: bytes)))
        let keys = given["keys"] ?? []
        let keyBytes = keys.indices.lazy.map { index in
            keys[index] ^ UInt8(truncatingIfNeeded: 0xA5 ^ index &* 73)
        }
        _ = try MessageKeys(encryptionKey: keyBytes.prefix(32), hmacKey: keyBytes.suffix(32))
    }

    /// Reads secrets from files, to which they are written without a copy in memory: keys as
    /// digits, one by one, and the password so often that its memory is not soon used again.
    private func secretFiles() throws {
        let digits = Array("0123456789abcdef".utf8)
        for name in ["keys", "password"] {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: try write([], to: name)))
            unmasked(name) { secret in
                func write(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
                    _ = Foundation.write(file.fileDescriptor, bytes, count)
                }
                if name == "password" {
                    return (0..<100).forEach { _ in write(secret.baseAddress, secret.count) }
                }
                for digit in secret.lazy.flatMap({ [$0 >> 4, $0 & 15] }) {
                    write([digits[Int(digit)]], 1)
                }
            }
        }
        _ = try MessageKeys(keyFile: "\(directory)/keys")
        _ = try Credential.password(file: "\(directory)/password")
    }

    private func encryptStream(_ credential: Credential) throws {
        var encryptor = try Encryptor(credential)
        var message: [UInt8] = []
        for _ in 0..<10 { try encryptor.update(Self.plaintext, into: &message) }
        try encryptor.finish(into: &message)
        note(message)
        // Another stream is never finished.
        var abandoned = try Encryptor(credential)
        message = []
        try abandoned.update(Self.plaintext, into: &message)
        note(message)
    }

    private func decryptStream(
        _ name: String, _ credential: Credential, under keyring: Credential? = nil,
        without count: Int = 0
    ) throws {
        var decryptor = try Decryptor(keyring ?? credential)
        var plaintext: [UInt8] = []
        let message = try message(name, credential).dropLast(count)
        for start in stride(from: 0, to: message.count, by: 100) {
            try decryptor.update(message.dropFirst(start).prefix(100), unverifiedInto: &plaintext)
        }
        try decryptor.finish(into: &plaintext)
    }

    /// A cryptor that has read a message, and as many others as it takes to drop its keys.
    private func cryptorWithSalts(dropping: Bool) throws -> KeyedCryptor {
        let credential = try password()
        let cryptor = try KeyedCryptor(credential)
        try refused { _ = try cryptor.decrypt(message("forged", credential)) }
        // The keys are kept after the first time, and get an engine at the second.
        for _ in 0..<2 { _ = try cryptor.decrypt(message("right", credential)) }
        for _ in 0..<(dropping ? 256 : 0) {
            _ = try cryptor.decrypt(Cryptor.encrypt([1], with: credential))
        }
        return cryptor
    }

    /// Uses keyrings whose primary the credential is, and whose last one.
    private func useKeyrings(_ credential: Credential) throws {
        let others: [Credential] = [try .password("another"), .keys(try .random())]
        for (isPrimary, keyring) in [
            (true, try Credential.keyring(primary: credential, previous: others)),
            (false, try .keyring(primary: others[0], previous: [others[1], credential])),
        ] {
            let cryptor = try KeyedCryptor(keyring)
            for name in ["right", "forged", "padding"] {
                let message = try message(name, credential)
                let path = try write(message, to: "keyring")
                let works: [() throws -> Void] = [
                    { _ = try Cryptor.open(message, with: keyring) },
                    { _ = try Cryptor.rotate(message, with: keyring) },
                    { try decryptStream(name, credential, under: keyring) },
                    { _ = try cryptor.open(message) }, { _ = try cryptor.rotate(message) },
                    {
                        for result in cryptor.decryptAll([message, message]) {
                            _ = try result.get()
                        }
                    },
                    { _ = try Cryptor.rotateFile(at: path, with: keyring) },
                ]
                for work in works { if name == "right" { try work() } else { try refused(work) } }
            }
            if isPrimary { note(try cryptor.encrypt([1])) }
        }
    }

    /// Tries every reading of a password in vain.
    private func oldVersions(_ credential: Credential) throws {
        let accepted = Acceptance(Set(FormatVersion.allCases))
        let credential = try Credential.keyring(
            primary: credential, previous: credential.shortenedReadings)
        // Its HMAC is wrong, but that shows only under the keys.
        var ofVersion0 = try message("right", credential)
        ofVersion0.replaceSubrange(..<2, with: [0, 0])
        ofVersion0.replaceSubrange((ofVersion0.count - 12)..., with: repeatElement(0, count: 12))
        try refused { _ = try Cryptor.decryptVersion0(ofVersion0, with: credential) }
        let sound = given["version0-\(credential.password != nil ? "password" : "keys")"] ?? []
        guard try Cryptor.decryptVersion0(sound, with: credential).count == 2000 else {
            throw Probe.Failure(description: "a message of version 0")
        }
        for version in UInt8(1)...2 {
            var message = try message("right", credential)
            message[0] = version
            try refused { _ = try Cryptor.decrypt(message, with: credential, accepting: accepted) }
            try refused {
                var decryptor = try Decryptor(credential, accepting: accepted)
                var plaintext: [UInt8] = []
                try decryptor.update(message, unverifiedInto: &plaintext)
                try decryptor.finish(into: &plaintext)
            }
        }
    }

    private func useKeyedCryptor(_ cryptor: KeyedCryptor) throws {
        for _ in 0..<5 { _ = try cryptor.decrypt(cryptor.encrypt(Self.plaintext)) }
        var messages = try cryptor.encryptAll((0..<200).map { Self.plaintext.prefix($0) }).map {
            try $0.get()
        }
        for name in ["forged-keys", "padding-keys"] { messages.append(given[name] ?? []) }
        let failureCount = cryptor.decryptAll(messages).count { (try? $0.get()) == nil }
        guard failureCount == 2 else { throw Probe.Failure(description: "batches") }
        for name in ["forged-keys", "padding-keys"] {
            try refused { _ = try cryptor.decrypt(given[name] ?? []) }
        }
    }

    /// Runs messages that succeed, that are refused and that are cancelled, in a pool that is gone
    /// afterwards.
    private func usePool(_ credential: Credential) throws {
        let (right, forged) = (try message("right", credential), try message("forged", credential))
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let pool = CryptorPool(threadCount: 2)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        if let message = try? await pool.encrypt([1], with: credential) {
                            note(message)
                        }
                    }
                    group.addTask { _ = try? await pool.decrypt(right, with: credential) }
                    group.addTask { _ = try? await pool.decrypt(forged, with: credential) }
                    group.addTask {
                        let cancelled = Task { try await pool.decrypt(right, with: credential) }
                        cancelled.cancel()
                        _ = try? await cancelled.value
                    }
                }
            }
            isDone.signal()
        }
        isDone.wait()
        // The pool's threads need a moment to end.
        Thread.sleep(forTimeInterval: 1)
    }

    // MARK: Files

    private func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
        let path = "\(directory)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func noteFile(_ path: String) throws {
        note(
            try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 34) ?? Data()
        )
    }

    private func files(_ credential: Credential) throws {
        let plaintext = try write(Self.large, to: "plaintext")
        let (message, decrypted) = ("\(directory)/message", "\(directory)/decrypted")
        try Cryptor.encryptFile(
            at: plaintext, to: message, with: credential, options: FileOptions(overwriting: true))
        try noteFile(message)
        try Cryptor.verifyFile(at: message, with: credential)
        try Cryptor.decryptFile(
            at: message, to: decrypted, with: credential, options: FileOptions(overwriting: true))
        try Cryptor.decryptFile(at: message, to: "/dev/null", with: credential)
        let opened = try VerifiedFile(at: message, with: credential)
        for start in stride(from: 3, to: Self.large.count, by: 1 << 20) {
            _ = try opened.read(start..<start + 100_000)
        }
        for copy in [decrypted, message] {
            try Cryptor.verifyFile(at: message, with: credential)
            try Cryptor.rekeyFile(
                at: message, to: copy, from: credential, into: credential,
                options: FileOptions(overwriting: true))
            try noteFile(copy)
        }
    }
}

/// Works with secrets that arrive masked. When every object that knew them is gone, it searches all
/// of its memory for them.
///
/// It reads lines "NAME HEX", up to "end": the masked password and keys, and messages. After the
/// work it prints the salts of the messages that it wrote, and "ready". Then it reads the masked
/// needles, up to another "end", and names each needle that it finds with its place.
enum SecretSearch {
    static func run(_ name: String) throws {
        guard let scenario = Scenario(rawValue: name) else {
            throw Probe.Failure(description: "no scenario \(name)")
        }
        guard probe_watch_allocations() else {
            throw Probe.Failure(description: "OpenSSL has allocated already")
        }
        let given = given()
        // The work has a stack frame of its own: it is not inlined here.
        let kept = try perform(scenario, given)
        print("ready")
        fflush(nil)
        try search()
        withExtendedLifetime(kept) {}
    }

    @inline(never)
    private static func perform(_ scenario: Scenario, _ given: [String: [UInt8]]) throws
        -> AnyObject?
    {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "probe-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try ScenarioWork(given, directory: directory.path).perform(scenario)
    }

    private static func given() -> [String: [UInt8]] {
        var given: [String: [UInt8]] = [:]
        while let line = readLine(), line != "end" {
            let fields = line.split(separator: " ")
            given[String(fields[0])] = bytes(fields[1])
        }
        return given
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = hex.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func search() throws {
        var names: [String] = []
        var needles: [UInt8] = []
        while let line = readLine(), line != "end" {
            let fields = line.split(separator: " ")
            names.append(String(fields[0]))
            needles += bytes(fields[1])
        }
        precondition(!names.isEmpty && needles.count == names.count * Int(PROBE_NEEDLE_BYTES))
        var hits = [probe_hit](repeating: probe_hit(), count: 400)
        var scanned = 0
        let count = probe_scan(needles, names.count, &hits, hits.count, &scanned)
        guard count >= 0 else {
            throw Probe.Failure(description: "the memory cannot be read: error \(errno)")
        }
        print("scanned \(scanned)")
        for hit in hits.prefix(count) {
            let region = withUnsafeBytes(of: hit.region) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            print("found \(names[hit.needle]) in \(region)")
        }
    }
}
