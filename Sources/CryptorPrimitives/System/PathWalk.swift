import CCryptorSystem

/// A path to a folder, followed name by name.
///
/// In a folder that everybody may write to, such as /tmp, only links of this user and of the folder's owner are
/// followed. Linux has this rule, too, for such folders with a sticky bit, if `fs.protected_symlinks` is set (proc(5)).
struct PathWalk: ~Copyable {
    /// Names still to come, the next one last.
    private var names: [FilePath]
    private var here: FileDescriptor
    private var linkCount = 0
    private let followsLinks: Bool

    /// - Parameter start: where a relative path begins.
    init(_ path: FilePath, from start: CInt, followingLinks: Bool) throws(SystemError) {
        here = try Self.open(path.isAbsolute ? "/" : ".", from: start)
        names = path.components.reversed()
        followsLinks = followingLinks
    }

    private static func open(_ name: String, from start: CInt) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try check(openFile(in: start, try FilePath(name), flags: Platform.searchFlags)))
    }

    /// Returns a descriptor of the folder that can only be searched.
    /// - Throws: `EPERM` for a link of another user that is not followed, `EXDEV` for any link if none are followed.
    consuming func finish() throws(SystemError) -> FileDescriptor {
        while let name = names.popLast() { try enter(name) }
        return here
    }

    private mutating func enter(_ name: FilePath) throws(SystemError) {
        let next = openFile(in: here.rawValue, name, flags: Platform.searchFlags | O_NOFOLLOW)
        if next >= 0 { return here = FileDescriptor(owning: next) }
        let failure = SystemError.last
        guard let link = try SymbolicLink(name, in: here.rawValue) else { throw failure }
        guard followsLinks else { throw .leadsElsewhere }
        // The links of processes lead to files directly, not by a path (proc(5)).
        guard !ccryptor_is_proc_folder(here.rawValue) else {
            let next = openFile(in: here.rawValue, name, flags: Platform.searchFlags)
            return here = FileDescriptor(owning: try check(next))
        }
        guard try link.status.mayBeFollowed(in: here.status()) else { throw .notPermitted }
        linkCount += 1
        guard linkCount <= Folder.maximumLinkCount else { throw SystemError(number: ELOOP) }
        if link.target.isAbsolute { here = try Self.open("/", from: here.rawValue) }
        names += link.target.components.reversed()
    }
}

/// A symbolic link: its status and its target, which are those of one and the same link even if somebody keeps
/// replacing it by another.
package struct SymbolicLink {
    /// `fstat(2)`.
    package let status: FileStatus
    /// The path as the link spells it (`readlinkat(2)`). A relative one begins in the folder that the link is in.
    package let target: FilePath

    /// - Returns: nil if no link has this name.
    init?(_ name: FilePath, in folder: CInt) throws(SystemError) {
        guard let flags = Platform.referenceFlags else {
            // Where a link itself cannot be opened, a replaced link is noticed unless the first one has been put back.
            guard let status = try FileStatus.of(name, in: folder), status.kind == .symbolicLink else { return nil }
            target = try FilePath(targetOf: name, in: folder)
            guard try FileStatus.of(name, in: folder)?.isUnchanged(since: status) == true else { throw .notPermitted }
            self.status = status
            return
        }
        let link = openFile(in: folder, name, flags: flags | O_NOFOLLOW | O_CLOEXEC)
        guard link >= 0 else {
            guard errno == ENOENT else { throw SystemError.last }
            return nil
        }
        let descriptor = FileDescriptor(owning: link)
        status = try descriptor.status()
        guard status.kind == .symbolicLink else { return nil }
        target = try FilePath(targetOf: nil, in: descriptor.rawValue)
    }
}

extension FileStatus {
    /// Whether the link that has this status may be followed: see ``PathWalk``.
    package func mayBeFollowed(in folder: FileStatus) -> Bool {
        folder.mode & 0o002 == 0 || [FileSystem.user, folder.owner].contains(owner)
    }

    /// `fstatat(2)`: the status of a link itself unless it is followed; nil if there is no such file.
    static func of(_ name: FilePath, in folder: CInt, following: Bool = false) throws(SystemError) -> FileStatus? {
        var status = stat()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(folder, name.characters, &status, flags) != 0 else { return FileStatus(status) }
        guard errno == ENOENT else { throw SystemError.last }
        return nil
    }
}
