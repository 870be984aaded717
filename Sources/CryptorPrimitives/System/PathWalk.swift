import CCryptorSystem

/// A path to a folder, followed name by name.
///
/// In a folder that everybody may write to, such as /tmp, only links of this user and of the folder's owner are followed: for
/// those with a sticky bit it is the rule of Linux, too, where `fs.protected_symlinks` is set (proc(5)).
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

    /// A descriptor of the folder, to search in.
    /// - Throws: `EPERM` for a link of another user, `EXDEV` for one where there is to be none.
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
        // Those of processes lead to files themselves, by no path (proc(5)).
        guard !ccryptor_is_of_processes(here.rawValue) else {
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

/// A symbolic link: whose it is, and where it leads to, of the very same link, though somebody may go on to put another in
/// its place.
package struct SymbolicLink {
    /// `fstat(2)`.
    package let status: FileStatus
    /// By its own words (`readlinkat(2)`): a relative path begins in the folder that the link is in.
    package let target: FilePath

    /// - Returns: nil if that is the name of no link.
    init?(_ name: FilePath, in folder: CInt) throws(SystemError) {
        guard let flags = Platform.referenceFlags else {
            // Where a link cannot be opened itself, one that was exchanged is noticed, but not if it was exchanged back.
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
    /// Whether this, a link, may be followed: see ``PathWalk``.
    package func mayBeFollowed(in folder: FileStatus) -> Bool {
        folder.mode & 0o002 == 0 || [FileSystem.user, folder.owner].contains(owner)
    }

    /// `fstatat(2)`, of a link itself unless it is followed; nil if there is no such file.
    static func of(_ name: FilePath, in folder: CInt, following: Bool = false) throws(SystemError) -> FileStatus? {
        var status = stat()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        guard fstatat(folder, name.characters, &status, flags) != 0 else { return FileStatus(status) }
        guard errno == ENOENT else { throw SystemError.last }
        return nil
    }
}
