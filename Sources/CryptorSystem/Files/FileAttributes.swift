import CCryptorSystem

/// The owner, group, permissions and access control list of a file (on Linux acl(5), on Darwin
/// acl(3)). The special mode bits are left out: the owner of a program must decide again whether it
/// gets these privileges.
package struct FileAttributes: Sendable, Equatable {
    let owner: uid_t
    private let group: gid_t
    private var mode: mode_t
    /// The sticky bit, by which a directory gives fewer rights.
    private var sticky: mode_t
    /// The access list; empty if there is none, nil if there might be one.
    private var accessList: [UInt8]?

    /// Of a file that cannot be opened, which might have an access list.
    init(_ status: FileStatus) { self.init(status, accessList: nil) }

    /// Whether they name the user that this process acts as.
    package var belongToUser: Bool { owner == FileSystem.user }

    init(_ status: FileStatus, of file: borrowing FileDescriptor) {
        self.init(status, accessList: Self.accessList(of: file))
    }

    private init(_ status: FileStatus, accessList: [UInt8]?) {
        owner = status.owner
        group = status.group
        mode = status.mode & 0o777
        sticky = status.mode & mode_t(S_ISVTX)
        self.accessList = accessList
    }

    /// Of an open directory. One that gives lists to new files counts as one with a list.
    init(ofDirectory directory: borrowing FileDescriptor) throws(SystemError) {
        let hasDefault = ccryptor_has_default_list(directory.rawValue)
        self.init(
            try directory.status(), accessList: hasDefault ? nil : Self.accessList(of: directory))
    }

    /// Attributes that give nobody but the owner of a new file more than either of two does.
    package func narrowed(to other: FileAttributes) -> FileAttributes {
        var both = self
        both.mode &= owner == other.owner && group == other.group ? other.mode : other.mode & 0o700
        both.sticky |= other.sticky
        if other.accessList != [] { both.accessList = nil }
        return both
    }

    private static func accessList(of file: borrowing FileDescriptor) -> [UInt8]? {
        var list = [UInt8](repeating: 0, count: 64 * 1024)
        let count = ccryptor_access_list(file.rawValue, &list, list.count)
        return count < 0 ? nil : Array(list.prefix(count))
    }

    /// Gives these attributes to a new file of mode 0600, as far as this user is permitted to.
    /// Nobody ever gets more rights than these attributes give, neither between two steps nor after
    /// one that failed, unless the file system itself gives more: see ``cover(_:)``.
    /// - Parameters:
    ///   - mayChangeOwner: whether the file may become another user's, with that user's group.
    ///   - keepingList: whether the file gets the access list, or loses the one that its directory
    ///     gives. Otherwise, a file with any list is its owner's only.
    /// - Returns: false if the file system refused to set the permissions.
    package func apply(
        to file: borrowing FileDescriptor, mayChangeOwner: Bool, keepingList: Bool
    ) throws(SystemError) -> Bool {
        let before = try file.status()
        // The group comes first, because this user cannot set it after giving the file away.
        let keepsGroup =
            before.group == group
            || (mayChangeOwner || before.owner == owner)
                && fchown(file.rawValue, uid_t.max, group) == 0
        let keepsOwner =
            before.owner == owner || mayChangeOwner && fchown(file.rawValue, owner, gid_t.max) == 0
        var mode = Self.narrowed(mode, keepsOwner: keepsOwner, keepsGroup: keepsGroup)
        if !takeOverList(file, keepingList: keepingList, mayGetOne: keepsOwner && keepsGroup) {
            mode &= 0o700
            _ = ccryptor_set_access_list(file.rawValue, nil, 0)
        }
        if try FileDescriptor.isDone(fchmod(file.rawValue, mode)) { return true }
        // A file that belongs to somebody else now, and that this user may not change, stays its
        // owner's only.
        return keepsOwner && before.owner != owner
    }

    /// Whether nobody but its owner has more rights to the file than these attributes give. Only
    /// the file itself tells: a file system may refuse to set them, or do less than it says.
    package func cover(_ file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let status = try file.status()
        let others = status.mode & 0o077
        let allowed = Self.narrowed(
            mode, keepsOwner: status.owner == owner, keepsGroup: status.group == group)
        guard others & ~allowed == 0 else { return false }
        // The group's bits may be the mask of a list.
        guard others != 0, let list = Self.accessList(of: file) else { return others == 0 }
        return list.isEmpty || list == accessList
    }

    /// Gives these attributes of a directory to a new one of mode 0700, which keeps its owner.
    /// Nobody but that owner gets more rights than these attributes give. The group of a directory
    /// that inherits it (setgid) stays.
    /// - Returns: false if the file system refused to set the permissions.
    func apply(toDirectory made: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let before = try made.status()
        let inherited = before.mode & mode_t(S_ISGID)
        let keepsGroup =
            before.group == group
            || inherited == 0 && fchown(made.rawValue, uid_t.max, group) == 0
        var mode = Self.narrowed(mode, keepsOwner: true, keepsGroup: keepsGroup)
        if before.owner != owner {
            // The old owner is now one of the group or of the others.
            let ofOwner = self.mode >> 6 & 7
            mode &= 0o700 | ofOwner << 3 | ofOwner
        }
        let hasDefault = ccryptor_has_default_list(made.rawValue)
        if hasDefault || accessList != [] || Self.accessList(of: made) != [] {
            mode &= 0o700
            _ = ccryptor_set_access_list(made.rawValue, nil, 0)
            _ = ccryptor_remove_default_list(made.rawValue)
        }
        // What is written into it has to get in.
        mode |= 0o700 | sticky | inherited
        guard before.mode != mode else { return true }
        return try FileDescriptor.isDone(fchmod(made.rawValue, mode))
    }

    /// Makes the access lists the same if that can be done. On Linux, the group's bits in the mode
    /// of a file with a list are the list's mask.
    private func takeOverList(_ file: borrowing FileDescriptor, keepingList: Bool, mayGetOne: Bool)
        -> Bool
    {
        guard let accessList else { return false }
        guard accessList.isEmpty else {
            return keepingList && mayGetOne
                && ccryptor_set_access_list(file.rawValue, accessList, accessList.count) == 0
        }
        // The directory may have given the file a list. Some file systems do not tell whether one
        // was removed.
        guard keepingList || Self.accessList(of: file) == [] else { return false }
        return ccryptor_set_access_list(file.rawValue, nil, 0) == 0
            || Self.accessList(of: file) == []
    }

    /// The permissions that give nobody but the new owner more than before when a file gets another
    /// owner or group. A file of another owner is for that owner only: the maker of the old file
    /// must not choose who reads the new one.
    static func narrowed(_ mode: mode_t, keepsOwner: Bool, keepsGroup: Bool) -> mode_t {
        guard keepsOwner else { return mode & 0o700 }
        // Members of the old group are now among the others, and some of the others are in the new
        // group.
        let ofBoth = mode >> 3 & mode & 7
        return keepsGroup ? mode : mode & 0o700 | ofBoth << 3 | ofBoth
    }
}
