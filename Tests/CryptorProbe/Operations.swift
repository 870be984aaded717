import CryptorFiles
import CryptorPrimitives
import CryptorSystem
import Foundation

/// Every kind of work that the library does for a program, with a check of its result. The tests
/// let it fail, fork in the middle of it, take its threads away, and count them. The objects are
/// made once and used again and again: the tests are about what the library keeps from one use to
/// the next.
final class Operations: Sendable {
    static let names = [
        "encrypt", "decrypt", "encryptPassword", "decryptPassword", "encryptStream",
        "decryptStream",
        "keyedEncrypt", "keyedDecrypt", "newKeyed", "newSalts", "batches", "oldVersion",
        "version0", "encryptFile", "decryptFile",
        "decryptFileToStream", "verifyFile", "rekeyFile", "verifiedFile",
    ]

    let directory: String
    private let messageKeys: MessageKeys
    private let keyed: KeyedCryptor
    private let password: Credential
    private let plaintext: [UInt8]
    private let message: [UInt8]
    private let passwordMessage: [UInt8]
    private let old: (message: [UInt8], credential: Credential)
    private let ofVersion0: [UInt8]

    private var keys: Credential { .keys(messageKeys) }

    init(byteCount: Int) throws {
        directory =
            FileManager.default.temporaryDirectory.appendingPathComponent(
                "rncryptor-probe-\(UUID())"
            ).path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        plaintext = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        messageKeys = try MessageKeys.random()
        keyed = try KeyedCryptor(messageKeys)
        password = try .password("correct horse battery staple")
        message = try Cryptor.encrypt(plaintext, with: .keys(messageKeys))
        passwordMessage = try Cryptor.encrypt(plaintext, with: password)
        let header = MessageHeader(
            version: .v1UnauthenticatedHeader, salts: nil, iv: [UInt8](0..<16))
        old = (
            try Cryptor.encrypt(plaintext, header: header, keys: messageKeys), .keys(messageKeys)
        )
        ofVersion0 = try Self.messageOfVersion0(plaintext, messageKeys)
        try Data(plaintext).write(to: URL(fileURLWithPath: directory + "/plain"))
        try Data(message).write(to: URL(fileURLWithPath: directory + "/message"))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private static func messageOfVersion0(
        _ plaintext: [UInt8], _ keys: MessageKeys
    ) throws -> [UInt8] {
        let iv = [UInt8](0..<16)
        let ciphertext = try [UInt8](byteCapacity: plaintext.count) {
            (output) throws(OpenSSLError) in
            try Version0Algorithms.cipher(
                plaintext.rawSpan(plaintext.indices), key: keys.encryptionKey,
                iv: iv.rawSpan(iv.indices), into: &output)
        }
        let hmac = try Version0Algorithms.hmac(
            of: ciphertext.rawSpan(ciphertext.indices), key: keys.hmacKey)
        return [0, 0] + iv + ciphertext + hmac.withRawSpan { Array(copying: $0) }
            + [UInt8](repeating: 0, count: 12)
    }

    private func isMessage(_ bytes: [UInt8], _ credential: Credential) -> () throws -> Bool {
        { [plaintext] in try Cryptor.decrypt(bytes, with: credential) == plaintext }
    }

    private func isPlaintext(_ bytes: [UInt8]) -> () -> Bool {
        { [plaintext] in bytes == plaintext }
    }

    /// What `body` writes. If it fails, it must have written nothing.
    private func written(_ capacity: Int, _ body: (inout OutputRawSpan) throws -> Void) throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        do { try bytes.appendBytes(capacity: capacity, body) } catch {
            guard bytes.isEmpty else {
                throw Probe.Failure(description: "\(bytes.count) bytes before \(error)")
            }
            throw error
        }
        return bytes
    }

    /// A stream that has failed fails again.
    private func mustFail(_ body: () throws -> Void) throws {
        if (try? body()) != nil { throw Probe.Failure(description: "it went on after a failure") }
    }

