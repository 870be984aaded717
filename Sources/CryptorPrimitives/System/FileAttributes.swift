package import CCryptorSystem

/// Who a file belongs to and who may do what with it: owner, group, permissions, its POSIX access control list (acl(5)),
/// and what users have noted of it (xattr(7), `user.` and the security label `security.selinux`).
///
/// The special mode bits are left out, and so is `security.capability`: what they make of a program is for its owner to
/// decide again.
package struct FileAttributes: Sendable {
    private enum AccessList {
        case none
        case entries([UInt8])
        /// There may be one.
        case unknown
    }

    package let owner: uid_t
    private let group: gid_t
    private let mode: mode_t
    private var accessList: AccessList
    private var notes: [(name: [CChar], value: [UInt8])] = []

    private static let accessListName = Array("system.posix_acl_access".utf8CString)
    private static let labelName = "security.selinux"

    /// Of an open file, or of one that is only referred to.
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

    /// Of a file that cannot be looked at closely.
    package init(of status: FileStatus) {
        owner = status.owner
        group = status.group
        mode = status.mode & 0o777
        accessList = .unknown
    }

    /// Gives all of this to a new file of mode 0600, as far as this user may. What cannot be given never widens the rights of
    /// anybody, and neither does anything on the way there.
    /// - Parameters:
    ///   - withNotes: whether the extended attributes come along.
    ///   - mayGiveAway: whether the file may become another user's, with that user's group.
    ///   - mask: the permissions that the file has at the most.
    ///   - limit: of another file, to which nobody has fewer rights than to this one then.
    package func apply(
        to file: borrowing FileDescriptor, withNotes: Bool, mayGiveAway: Bool = true, mask: mode_t = 0o777,
        limit: FileAttributes? = nil
    ) throws(SystemError) {
        // While its owner may write to it.
        if withNotes {
            for note in notes { _ = ccryptor_fsetxattr(file.rawValue, note.name, note.value, note.value.count) }
        }
        let status = try file.status()
        let isOwn = status.owner == owner
        // The group first: whoever has given a file away may not. Then the rights, for the same reason, as far as they are right
        // for the owner of today.
        let keepsGroup =
            status.group == group || (mayGiveAway || isOwn) && fchown(file.rawValue, uid_t.max, group) == 0
        try give(to: file, keepsOwner: isOwn, keepsGroup: keepsGroup, mask: mask, limit: limit)
        guard mayGiveAway, !isOwn, fchown(file.rawValue, owner, gid_t.max) == 0 else { return }
        do throws(SystemError) {
            try give(to: file, keepsOwner: true, keepsGroup: keepsGroup, mask: mask, limit: limit)
        } catch {
            // Somebody else's by now, and this user may not speak for him: it stays as it is.
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
            // The folder may have given it one.
            if !Self.removeAccessList(of: file) { mode &= 0o700 }
        case .entries(let entries) where keepsOwner && keepsGroup && limit == nil:
            let masked = Self.accessList(entries, limitedTo: mode)
            if ccryptor_fsetxattr(file.rawValue, Self.accessListName, masked, masked.count) != 0 { mode &= 0o700 }
        case .entries, .unknown:
            // Among its entries may be somebody who had fewer rights than all others, or than to the other file.
            mode &= 0o700
            _ = Self.removeAccessList(of: file)
        }
        try file.setMode(mode)
    }

    /// With it, the file has at most the permissions of `mode` at once: to set them afterwards would be too late.
    ///
    /// After a version of four bytes, entries of eight: tag and permissions of two bytes, and whom they are for, little-endian.
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

    /// What the mode of a file of `other`'s owner and group may be at the most, so that nobody has more rights to it than to
    /// this one; its owner has those that this one's has.
    package func mask(forFileOf other: FileStatus) -> mode_t {
        let mode = Self.narrowed(mode, keepsOwner: owner == other.owner, keepsGroup: group == other.group)
        // With a list, the group's rights are not what the mode says, and somebody may have fewer than the others.
        if case .none = accessList { return mode }
        return mode & 0o700
    }

    /// The permissions that nobody had less of before, when a file gets another owner or group.
    package static func narrowed(_ mode: mode_t, keepsOwner: Bool, keepsGroup: Bool) -> mode_t {
        let owner = mode >> 6 & 7
        var (group, others) = (mode >> 3 & 7, mode & 7)
        // The members of the old group are among the others then, and others in the new group.
        if !keepsGroup { (group, others) = (group & others, group & others) }
        // The old owner is in the group, or among the others.
        if !keepsOwner { (group, others) = (group & owner, others & owner) }
        return owner << 6 | group << 3 | others
    }

    /// Whether it has none afterwards.
    private static func removeAccessList(of file: borrowing FileDescriptor) -> Bool {
        ccryptor_fremovexattr(file.rawValue, accessListName) == 0 || [ENODATA, ENOTSUP].contains(errno)
    }

    /// Nil where there is none, or it cannot be read, as `errno` tells.
    private static func value(of name: [CChar], at path: String) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 64 * 1024)
        let count = ccryptor_getxattr(path, name, &value, value.count)
        return count < 0 ? nil : Array(value.prefix(count))
    }

    /// Each with the zero at its end.
    private static func names(at path: String) -> [[CChar]] {
        var names = [CChar](repeating: 0, count: 64 * 1024)
        let count = ccryptor_listxattr(path, &names, names.count)
        return names.prefix(max(0, count)).split(separator: 0).map { $0 + [0] }
    }
}
