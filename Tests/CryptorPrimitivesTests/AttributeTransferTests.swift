import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

/// A file that replaces another takes over its attributes. If some of them cannot be set, it gives fewer rights.
@Suite struct AttributeTransferTests {
    private static let canGiveAway = Privileges.areRoots && FileSystem.hasDescriptorPaths
    private static let (owner, named): (uid_t, uid_t) = (1234, 5678)
    private static let list = AccessList(owner: 6, namedUser: (named, 6), group: 0, mask: 6, others: 4)

    /// Gives a new file the attributes of the old one.
    private func transfer(in folder: TemporaryFolder) throws {
        let opened = try Folder.open(folder.filePath("."))
        guard let old = try opened.reference(to: FilePath("old")) else {
            Issue.record("no reference")
            return
        }
        let new = try opened.create(FilePath("new"), mode: 0o600)
        try FileAttributes(of: old, try old.status()).apply(to: new, withNotes: true)
    }

    /// An access list is dropped if the owner cannot be kept: its entry for the owner would apply to the new owner, and
    /// the old owner would get the rights of others, be they fewer or more.
    @Test(.enabled(if: canGiveAway), arguments: FileSystems.withAccessLists)
    func anAccessListWithoutItsOwner(fileSystem: String) throws {
        let folder = try TemporaryFolder(in: fileSystem)
        try folder.setMode(0o777, of: ".")
        try folder.write([1, 2, 3], to: "old")
        // This is the group of new files, so that only the owner differs.
        try folder.setOwner(Self.owner, group: folder.group(of: "old"), of: "old")
        try folder.setMode(0o664, of: "old")
        try folder.setAttribute(AccessList.name, Self.list.bytes, of: "old")
        try Privileges.withoutRoot { try transfer(in: folder) }
        try #require(try folder.owner(of: "new") == Privileges.nobody)
        try #require(try folder.group(of: "new") == folder.group(of: "old"))
        #expect(try folder.accessList(of: "new") == nil)
        let found = try folder.mode(of: "new")
        #expect(found == 0o600, "\(String(found, radix: 8)), not 600")
    }

    private static let label = "security.selinux"

    /// Without SELinux itself, a label is an attribute that only root can write.
    private static let canLabel: Bool = {
        guard canGiveAway, let folder = try? TemporaryFolder() else { return false }
        try? folder.write([], to: "probe")
        let value = Array("system_u:object_r:tmp_t:s0\0".utf8)
        return (try? folder.setAttribute(label, value, of: "probe")) != nil
    }()

    /// The security label is kept, since it also says who may read the file.
    @Test(.enabled(if: canLabel)) func theSecurityLabelIsKept() throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "old")
        let value = Array("system_u:object_r:user_home_t:s0\0".utf8)
        try folder.setAttribute(Self.label, value, of: "old")
        try transfer(in: folder)
        #expect(try folder.attribute(Self.label, of: "new") == value)
    }
}
