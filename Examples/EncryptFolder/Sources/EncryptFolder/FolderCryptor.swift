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

    func encrypt(_ folder: String) async throws -> Report {
        await forEach(try files(of: folder).filter { !$0.hasSuffix(suffix) }) { path in
            let message = path + suffix
            // For the eyes that the file was for. The file goes when its message is on the disk, unless somebody has changed it
            // meanwhile.
            try await CryptorPool.shared.encryptFile(
                at: path, to: message, with: credential, takingAttributes: true, removingSource: true)
        }
    }

    func decrypt(_ folder: String) async throws -> Report {
        await forEach(try files(of: folder).filter { $0.hasSuffix(suffix) }) { message in
            // Appears only when it is whole and verified. Then the message goes.
            try await CryptorPool.shared.decryptFile(
                at: message, to: String(message.dropLast(suffix.count)), with: credential,
                takingAttributes: true, removingSource: true)
        }
    }

    /// All are begun: the pool opens only a few files at a time, and derives the keys of several together.
    private func forEach(
        _ paths: [String], _ body: @escaping @Sendable (String) async throws -> Void
    ) async -> Report {
        await withTaskGroup(of: (path: String, reason: String?).self) { group in
            for path in paths {
                group.addTask {
                    do { try await body(path) } catch { return (path, "\(error)") }
                    return (path, nil)
                }
            }
            var report = Report()
            for await (path, reason) in group {
                if let reason { report.failures.append((path, reason)) } else { report.done.append(path) }
            }
            return report
        }
    }

    /// Everything in it but folders, at any depth. Links are not followed: what they name is another's to encrypt.
    private func files(of folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }.filter {
            let kind = try FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
            return kind != .typeDirectory && kind != .typeSymbolicLink
        }
    }
}
