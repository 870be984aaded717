import CCryptorSystem

/// A folder that was opened once. All operations take place in that very folder, even if somebody meanwhile replaces
/// it, or a link on the way to it (`openat(2)` and its kin).
package struct Folder: ~Copyable, Sendable {
    /// How many links are followed at most, which is Linux's limit as well (path_resolution(7)): somebody might replace
    /// one link by another without end.
    package static let maximumLinkCount = 40

    let descriptor: FileDescriptor
    private let canBeSynchronized: Bool

    /// Opens a folder, even one that this user may write to but not read.
    ///
    /// Links of other users in folders that everybody may write to are not followed.
    /// - Throws: `EPERM` for such a link.
    package static func open(_ path: FilePath) throws(SystemError) -> Folder {
        try open(path, from: AT_FDCWD, followingLinks: true)
    }

    /// Opens a folder. A relative path begins in this one.
    /// - Throws: `EXDEV` for a link that is not followed.
    package func folder(_ path: FilePath, followingLinks: Bool = true) throws(SystemError) -> Folder {
        try Self.open(path, from: descriptor.rawValue, followingLinks: followingLinks)
    }

    private static func open(
        _ path: FilePath, from start: CInt, followingLinks: Bool
    ) throws(SystemError) -> Folder {
        let found = try PathWalk(path, from: start, followingLinks: followingLinks).finish()
        let readable = openFile(in: found.rawValue, try FilePath("."), flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard readable < 0 else { return Folder(descriptor: FileDescriptor(owning: readable), canBeSynchronized: true) }
        guard errno == EACCES else { throw SystemError.last }
        return Folder(descriptor: found, canBeSynchronized: false)
    }

    /// A file without a name, for reading and writing, with a mode that the umask is applied to. The file is gone when
    /// it is closed, however the process ends. Nil if the system or the file system has no such files.
    package func openAnonymous(mode: mode_t) -> FileDescriptor? {
        guard let temporaryFile = Platform.temporaryFileFlags, let here = try? FilePath(".") else { return nil }
        let file = openFile(in: descriptor.rawValue, here, flags: O_RDWR | temporaryFile | O_CLOEXEC, mode: mode)
        return file < 0 ? nil : FileDescriptor(owning: file)
    }

    /// A new file for reading and writing; fails with `EEXIST` if the name is taken.
    package func create(_ name: FilePath, mode: mode_t) throws(SystemError) -> FileDescriptor {
        let file = openFile(
            in: descriptor.rawValue, name, flags: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode: mode)
        return FileDescriptor(owning: try check(file))
    }

    /// What is in the folder, except `.` and `..` (`readdir(3)`), in the order of the names' bytes. Links are not
    /// followed. An entry that disappears meanwhile is left out.
    package func entries() throws(SystemError) -> [Entry] {
        let readable = openFile(in: descriptor.rawValue, try FilePath("."), flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard let stream = fdopendir(try check(readable)) else {
            let failure = SystemError.last
            close(readable)
            throw failure
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = Self.name(of: entry)
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        guard errno == 0 else { throw SystemError.last }
        names.sort { $0.lexicographicallyPrecedes($1) }
        var entries: [Entry] = []
        for name in names {
            let path = try FilePath(name)
            do throws(SystemError) {
                guard let status = try status(of: path) else { continue }
                entries.append(Entry(name: name, status: status))
            } catch {
                // The system refuses to tell the status of some entries, such as other users' mounts.
                entries.append(Entry(name: name, status: nil))
            }
        }
        return entries
    }

    /// The name may be longer than its field: in some file systems the limit of 255 counts other units than bytes.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = UnsafeRawPointer(entry) + offset
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self))))
    }

    package struct Entry: Sendable {
        package let name: [UInt8]
        /// The status of the entry itself, even if it is a link; nil if the system does not tell.
        package let status: FileStatus?
    }

    /// The same folder with a descriptor of its own, for another owner.
    package func duplicate() throws(SystemError) -> Folder {
        Folder(descriptor: try .duplicate(descriptor.rawValue), canBeSynchronized: canBeSynchronized)
    }

    /// See ``FileDescriptor/open(_:for:)``.
    /// - Parameter following: whether a link is followed; otherwise opening one fails with `ELOOP`.
    package func open(
        _ name: FilePath, for access: FileDescriptor.Access, following: Bool
    ) throws(SystemError) -> FileDescriptor {
        let flags = access.flags | (following ? 0 : O_NOFOLLOW)
        return FileDescriptor(owning: try check(openFile(in: descriptor.rawValue, name, flags: flags)))
    }

    /// Whether this folder is in /proc, where processes' links lead to their files directly, not by a path (proc(5)).
    package var isProcFolder: Bool { ccryptor_is_proc_folder(descriptor.rawValue) }

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// `fstatat(2)`: the status of a link itself unless it is followed; nil if there is no such file.
    package func status(of name: FilePath, following: Bool = false) throws(SystemError) -> FileStatus? {
        try FileStatus.of(name, in: descriptor.rawValue, following: following)
    }

    /// The symbolic link of this name; nil if there is none.
    package func link(_ name: FilePath) throws(SystemError) -> SymbolicLink? {
        try SymbolicLink(name, in: descriptor.rawValue)
    }

    /// Whether the target that a link of a process to one of its files spells is the path of that very file. It is not
    /// if the file has lost its name, or if the path leads to another file in this process.
    package func targetIsSameFile(_ link: SymbolicLink, named name: FilePath) -> Bool {
        guard link.target.isAbsolute, let named = try? FileSystem.status(of: link.target),
            let linked = try? status(of: name, following: true)
        else { return false }
        return named.identity == linked.identity
    }

    /// A descriptor of the file of this name, or of a link itself, that is neither for reading nor for writing; nil if
    /// the system has no such descriptors.
    package func reference(to name: FilePath) throws(SystemError) -> FileDescriptor? {
        guard let flags = Platform.referenceFlags else { return nil }
        let descriptor = openFile(in: self.descriptor.rawValue, name, flags: flags | O_NOFOLLOW | O_CLOEXEC)
        return FileDescriptor(owning: try check(descriptor))
    }

    /// Gives an anonymous file a name; fails with `EEXIST` if it is taken (`linkat(2)`, `proc(5)`).
    package func link(_ file: borrowing FileDescriptor, to name: FilePath) throws(SystemError) {
        try check(
            linkat(AT_FDCWD, file.descriptorPath, descriptor.rawValue, name.characters, AT_SYMLINK_FOLLOW))
    }

    /// `linkat(2)`: fails with `EEXIST` if the name is taken.
    package func link(_ name: FilePath, to other: FilePath) throws(SystemError) {
        try check(linkat(descriptor.rawValue, name.characters, descriptor.rawValue, other.characters, 0))
    }

    /// `renameat(2)`: replaces what has the other name, in one step.
    package func rename(_ name: FilePath, to other: FilePath) throws(SystemError) {
        try check(renameat(descriptor.rawValue, name.characters, descriptor.rawValue, other.characters))
    }

    /// `renameat2(2)`: as ``rename(_:to:)``, but fails with `EEXIST` if the name is taken. Not every system and file
    /// system can do this.
    package func renameUnlessTaken(_ name: FilePath, to other: FilePath) throws(SystemError) {
        try check(
            ccryptor_rename(
                descriptor.rawValue, name.characters, other.characters, CUnsignedInt(CCRYPTOR_NOREPLACE)))
    }

    /// `renameat2(2)`: each of two files gets the name of the other. Not every system and file system can do this.
    package func exchange(_ name: FilePath, with other: FilePath) throws(SystemError) {
        try check(
            ccryptor_rename(descriptor.rawValue, name.characters, other.characters, CUnsignedInt(CCRYPTOR_EXCHANGE)))
    }

    /// `unlinkat(2)`.
    package func remove(_ name: FilePath) throws(SystemError) {
        try check(unlinkat(descriptor.rawValue, name.characters, 0))
    }

    /// Makes the names in the folder durable (`fsync(2)`). If this user is not permitted to read the folder, the entire
    /// file system is written to the disk (`syncfs(2)`).
    /// - Parameter file: a file in the folder.
    package func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
        if canBeSynchronized {
            try descriptor.synchronize()
        } else {
            try check(ccryptor_syncfs(file.rawValue))
        }
    }
}