    /// Does the work, and returns a function that tells whether the result is right. Whatever
    /// fails, fails in the first.
    /// - Parameter number: tells apart the files of several processes and threads.
    func perform(_ name: String, number: Int = 0) throws -> () throws -> Bool {
        var output: [UInt8] = []
        let (source, plain, out) = (
            "\(directory)/message", "\(directory)/plain", "\(directory)/out-\(number)"
        )
        let options = FileOptions(overwriting: true)
        func published() throws -> [UInt8] {
            defer { try? FileManager.default.removeItem(atPath: out) }
            return Array(try Data(contentsOf: URL(fileURLWithPath: out)))
        }
        /// Keys that were used before have contexts, like those of a `KeyedCryptor`.
        func newKeys() throws -> Credential {
            let (encryptionKey, hmacKey) = messageKeys.copyKeys()
            return .keys(try MessageKeys(encryptionKey: encryptionKey, hmacKey: hmacKey))
        }
        func pieces(_ count: Int) -> StrideTo<Int> {
            stride(from: 0, to: count, by: max(100, count / 3))
        }
        switch name {
        case "encrypt": return isMessage(try Cryptor.encrypt(plaintext, with: newKeys()), keys)
        case "decrypt": return isPlaintext(try Cryptor.decrypt(message, with: newKeys()))
        case "encryptPassword":
            return isMessage(try Cryptor.encrypt(plaintext, with: password), password)
        case "decryptPassword":
            return isPlaintext(try Cryptor.decrypt(passwordMessage, with: password))
        case "encryptStream":
            var encryptor = try Encryptor(keys)
            let step = max(100, plaintext.count / 3)
            for start in pieces(plaintext.count) {
                do {
                    try encryptor.update(plaintext.dropFirst(start).prefix(step), into: &output)
                } catch let failure {
                    try mustFail { () throws in try encryptor.update([], into: &output) }
                    do { try encryptor.finish(into: &output) } catch { throw failure }
                    throw Probe.Failure(description: "it ended after a failure")
                }
            }
            try encryptor.finish(into: &output)
            return isMessage(output, keys)
        case "decryptStream":
            var decryptor = try Decryptor(keys)
            let step = max(100, message.count / 3)
            for start in pieces(message.count) {
                do {
                    try decryptor.update(
                        message.dropFirst(start).prefix(step), unverifiedInto: &output)
                } catch {
                    try mustFail { () throws in try decryptor.update([], unverifiedInto: &output) }
                    throw error
                }
            }
            try decryptor.finish(into: &output)
            return isPlaintext(output)
        case "keyedEncrypt":
            let room = keyed.messageByteCount(for: plaintext.count)
            let plaintext = plaintext
            return isMessage(
                try written(room) { output in try keyed.encrypt(plaintext.span.bytes, into: &output)
                }, keys)
        case "keyedDecrypt":
            let message = message
            return isPlaintext(
                try written(message.count) { output in
                    try keyed.decrypt(message.span.bytes, into: &output)
                })
        case "newKeyed": return isMessage(try KeyedCryptor(messageKeys).encrypt(plaintext), keys)
        case "newSalts":
            // The keys of the message are kept.
            let cryptor = try KeyedCryptor(.keyring(primary: keys, previous: [password]))
            let message = passwordMessage
            return isPlaintext(
                try written(message.count) { output in
                    try cryptor.decrypt(message.span.bytes, into: &output)
                })
        case "batches":
            let cryptor = try KeyedCryptor(password)
            let written = try cryptor.encryptAll([[1], plaintext]).map { try $0.get() }
            let read = try cryptor.decryptAll([passwordMessage, passwordMessage]).map {
                try $0.get()
            }
            let isRight = isMessage(written[1], password)
            return { [plaintext] in try isRight() && read == [plaintext, plaintext] }
        case "oldVersion":
            let keyring = try Credential.keyring(primary: password, previous: [old.credential])
            let all = Acceptance(Set(FormatVersion.allCases))
            return isPlaintext(try Cryptor.decrypt(old.message, with: keyring, accepting: all))
        case "version0":
            return isPlaintext(try Cryptor.decryptVersion0(ofVersion0, with: newKeys()))
        case "encryptFile":
            try Cryptor.encryptFile(at: plain, to: out, with: keys, options: options)
            return { [self] in try isMessage(published(), keys)() }
        case "decryptFile":
            try Cryptor.decryptFile(at: source, to: out, with: keys, options: options)
            return { [self] in try isPlaintext(published())() }
        case "rekeyFile":
            try Cryptor.rekeyFile(at: source, to: out, from: keys, into: keys, options: options)
            return { [self] in try isMessage(published(), keys)() }
        case "decryptFileToStream":
            try Cryptor.decryptFile(at: source.endpoint, with: keys) { output += $0 }
            return isPlaintext(output)
        case "verifyFile":
            let count = try Cryptor.verifyFile(at: source, with: keys)
            return { [plaintext] in count == plaintext.count }
        case "verifiedFile":
            let file = try VerifiedFile(at: source, with: keys)
            for start in stride(from: 0, to: plaintext.count, by: 300_000) {
                output += try file.read(start..<min(start + 300_000, plaintext.count))
            }
            return isPlaintext(output)
        default: throw Probe.Failure(description: "no operation \(name)")
        }
    }

    /// Performs all operations, one after the other.
    func performAll(number: Int) throws {
        for name in Self.names {
            do {
                guard try perform(name, number: number)() else {
                    throw Probe.Failure(description: "a wrong result")
                }
            } catch { throw Probe.Failure(description: "\(name): \(error)") }
        }
    }
}

/// Performs one kind of large work, in one thread or in two while a core is free.
/// `Tests/Interposers/threads.c` counts the threads.
enum Threads {
    static func run(_ name: String, isSerial: Bool) throws {
        Cryptor.usesSecondThread = false
        let operations = try Operations(byteCount: 5 << 20)
        Cryptor.usesSecondThread = !isSerial
        _ = try operations.perform(name)
    }
}
