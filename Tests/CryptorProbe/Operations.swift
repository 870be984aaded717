import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation

/// Every kind of work that the library does for a program, with a check of its result. The objects are made once and
/// then used again and again: the tests are about what the library keeps from one use to the next.
final class Operations: Sendable {
    typealias Operation = @Sendable () throws -> Void

    struct Wrong: Error {}

    private let folder: String
    private let keyPair: KeyPair
    private let keyed: KeyedCryptor
    private let password: Credential
    private let plaintext = [UInt8](repeating: 0x61, count: 1000)
    private let large = (0..<8 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
    private let largeMessage: [UInt8]
    private let keyMessage: [UInt8]
    private let passwordMessage: [UInt8]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rncryptor-probe-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        keyPair = try KeyPair.random()
        keyed = try KeyedCryptor(keyPair)
        password = try .password("correct horse battery staple")
        largeMessage = try Cryptor.encrypt(large, with: .keys(keyPair))
        keyMessage = try Cryptor.encrypt(plaintext, with: .keys(keyPair))
        passwordMessage = try Cryptor.encrypt(plaintext, with: password)
        try Data(large.prefix(3 << 20)).write(to: URL(fileURLWithPath: folder + "/plain"))
        try Cryptor.encryptFile(at: .path("\(folder)/plain"), to: .path("\(folder)/message"), with: .keys(keyPair))
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var keys: Credential { .keys(keyPair) }

    /// All operations with their names. `number` tells apart the files of several processes and threads.
    func all(number: Int) -> [(name: String, body: Operation)] {
        messages + streams + files(number: number)
    }

    private func expect(_ bytes: [UInt8], _ expected: [UInt8]) throws {
        guard bytes == expected else { throw Wrong() }
    }

    var messages: [(name: String, body: Operation)] {
        [
            ("encrypt", { [self] in _ = try Cryptor.encrypt(plaintext, with: keys) }),
            ("decrypt", { [self] in try expect(try Cryptor.decrypt(keyMessage, with: keys), plaintext) }),
            ("encrypt under a password", { [self] in _ = try Cryptor.encrypt(plaintext, with: password) }),
            (
                "decrypt under a password",
                { [self] in try expect(try Cryptor.decrypt(passwordMessage, with: password), plaintext) }
            ),
            ("encrypt 8 MiB", { [self] in _ = try Cryptor.encrypt(large, with: keys) }),
            ("decrypt 8 MiB", { [self] in try expect(try Cryptor.decrypt(largeMessage, with: keys), large) }),
            ("keyed encrypt", { [self] in for _ in 0..<70 { _ = try keyed.encrypt(plaintext) } }),
            ("keyed decrypt", { [self] in for _ in 0..<70 { try expect(try keyed.decrypt(keyMessage), plaintext) } }),
            ("new keyed", { [self] in _ = try KeyedCryptor(keyPair).encrypt(plaintext) }),
            (
                "encryptAll",
                { [self] in for result in Cryptor.encryptAll([plaintext], with: keys) { _ = try result.get() } }
            ),
            (
                "decryptAll",
                { [self] in
                    for result in Cryptor.decryptAll([passwordMessage, passwordMessage], with: password) {
                        try expect(try result.get(), plaintext)
                    }
                }
            ),
        ]
    }

    private var streams: [(name: String, body: Operation)] {
        [
            (
                "encrypt stream",
                { [self] in
                    var message: [UInt8] = []
                    var encryptor = try Encryptor(keys)
                    try encryptor.update(plaintext, into: &message)
                    try encryptor.update(large.prefix(1 << 20), into: &message)
                    try encryptor.finish(into: &message)
                }
            ),
            (
                "decrypt stream",
                { [self] in
                    var bytes: [UInt8] = []
                    var decryptor = try Decryptor(keys)
                    try decryptor.update(largeMessage, unverifiedInto: &bytes)
                    try decryptor.finish(into: &bytes)
                    try expect(bytes, large)
                }
            ),
        ]
    }

    private func files(number: Int) -> [(name: String, body: Operation)] {
        let output = "\(folder)/out-\(number)"
        return [
            (
                "encryptFile",
                { [self] in
                    try Cryptor.encryptFile(
                        at: .path("\(folder)/plain"), to: .path(output), with: keys,
                        options: FileOptions(overwriting: true))
                }
            ),
            (
                "decryptFile",
                { [self] in
                    try Cryptor.decryptFile(
                        at: .path("\(folder)/message"), to: .path(output), with: keys,
                        options: FileOptions(overwriting: true))
                }
            ),
            ("verifyFile", { [self] in _ = try Cryptor.verifyFile(at: .path("\(folder)/message"), with: keys) }),
            (
                "rekeyFile",
                { [self] in
                    try Cryptor.rekeyFile(
                        at: .path("\(folder)/message"), to: .path(output), from: keys, into: password,
                        options: FileOptions(overwriting: true)
                    )
                }
            ),
        ]
    }

    /// Performs all operations, one after the other.
    func perform(number: Int) throws {
        for (name, body) in all(number: number) {
            do { try body() } catch { throw Probe.Failure(description: "\(name): \(error)") }
        }
    }
}
