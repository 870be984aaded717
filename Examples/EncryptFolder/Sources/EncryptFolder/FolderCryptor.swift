import CryptorFormat
import Foundation

/// Puts a message in the place of each file of a folder, and back. What fails is reported, and is as it was; the rest goes
/// on.
struct FolderCryptor {
    let credential: Credential
    let suffix = ".rnc"

    struct Report {
        var done: [String] = []
        var failures: [(path: String, reason: String)] = []
    }

    func encrypt(_ folder: String) throws -> Report {
        let paths = try files(of: folder).filter { !$0.hasSuffix(suffix) }
        // The keys of all messages are derived together, which takes less time.
        let prepared = credential.prepared(forNewMessages: paths.count)
        return forEach(paths) { path in
            let message = path + suffix
            try Cryptor.encryptFile(at: path, to: message, with: prepared)
            do {
                // Whatever reads the message back must be able to, before its only other form goes.
                try Cryptor.verifyFile(at: message, with: prepared)
            } catch {
                try? FileManager.default.removeItem(atPath: message)
                throw error
            }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    func decrypt(_ folder: String) throws -> Report {
        let messages = try files(of: folder).filter { $0.hasSuffix(suffix) }
        let prepared = credential.prepared(forMessagesAt: messages.map { .path($0) })
        return forEach(messages) { message in
            // Appears only when it is whole and verified.
            try Cryptor.decryptFile(at: message, to: String(message.dropLast(suffix.count)), with: prepared)
            try FileManager.default.removeItem(atPath: message)
        }
    }

    private func forEach(_ paths: [String], _ body: (String) throws -> Void) -> Report {
        var report = Report()
        for path in paths {
            do {
                try body(path)
                report.done.append(path)
            } catch {
                report.failures.append((path, "\(error)"))
            }
        }
        return report
    }

    /// Everything in it but folders, at any depth. Links are not followed: what they name is another's to encrypt.
    private func files(of folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }.filter {
            let kind = try FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
            return kind != .typeDirectory && kind != .typeSymbolicLink
        }
    }
}
