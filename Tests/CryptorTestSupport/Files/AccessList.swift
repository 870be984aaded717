import CCryptorSystem
import Foundation

/// Access control lists of files (acl(5)), which are extended attributes (xattr(7)).
package enum AccessList {
    /// As Linux takes it: a version, and entries of a tag, permissions and an ID. The owner may
    /// read and write, user 5678 may read, the group and others may do nothing, and the mask is
    /// `r--`.
    private static let entries = Result {
        try [UInt8](
            hex: "02000000" + "01000600ffffffff" + "020004002e160000" + "04000000ffffffff"
                + "10000400ffffffff"
                + "20000000ffffffff")
    }

    /// Gives a file this list.
    package static func set(onFileAt path: String) throws {
        let entries = try entries.get()
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard ccryptor_set_access_list(file, entries, entries.count) == 0 else {
            throw SystemFailure("fsetxattr")
        }
    }

    /// Whether a file has a list.
    package static func isOnFile(at path: String) throws -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var list = [UInt8](repeating: 0, count: 64 * 1024)
        let count = ccryptor_access_list(file, &list, list.count)
        guard count >= 0 else { throw SystemFailure("fgetxattr") }
        return count > 0
    }

    /// Whether temporary files can have a list.
    package static let isSupported = {
        guard let directory = try? TemporaryDirectory() else { return false }
        try? directory.write([], to: "probe")
        return (try? set(onFileAt: directory.path("probe"))) != nil
    }()
}

/// Directories in file systems of different kinds, where this machine has them.
package enum FileSystems {
    /// A file system in memory.
    package static let memory = "/dev/shm"

    package static let all = [FileManager.default.temporaryDirectory.path, memory].filter(
        FileManager.default.isWritableFile(atPath:))
}
