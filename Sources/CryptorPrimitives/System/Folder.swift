/// A folder that was opened once. What is done in it is done in that very folder, whoever exchanges it meanwhile, or a link
/// on the way to it (`openat(2)` and its kin).
package struct Folder: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    private let canBeSynchronized: Bool

    /// `open(2)`. A folder that this user may write and not read will do.
    package static func open(_ path: FilePath) throws(SystemError) -> Folder { try open(path, from: AT_FDCWD) }

    /// A folder whose path, if it is a relative one, begins in this one.
    package func folder(_ path: FilePath) throws(SystemError) -> Folder {
        try Self.open(path, from: descriptor.rawValue)
    }

    private static func open(_ path: FilePath, from start: CInt) throws(SystemError) -> Folder {
        let flags = O_DIRECTORY | O_CLOEXEC
        let readable = openFile(in: start, path, O_RDONLY | flags)
        if readable < 0, errno == EACCES, let searchOnly = Platform.searchOnlyFlags {
            let descriptor = FileDescriptor(owning: try check(openFile(in: start, path, searchOnly | flags)))
            return Folder(descriptor: descriptor, canBeSynchronized: false)
        }
        return Folder(descriptor: FileDescriptor(owning: try check(readable)), canBeSynchronized: true)
    }

    /// The same folder, for somebody else.
    package func duplicate() throws(SystemError) -> Folder {
        Folder(descriptor: try .duplicate(descriptor.rawValue), canBeSynchronized: canBeSynchronized)
    }

    /// See ``FileDescriptor/open(_:for:)``.
    package func open(_ name: FilePath, for access: FileDescriptor.Access) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try check(openFile(in: descriptor.rawValue, name, access.flags)))
    }

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// `fstatat(2)`, of a link itself; nil if there is no such file.
    package func status(of name: FilePath) throws(SystemError) -> FileStatus? {
        var status = stat()
        guard fstatat(descriptor.rawValue, name.characters, &status, AT_SYMLINK_NOFOLLOW) != 0 else {
            return FileStatus(status)
        }
        guard errno == ENOENT else { throw SystemError.last }
        return nil
    }

    /// Where a symbolic link leads to, by its own words (`readlinkat(2)`): a relative path begins in this folder.
    package func target(of link: FilePath) throws(SystemError) -> FilePath {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(descriptor.rawValue, link.characters, &target, target.count)
        guard count >= 0 else { throw SystemError.last }
        guard count < target.count else { throw SystemError(number: ENAMETOOLONG) }
        return try FilePath(target.prefix(count).map { UInt8(bitPattern: $0) })
    }

    /// The file itself, neither for reading nor for writing, and no other that a link leads to; nil where the system has no
    /// such descriptors.
    package func reference(to name: FilePath) throws(SystemError) -> FileDescriptor? {
        guard let flags = Platform.referenceFlags else { return nil }
        let descriptor = openFile(in: self.descriptor.rawValue, name, flags | O_NOFOLLOW | O_CLOEXEC)
        return FileDescriptor(owning: try check(descriptor))
    }

    /// A file without a name, for reading and writing, with a mode that the umask is applied to: it is gone when it is
    /// closed, however the process ends. Nil where the system or the file system has no such files.
    package func openAnonymous(mode: mode_t) -> FileDescriptor? {
        guard let temporaryFile = Platform.temporaryFileFlags, let here = try? FilePath(".") else { return nil }
        let file = openFile(in: descriptor.rawValue, here, O_RDWR | temporaryFile | O_CLOEXEC, mode)
        return file < 0 ? nil : FileDescriptor(owning: file)
    }

    /// A new file for reading and writing; fails with `EEXIST` if the name is taken.
    package func create(_ name: FilePath, mode: mode_t) throws(SystemError) -> FileDescriptor {
        let file = openFile(in: descriptor.rawValue, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        return FileDescriptor(owning: try check(file))
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

    /// `unlinkat(2)`.
    package func remove(_ name: FilePath) throws(SystemError) {
        try check(unlinkat(descriptor.rawValue, name.characters, 0))
    }

    /// Makes the names in the folder durable (`fsync(2)`). For one that this user may not read, the whole file system is
    /// written to the disk (`syncfs(2)`).
    /// - Parameter file: one in the folder.
    package func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
        if canBeSynchronized {
            try descriptor.synchronize()
        } else {
            try check(synchronizeFileSystem(of: file.rawValue))
        }
    }
}
