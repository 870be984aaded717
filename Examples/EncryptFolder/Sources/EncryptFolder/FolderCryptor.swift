import CryptorAsync
import Foundation

/// Replaces each file of a folder by its message, and back. A file for which that fails is reported and stays as it
/// was; the others go on.
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
            // The same users may read the message as the file. The file is removed when its message is on the disk,
            // unless somebody has changed it meanwhile.
            try await CryptorPool.shared.encryptFile(
                at: path, to: message, with: credential,
                options: FileOptions(takingAttributes: true, removingSource: true))
        }
    }

    func decrypt(_ folder: String) async throws -> Report {
        await forEach(try files(of: folder).filter { $0.hasSuffix(suffix) }) { message in
            // The file appears only when it is complete and verified. Then the message is removed.
            try await CryptorPool.shared.decryptFile(
                at: message, to: String(message.dropLast(suffix.count)), with: credential,
                options: FileOptions(takingAttributes: true, removingSource: true))
        }
    }

    /// Begins all of them at once: the pool works on a few files at a time.
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

    /// Everything in the folder but folders and links, at any depth. The files that links lead to are left alone.
    private func files(of folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }.filter {
            let kind = try FileManager.default.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
            return kind != .typeDirectory && kind != .typeSymbolicLink
        }
    }
}
