/// A path to a folder, followed name by name.
///
/// In a folder that everybody may write to, such as /tmp, only links of this user and of the folder's owner are followed: for
/// those with a sticky bit it is the rule of Linux, too, where `fs.protected_symlinks` is set (proc(5)).
struct PathWalk: ~Copyable {
    /// Names still to come, the next one last.
    private var names: [FilePath]
    private var here: FileDescriptor
    private var linkCount = 0

    /// - Parameter start: where a relative path begins.
    init(_ path: FilePath, from start: CInt) throws(SystemError) {
        here = try Self.open(path.isAbsolute ? "/" : ".", from: start)
        names = path.components.reversed()
    }

    private static func open(_ name: String, from start: CInt) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try check(openFile(in: start, try FilePath(name), Platform.searchFlags)))
    }

    /// A descriptor of the folder, to search in.
    /// - Throws: `EPERM` for a link that is not to be followed.
    consuming func finish() throws(SystemError) -> FileDescriptor {
        while let name = names.popLast() { try enter(name) }
        return here
    }

    private mutating func enter(_ name: FilePath) throws(SystemError) {
        let next = openFile(in: here.rawValue, name, Platform.searchFlags | O_NOFOLLOW)
        if next >= 0 { return here = FileDescriptor(owning: next) }
        let failure = SystemError.last
        guard [ENOTDIR, ELOOP].contains(failure.number),
            let link = try FileStatus.of(name, in: here.rawValue), link.kind == .symbolicLink
        else { throw failure }
        // Those of processes lead to files themselves, by no path (proc(5)).
        guard !isFolderOfProcesses(here.rawValue) else {
            let next = openFile(in: here.rawValue, name, Platform.searchFlags)
            return here = FileDescriptor(owning: try check(next))
        }
        guard try link.mayBeFollowed(in: here.status()) else { throw .notPermitted }
        linkCount += 1
        guard linkCount <= Folder.maximumLinkCount else { throw SystemError(number: ELOOP) }
        let target = try FilePath(targetOf: name, in: here.rawValue)
        if target.isAbsolute { here = try Self.open("/", from: here.rawValue) }
        names += target.components.reversed()
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
