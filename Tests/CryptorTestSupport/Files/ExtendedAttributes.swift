import CCryptorSystem
import Foundation

/// Extended attributes of files (xattr(7)).
package enum ExtendedAttributes {
    package static func set(_ attribute: String, _ value: [UInt8], ofFileAt path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard ccryptor_fsetxattr(file, attribute, value, value.count) == 0 else {
            throw SystemFailure("fsetxattr \(attribute)")
        }
    }

    /// Returns nil if the file does not have the attribute.
    package static func value(_ attribute: String, ofFileAt path: String) throws -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 64 * 1024)
        let count = ccryptor_getxattr(path, attribute, &value, value.count)
        guard count >= 0 else {
            guard errno == ENODATA else { throw SystemFailure("getxattr \(attribute)") }
            return nil
        }
        return Array(value.prefix(count))
    }
}

extension TemporaryFolder {
    package func setAttribute(_ attribute: String, _ value: [UInt8], of name: String) throws {
        try ExtendedAttributes.set(attribute, value, ofFileAt: path(name))
    }

    /// Returns nil if the file does not have the attribute.
    package func attribute(_ attribute: String, of name: String) throws -> [UInt8]? {
        try ExtendedAttributes.value(attribute, ofFileAt: path(name))
    }

    package func accessList(of name: String) throws -> [UInt8]? {
        try attribute(AccessList.name, of: name)
    }
}

/// A POSIX access control list as Linux takes it (acl(5)).
package struct AccessList: Sendable {
    package static let name = "system.posix_acl_access"
    /// The list that new files in a folder get.
    package static let nameOfDefault = "system.posix_acl_default"

    private let owner, group, others, mask: UInt16
    private let namedUser: (id: UInt32, permissions: UInt16)

    /// - Parameter namedUser: a user whom the list names.
    package init(
        owner: UInt16, namedUser: (id: UInt32, permissions: UInt16), group: UInt16, mask: UInt16, others: UInt16
    ) {
        (self.owner, self.group, self.others, self.mask) = (owner, group, others, mask)
        self.namedUser = namedUser
    }

    package var bytes: [UInt8] {
        let unnamed = UInt32.max
        let entries: [(tag: UInt16, permissions: UInt16, id: UInt32)] = [
            (0x01, owner, unnamed), (0x02, namedUser.permissions, namedUser.id), (0x04, group, unnamed),
            (0x10, mask, unnamed), (0x20, others, unnamed),
        ]
        let version: [UInt8] = [2, 0, 0, 0]
        return version
            + entries.flatMap { Self.bytes($0.tag) + Self.bytes($0.permissions) + Self.bytes($0.id) }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Whether files in a folder can have an access list.
    package static func isSupported(in parent: String) -> Bool {
        guard let folder = try? TemporaryFolder(in: parent) else { return false }
        try? folder.write([], to: "probe")
        let list = Self(owner: 6, namedUser: (1, 4), group: 0, mask: 4, others: 0)
        return (try? folder.setAttribute(name, list.bytes, of: "probe")) != nil
    }
}

/// Folders in file systems of different kinds, where this machine has them.
package enum FileSystems {
    package static let temporary = FileManager.default.temporaryDirectory.path
    /// A file system in memory.
    package static let memory = "/dev/shm"

    package static let all = [temporary, memory].filter(FileManager.default.isWritableFile(atPath:))
    package static let withAccessLists = all.filter(AccessList.isSupported)
}
