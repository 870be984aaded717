import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

/// A file that replaces another gives everybody the rights that the other gave, or fewer.
@Suite struct FileAttributesTests {
    // MARK: The rights that a change of owner or group leaves

    /// Anybody but the new owner, who has written the file and so knows it.
    private struct Person: CustomStringConvertible {
        let wasOwner, isInOldGroup, isInNewGroup: Bool

        static let all = (0..<8).map {
            Person(wasOwner: $0 & 1 != 0, isInOldGroup: $0 & 2 != 0, isInNewGroup: $0 & 4 != 0)
        }

        var description: String {
            let groups = (isInOldGroup ? ", of the old group" : "") + (isInNewGroup ? ", of the new group" : "")
            return (wasOwner ? "the old owner" : "somebody") + groups
        }

        func rightsBefore(_ mode: mode_t) -> mode_t {
            wasOwner ? mode >> 6 & 7 : isInOldGroup ? mode >> 3 & 7 : mode & 7
        }

        func rightsAfter(_ mode: mode_t, _ keeps: (owner: Bool, group: Bool)) -> mode_t {
            if wasOwner && keeps.owner { return mode >> 6 & 7 }
            return (keeps.group ? isInOldGroup : isInNewGroup) ? mode >> 3 & 7 : mode & 7
        }

        /// A person who has more rights afterwards than before.
        static func winner(_ before: mode_t, _ after: mode_t, _ keeps: (owner: Bool, group: Bool)) -> Person? {
            all.first { $0.rightsAfter(after, keeps) & ~$0.rightsBefore(before) != 0 }
        }
    }

    private static let changes = [(true, true), (true, false), (false, true), (false, false)]

    @Test(arguments: changes)
    func nobodyHasMoreThanBefore(keepsOwner: Bool, keepsGroup: Bool) {
        for mode: mode_t in 0...0o777 {
            let narrowed = FileAttributes.narrowed(mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup)
            let winner = Person.winner(mode, narrowed, (keepsOwner, keepsGroup))
            let what = "\(String(mode, radix: 8)) becomes \(String(narrowed, radix: 8))"
            #expect(winner == nil, "\(what)")
            #expect(narrowed & ~mode == 0, "\(what)")
            // The owner's rights are for the new owner.
            #expect(narrowed & 0o700 == mode & 0o700, "\(what)")
        }
    }

    /// Every right that is taken away would have given somebody more than before.
    @Test(arguments: changes)
    func nothingIsTakenNeedlessly(keepsOwner: Bool, keepsGroup: Bool) {
        for mode: mode_t in 0...0o777 {
            let narrowed = FileAttributes.narrowed(mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup)
            for bit in (0..<9).map({ mode_t(1) << $0 }) where mode & ~narrowed & bit != 0 {
                let winner = Person.winner(mode, narrowed | bit, (keepsOwner, keepsGroup))
                #expect(winner != nil, "\(String(mode, radix: 8)): \(String(bit, radix: 8)) could stay")
            }
        }
    }

    // MARK: Real files, in several file systems

    private static let canGiveAway = Privileges.areRoots && FileSystem.hasDescriptorPaths
    private static let (owner, group, named): (uid_t, gid_t, uid_t) = (1234, 4321, 5678)

    /// Gives a new file the attributes of the old one, as a function that overwrites a file does.
    private func transfer(in folder: TemporaryFolder, mayChangeOwner: Bool = true, keepingList: Bool = true) throws {
        let opened = try Folder.open(folder.filePath("."))
        let attributes = try #require(try opened.attributes(of: FilePath("old")))
        let new = try opened.create(FilePath("new"), mode: 0o600)
        try attributes.apply(to: new, mayChangeOwner: mayChangeOwner, keepingList: keepingList)
    }

    private func oldFile(mode: mode_t, in fileSystem: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder(in: fileSystem)
        // Users other than root must be able to create files.
        try folder.setMode(0o777, of: ".")
        try folder.write([1, 2, 3], to: "old")
        try folder.setOwner(Self.owner, group: Self.group, of: "old")
        try folder.setMode(mode, of: "old")
        return folder
    }

    private static let list = AccessList(owner: 6, namedUser: (named, 6), group: 0, mask: 6, others: 4)

    /// A file beside its source has no list, and is its owner's only if the source or the folder has one.
    @Test(.enabled(if: canGiveAway), arguments: FileSystems.withAccessLists)
    func besideASource(fileSystem: String) throws {
        for (hasList, inheritsList) in [(false, false), (true, false), (false, true), (true, true)] {
            let folder = try oldFile(mode: 0o664, in: fileSystem)
            if hasList { try folder.setAttribute(AccessList.name, Self.list.bytes, of: "old") }
            if inheritsList { try inheritList(in: folder) }
            try transfer(in: folder, keepingList: false)
            #expect(try folder.mode(of: "new") == (hasList || inheritsList ? 0o600 : 0o664))
            #expect(try folder.accessList(of: "new") == nil)
        }
    }

    /// A list is dropped if owner or group cannot be kept: its entries would apply to others, who would get more rights or
    /// fewer.
    @Test(.enabled(if: canGiveAway), arguments: FileSystems.withAccessLists)
    func anAccessListThatCannotBeKept(fileSystem: String) throws {
        for (keepsGroup, inheritsAnother) in [(false, false), (false, true), (true, false)] {
            let folder = try oldFile(mode: 0o664, in: fileSystem)
            if keepsGroup { try folder.setOwner(Self.owner, group: getegid(), of: "old") }
            try folder.setMode(0o664, of: "old")
            try folder.setAttribute(AccessList.name, Self.list.bytes, of: "old")
            if inheritsAnother { try inheritList(in: folder) }
            try Privileges.withoutRoot { try transfer(in: folder) }
            #expect(try folder.owner(of: "new") == Privileges.nobody)
            #expect(try folder.mode(of: "new") == 0o600)
            #expect(try folder.accessList(of: "new") == nil)
        }
    }

    @Test(.enabled(if: canGiveAway), arguments: FileSystems.all, [0o664, 0o646, 0o466, 0o770, 0o047] as [mode_t])
    func whoMayNotGiveItAwayOnlyNarrows(fileSystem: String, mode: mode_t) throws {
        for keepsGroup in [false, true] {
            let folder = try oldFile(mode: mode | 0o6000, in: fileSystem)
            // Files that the user nobody creates here still have root's group.
            if keepsGroup { try folder.setOwner(Self.owner, group: 0, of: "old") }
            try folder.setMode(mode | 0o6000, of: "old")
            try Privileges.withoutRoot { try transfer(in: folder) }
            try #require(try folder.owner(of: "new") == Privileges.nobody)
            try #require(try folder.group(of: "new") == 0)
            let found = try folder.mode(of: "new")
            let expected = FileAttributes.narrowed(mode, keepsOwner: false, keepsGroup: keepsGroup)
            #expect(found == expected, "\(String(mode, radix: 8)): \(String(found, radix: 8))")
        }
    }

    private func inheritList(in folder: TemporaryFolder) throws {
        let list = AccessList(owner: 7, namedUser: (Self.named, 7), group: 7, mask: 7, others: 7)
        try folder.setAttribute(AccessList.nameOfDefault, list.bytes, of: ".")
        try folder.write([], to: "probe")
        try #require(try folder.accessList(of: "probe") != nil, "a new file has a list")
    }

}
