import CCryptorSystem

/// A folder that was opened once. All operations take place in that very folder, even if somebody meanwhile replaces
/// it, or a link on the way to it (`openat(2)` and its kin).
package struct Folder: ~Copyable, Sendable {
    let descriptor: FileDescriptor
    private let canBeSynchronized: Bool

    /// Opens a folder, even one that this user may write to but not read. Links are followed.
    package static func open(_ path: FilePath) throws(SystemError) -> Folder { try open(path, from: AT_FDCWD) }

    private static func open(_ path: FilePath, from start: CInt) throws(SystemError) -> Folder {
        let readable = ccryptor_openat(start, path.characters, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard readable < 0 else { return Folder(descriptor: FileDescriptor(owning: readable), canBeSynchronized: true) }
        guard ccryptor_errno() == EACCES else { throw SystemError.last }
        let searched = try check(ccryptor_openat(start, path.characters, ccryptor_search, 0))
        return Folder(descriptor: FileDescriptor(owning: searched), canBeSynchronized: false)
    }

    /// Opens a folder below this one, name by name and without following links.
    /// - Parameter path: one that ``FilePath/init(below:isOfFolder:)`` has accepted.
    /// - Throws: `EXDEV` for a link.
    package func folder(below path: FilePath) throws(SystemError) -> Folder {
        var here = try FileDescriptor.duplicate(descriptor.rawValue)
        for name in path.components {
            let next = ccryptor_openat(here.rawValue, name.characters, ccryptor_search | O_NOFOLLOW, 0)
            guard next >= 0 else {
                let failure = SystemError.last
                let isLink = try FileStatus.of(name, in: here.rawValue)?.kind == .symbolicLink
                throw isLink ? .leadsElsewhere : failure
            }
            here = FileDescriptor(owning: next)
        }
        return try Self.open(try FilePath("."), from: here.rawValue)
    }

    // MARK: Names

    /// What is in the folder, except `.` and `..` (`readdir(3)`), in the order of the names' bytes. Links are not
    /// followed. An entry that disappears meanwhile is left out.
    package func entries() throws(SystemError) -> [Entry] {
        let readable = ccryptor_openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard let stream = fdopendir(try check(readable)) else {
            let failure = SystemError.last
            close(readable)
            throw failure
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            ccryptor_clear_errno()
            guard let entry = readdir(stream) else { break }
            let name = Self.name(of: entry)
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        guard ccryptor_errno() == 0 else { throw SystemError.last }
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

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// `fstatat(2)`: the status of a link itself unless it is followed; nil if there is no such file.
    package func status(of name: FilePath, following: Bool = false) throws(SystemError) -> FileStatus? {
        try FileStatus.of(name, in: descriptor.rawValue, following: following)
    }

    /// The attributes of the file that has the name now, or of a link itself; nil if there is none.
    package func attributes(of name: FilePath) throws(SystemError) -> FileAttributes? {
        guard let status = try status(of: name) else { return nil }
        return FileAttributes(status, path: try descriptor.path(of: name))
    }

    // MARK: Files

    /// Opens an existing file. A FIFO is opened when its other end is.
    /// - Parameters:
    ///   - following: whether a link is followed; otherwise opening one fails with `ELOOP`.
    ///   - waiting: whether to wait for the other end of a FIFO.
    package func open(
        _ name: FilePath, for access: FileDescriptor.Access, following: Bool, waiting: Bool = true
    ) throws(SystemError) -> FileDescriptor {
        let flags = access.flags | (following ? 0 : O_NOFOLLOW) | (waiting ? 0 : O_NONBLOCK)
        return FileDescriptor(owning: try check(ccryptor_openat(descriptor.rawValue, name.characters, flags, 0)))
    }

    /// A file without a name, for reading and writing, with a mode that the umask is applied to. The file is gone when
    /// it is closed, however the process ends. Nil if the system or the file system has no such files, or no way to
    /// give one a name later.
    package func openAnonymous(mode: FileMode) -> FileDescriptor? {
        guard FileSystem.hasDescriptorPaths, ccryptor_nameless != 0 else { return nil }
        let flags = O_RDWR | ccryptor_nameless | O_CLOEXEC
        let file = ccryptor_openat(descriptor.rawValue, ".", flags, mode)
        return file < 0 ? nil : FileDescriptor(owning: file)
    }

    /// A new file for reading and writing; fails with `EEXIST` if the name is taken.
    package func create(_ name: FilePath, mode: FileMode) throws(SystemError) -> FileDescriptor {
        let file = ccryptor_openat(descriptor.rawValue, name.characters, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
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

    /// `renameat2(2)`: as ``rename(_:to:)``, but fails with `EEXIST` if the name is taken.
    /// - Returns: false if the system or the file system cannot do this.
    package func renameUnlessTaken(_ name: FilePath, to other: FilePath) throws(SystemError) -> Bool {
        if ccryptor_rename_noreplace(descriptor.rawValue, name.characters, other.characters) == 0 { return true }
        guard [ENOSYS, EINVAL, ENOTSUP].contains(ccryptor_errno()) else { throw SystemError.last }
        return false
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
