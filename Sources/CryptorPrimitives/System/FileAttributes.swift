import CCryptorSystem

/// The owner, group, permissions and POSIX access control list (acl(5)) of a file, and its extended attributes
/// (xattr(7)), namely those in `user.` and the security label `security.selinux`.
///
/// The special mode bits and `security.capability` are left out: the owner of a program has to decide anew whether it
/// gets these privileges.
package struct FileAttributes: Sendable {
    private enum AccessList {
        case none
        case entries([UInt8])
        /// The file might have a list.
        case unknown
    }

    package let owner: uid_t
    private let group: gid_t
    private let mode: mode_t
    private var accessList: AccessList
    private var notes: [(name: [CChar], value: [UInt8])] = []

    private static let accessListName = Array("system.posix_acl_access".utf8CString)
    private static let labelName = "security.selinux"

    /// The attributes of a file that is open, or at least referred to (``Folder/reference(to:)``).
    package init(of file: borrowing FileDescriptor, _ status: FileStatus) {
        self.init(of: status)
        guard FileSystem.hasDescriptorPaths else { return }
        let path = file.descriptorPath
        switch Self.value(of: Self.accessListName, at: path) {
        case .some(let entries): accessList = .entries(entries)
        case nil: accessList = [ENODATA, ENOTSUP].contains(errno) ? .none : .unknown
        }
        for name in Self.names(at: path) {
            let text = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("user.") || text == Self.labelName,
                let value = Self.value(of: name, at: path)
            else { continue }
            notes.append((name, value))
        }
    }

    /// The attributes of a file of which only the status is known.
    package init(of status: FileStatus) {
        owner = status.owner
        group = status.group
        mode = status.mode & 0o777
        accessList = .unknown
    }

    /// Gives these attributes to a new file of mode 0600, as far as this user is permitted to. Nobody ever gets more
    /// rights than these attributes give, neither between two steps nor after one that failed.
    /// - Parameters:
    ///   - withNotes: whether the extended attributes come along.
    ///   - mayChangeOwner: whether the file may become another user's, with that user's group.
    ///   - mask: the permissions that the file may get at most.
    ///   - limit: the attributes of another file. Nobody gets more rights to this file than to that one.
    package func apply(
        to file: borrowing FileDescriptor, withNotes: Bool, mayChangeOwner: Bool = true, mask: mode_t = 0o777,
        limit: FileAttributes? = nil
    ) throws(SystemError) {
        // The extended attributes come first, while the mode still lets this user write to the file.
        if withNotes {
            for note in notes { _ = ccryptor_fsetxattr(file.rawValue, note.name, note.value, note.value.count) }
        }
        let status = try file.status()
        let isOwn = status.owner == owner
        // The group comes next, because this user cannot set it after giving the file away. The permissions follow, for
        // the same reason, as far as they are right for the present owner.
        let keepsGroup =
            status.group == group || (mayChangeOwner || isOwn) && fchown(file.rawValue, uid_t.max, group) == 0
        try give(to: file, keepsOwner: isOwn, keepsGroup: keepsGroup, mask: mask, limit: limit)
        guard mayChangeOwner, !isOwn, fchown(file.rawValue, owner, gid_t.max) == 0 else { return }
        do throws(SystemError) {
            try give(to: file, keepsOwner: true, keepsGroup: keepsGroup, mask: mask, limit: limit)
        } catch {
            // The file belongs to somebody else now, and this user is not permitted to change it: it stays as it is.
            guard error == .notPermitted else { throw error }
        }
    }

    private func give(
        to file: borrowing FileDescriptor, keepsOwner: Bool, keepsGroup: Bool, mask: mode_t, limit: FileAttributes?
    ) throws(SystemError) {
        var mode = Self.narrowed(mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup) & mask
        if let limit { mode &= limit.mask(forFileOf: try file.status()) }
        switch accessList {
        case .none:
            // The file may have inherited a list from its folder.
            if !Self.removeAccessList(of: file) { mode &= 0o700 }
        case .entries(let entries) where keepsOwner && keepsGroup && limit == nil:
            let masked = Self.accessList(entries, limitedTo: mode)
            if ccryptor_fsetxattr(file.rawValue, Self.accessListName, masked, masked.count) != 0 { mode &= 0o700 }
        case .entries, .unknown:
            // The list may name somebody who has fewer rights than everybody else, or fewer rights to the other file.
            mode &= 0o700
            _ = Self.removeAccessList(of: file)
        }
        try file.setMode(mode)
    }

    /// Limits a list to the permissions of `mode`. Setting the mode after the list would be too late.
    ///
    /// A version of four bytes is followed by entries of eight: a tag and permissions, of two bytes each, and the user
    /// or group that they are for, all little-endian.
    static func accessList(_ entries: [UInt8], limitedTo mode: mode_t) -> [UInt8] {
        var entries = entries
        let starts = stride(from: 4, through: entries.count - 8, by: 8)
        let hasMask = starts.contains { entries[$0] == 0x10 && entries[$0 + 1] == 0 }
        for start in starts where entries[start + 1] == 0 {
            switch entries[start] {
            case 0x01: entries[start + 2] &= UInt8(mode >> 6 & 7)
            case 0x10: entries[start + 2] &= UInt8(mode >> 3 & 7)
            case 0x04 where !hasMask: entries[start + 2] &= UInt8(mode >> 3 & 7)
            case 0x20: entries[start + 2] &= UInt8(mode & 7)
            default: break
            }
        }
        return entries
    }

    /// The widest mode for a file with `other`'s owner and group that gives nobody more rights to it than to this file.
    /// Its owner gets the rights that this file's owner has.
    package func mask(forFileOf other: FileStatus) -> mode_t {
        let mode = Self.narrowed(mode, keepsOwner: owner == other.owner, keepsGroup: group == other.group)
        // If there is a list, the mode does not tell the group's rights, and somebody may have fewer than the others.
        if case .none = accessList { return mode }
        return mode & 0o700
    }

    /// The permissions that give nobody but the new owner more than before when a file gets another owner or group.
    package static func narrowed(_ mode: mode_t, keepsOwner: Bool, keepsGroup: Bool) -> mode_t {
        let owner = mode >> 6 & 7
        var (group, others) = (mode >> 3 & 7, mode & 7)
        // Members of the old group are now among the others, and some of the others are in the new group.
        if !keepsGroup { (group, others) = (group & others, group & others) }
        // The old owner is now in the group or among the others.
        if !keepsOwner { (group, others) = (group & owner, others & owner) }
        return owner << 6 | group << 3 | others
    }

    /// Removes the access control list. Returns whether the file has none afterwards.
    private static func removeAccessList(of file: borrowing FileDescriptor) -> Bool {
        ccryptor_fremovexattr(file.rawValue, accessListName) == 0 || [ENODATA, ENOTSUP].contains(errno)
    }

    /// The value of an extended attribute; nil if it does not exist or cannot be read, and `errno` says which.
    private static func value(of name: [CChar], at path: String) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 64 * 1024)
        let count = ccryptor_getxattr(path, name, &value, value.count)
        return count < 0 ? nil : Array(value.prefix(count))
    }

    /// The names of the extended attributes, each with a zero at its end.
    private static func names(at path: String) -> [[CChar]] {
        var names = [CChar](repeating: 0, count: 64 * 1024)
        let count = ccryptor_listxattr(path, &names, names.count)
        return names.prefix(max(0, count)).split(separator: 0).map { $0 + [0] }
    }
}
