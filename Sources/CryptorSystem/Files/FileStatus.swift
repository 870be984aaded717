import CCryptorSystem

/// The result of `stat(2)` for a file.
package struct FileStatus: Sendable {
    package enum Kind: Sendable {
        case regular, directory, symbolicLink, fifo, blockDevice
        /// It discards all output.
        case nullDevice
        case other
    }

    package let kind: Kind
    /// The size in bytes. It has a meaning only for regular files.
    package let byteCount: Int
    /// The permission bits, special ones included.
    package let mode: FileMode
    let owner: uid_t
    let group: gid_t
    /// Whether others than the owner may write, by the mode or by an access list. On Linux, the
    /// group's bits of a file with a list are the most that the list gives.
    var isWritableByOthers: Bool
    /// How many names the file has.
    package let linkCount: Int
    /// Device and inode, which are equal for two paths to one file. For a block device, its device
    /// number: several nodes may stand for one device.
    package let identity: Identity

    let accessed: timespec
    let modified: timespec
    /// When anything about the file was last changed: contents, mode, owner or names.
    let changed: timespec

    package struct Identity: Sendable, Hashable {
        let device: dev_t
        let inode: ino_t
    }

    init(_ status: stat) {
        // The constants are numbers of other types on Linux.
        switch status.st_mode & mode_t(S_IFMT) {
        case mode_t(S_IFREG): kind = .regular
        case mode_t(S_IFDIR): kind = .directory
        case mode_t(S_IFLNK): kind = .symbolicLink
        case mode_t(S_IFIFO): kind = .fifo
        case mode_t(S_IFBLK): kind = .blockDevice
        case mode_t(S_IFCHR) where status.st_rdev == ccryptor_null_device: kind = .nullDevice
        default: kind = .other
        }
        byteCount = Int(status.st_size)
        mode = status.st_mode & 0o7777
        isWritableByOthers = mode & 0o022 != 0
        owner = status.st_uid
        group = status.st_gid
        linkCount = Int(status.st_nlink)
        identity =
            kind == .blockDevice
            ? Identity(device: status.st_rdev, inode: .max)
            : Identity(device: status.st_dev, inode: status.st_ino)
        #if canImport(Darwin)
        (accessed, modified, changed) = (
            status.st_atimespec, status.st_mtimespec, status.st_ctimespec
        )
        #else
        (accessed, modified, changed) = (status.st_atim, status.st_mtim, status.st_ctim)
        #endif
    }

    /// `fstatat(2)`: the status of what a link leads to if it is followed, else of the link itself;
    /// nil if there is no such file.
    static func of(_ path: FilePath, in directory: CInt, following: Bool)
        throws(SystemError)
        -> FileStatus?
    {
        var status = stat()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(directory, path.characters, &status, flags) != 0 else {
            return FileStatus(status)
        }
        guard ccryptor_errno() == ENOENT else { throw SystemError.last }
        return nil
    }

    /// Whether its contents were changed later, by more than the two seconds that some file systems
    /// round times to.
    package func isNewer(than other: FileStatus) -> Bool {
        let (earliest, overflow) = other.modified.tv_sec.addingReportingOverflow(3)
        return !overflow && modified.tv_sec >= earliest
    }

    /// Whether it is the same file as before, and nothing was done to it but reading.
    package func isUnchanged(since earlier: FileStatus) -> Bool {
        // A time may be any number: some file systems keep times thousands of years away.
        func isSame(_ time: timespec, _ other: timespec) -> Bool {
            time.tv_sec == other.tv_sec && time.tv_nsec == other.tv_nsec
        }
        return identity == earlier.identity && byteCount == earlier.byteCount
            && isSame(modified, earlier.modified) && isSame(changed, earlier.changed)
    }

    /// Whether a link, a FIFO or a device that has this status may be used by its name in a
    /// directory: in one that others may write to, such as /tmp, only if it belongs to this user,
    /// to root or to the directory's owner; and not at all in one that everybody may write to
    /// without the sticky bit, because anybody may replace its files at any moment. Linux has the
    /// first rule for links, too, if `fs.protected_symlinks` is set (proc(5)).
    package func isTrusted(in directory: FileStatus) -> Bool {
        guard directory.isWritableByOthers else { return true }
        guard directory.mode & 0o002 == 0 || directory.mode & 0o1000 != 0 else { return false }
        return [FileSystem.user, 0, directory.owner].contains(owner)
    }
}
