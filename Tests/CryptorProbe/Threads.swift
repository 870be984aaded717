import CryptorAsync
import CryptorFiles
import CryptorFormat
import Foundation

/// Performs one kind of large work, in one thread or in two while a core is free. `Tests/Interposers/threads.c`
/// counts the threads.
enum Threads {
    static func run(_ kind: String, isSerial: Bool) throws {
        Cryptor.usesSecondThread = false
        let keys = Credential.keys(try KeyPair.random())
        let plaintext = [UInt8](repeating: 7, count: 6 << 20)
        let message = try Cryptor.encrypt(plaintext, with: keys)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rncryptor-probe-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (plain, encrypted, out) = (folder.path + "/plain", folder.path + "/message", folder.path + "/out")
        try Data(plaintext).write(to: URL(fileURLWithPath: plain))
        try Data(message).write(to: URL(fileURLWithPath: encrypted))
        var bytes: [UInt8] = []
        Cryptor.usesSecondThread = !isSerial
        switch kind {
        case "encrypt": _ = try Cryptor.encrypt(plaintext, with: keys)
        case "decrypt": _ = try Cryptor.decrypt(message, with: keys)
        case "encryptFile": try Cryptor.encryptFile(at: plain, to: out, with: keys)
        case "decryptFile": try Cryptor.decryptFile(at: encrypted, to: out, with: keys)
        case "release":
            try Cryptor.decryptFile(at: encrypted, with: keys) { _ in }
        case "verifyFile": try Cryptor.verifyFile(at: encrypted, with: keys)
        case "rekeyFile":
            try Cryptor.rekeyFile(at: encrypted, to: out, from: keys, into: keys)
        case "verifiedFile": _ = try VerifiedFile(at: encrypted, with: keys)
        case "encryptor":
            var encryptor = try Encryptor(keys)
            try encryptor.update(plaintext, into: &bytes)
            try encryptor.finish(into: &bytes)
        case "decryptor":
            var decryptor = try Decryptor(keys)
            try decryptor.update(message, unverifiedInto: &bytes)
            try decryptor.finish(into: &bytes)
        default: throw Probe.Failure(description: "no kind \(kind)")
        }
    }
}
