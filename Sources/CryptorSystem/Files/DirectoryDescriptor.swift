import CCryptorSystem

/// A directory that was opened once. All operations take place in that very directory, even if
/// somebody meanwhile replaces it, or a link on the way to it (`openat(2)` and its kin).
package struct DirectoryDescriptor: ~Copyable, Sendable {
    let descriptor: FileDescriptor

    /// Opens a directory, even one that this user may write to but not read. Links are followed.
    package static func open(_ path: FilePath) throws(SystemError) -> DirectoryDescriptor {
        DirectoryDescriptor(
            descriptor: try .owning(ccryptor_openat(AT_FDCWD, path.characters, ccryptor_search, 0)))
    }

    /// Opens a directory below this one, name by name and without following links.
    /// - Throws: `EXDEV`, as `openat2(2)` does, for a link, and for a path that begins with a slash
    ///   or has `..` in it.
    package func directory(below path: FilePath) throws(SystemError) -> DirectoryDescriptor {
        guard let names = path.componentsBelow else { throw .leadsElsewhere }
        var here = try FileDescriptor.duplicate(descriptor.rawValue)
        for name in names {
            let next = ccryptor_openat(
                here.rawValue, name.characters, ccryptor_search | O_NOFOLLOW, 0)
            guard next >= 0 else {
                let failure = SystemError.last
                let isLink =
                    try FileStatus.of(name, in: here.rawValue, following: false)?.kind
                    == .symbolicLink
                throw isLink ? .leadsElsewhere : failure
            }
            here = try .owning(next)
        }
        return DirectoryDescriptor(descriptor: here)
    }

    /// Opens a directory in this one. A link is followed if its own name may be trusted: see
    /// ``FileStatus/isTrusted(in:)``.
    /// - Returns: nil if it may not.
    package func directoryIfTrusted(
        _ name: FilePath
    ) throws(SystemError) -> DirectoryDescriptor? {
        let flags = ccryptor_search | O_NOFOLLOW
        let found = ccryptor_openat(descriptor.rawValue, name.characters, flags, 0)
        if found >= 0 { return DirectoryDescriptor(descriptor: try .owning(found)) }
        let failure = SystemError.last
        guard let named = try status(of: name) else { throw failure }
        guard named.kind == .symbolicLink else { throw failure }
        // Where a link can be opened, whoever exchanges it for another changes nothing.
        let link: FileDescriptor? =
            ccryptor_reference == 0
            ? nil : try opened(name.characters, ccryptor_reference | O_NOFOLLOW)
        let status = try link?.status() ?? named
        guard status.kind == .symbolicLink, status.isTrusted(in: try self.status()) else {
            return nil
        }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count =
            if let link {
                readlinkat(link.rawValue, "", &target, target.count - 1)
            } else {
                readlinkat(descriptor.rawValue, name.characters, &target, target.count - 1)
            }
        guard count >= 0 else { throw SystemError.last }
        return DirectoryDescriptor(
            descriptor: try .owning(
                ccryptor_openat(descriptor.rawValue, target, ccryptor_search, 0)))
    }

    /// Opens the file that has a name now, again if a signal interrupts.
    private func opened(_ name: UnsafePointer<CChar>, _ flags: CInt) throws(SystemError)
        -> FileDescriptor
    {
        while true {
            let opened = ccryptor_openat(descriptor.rawValue, name, flags | O_CLOEXEC, 0)
            if opened >= 0 || ccryptor_errno() != EINTR { return try .owning(opened) }
        }
    }

    // MARK: Names

    /// The contents of the directory, except `.` and `..` (`readdir(3)`), in the order of the
    /// names' bytes, and the status of each, for a link its own: nil if the system does not tell,
    /// as for other users' mounts.
    package func entries() throws(SystemError) -> [(name: [UInt8], status: FileStatus?)] {
        let readable = try opened(".", O_RDONLY | O_DIRECTORY).release()
        guard let stream = fdopendir(readable) else {
            let failure = SystemError.last
            close(readable)
            throw failure
        }
        defer { closedir(stream) }
        var entries: [(name: [UInt8], status: FileStatus?)] = []
        while true {
            ccryptor_clear_errno()
            guard let entry = readdir(stream) else { break }
            let name = Self.name(of: entry)
            guard name != Array(".".utf8), name != Array("..".utf8) else { continue }
            do throws(SystemError) {
                // Nil for one that has just disappeared.
                if let status = try status(of: FilePath(name)) { entries.append((name, status)) }
            } catch {
                entries.append((name, nil))
            }
        }
        guard ccryptor_errno() == 0 else { throw SystemError.last }
        return entries.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    }

    /// The name may be longer than its field: in some file systems the limit of 255 counts other
    /// units than bytes.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        let start = UnsafeRawPointer(entry) + offset
        return Array(
            UnsafeRawBufferPointer(
                start: start, count: strlen(start.assumingMemoryBound(to: CChar.self))))
    }

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus {
        var status = try descriptor.status()
        if ccryptor_list_adds_to_mode(descriptor.rawValue) { status.isWritableByOthers = true }
        return status
    }

    /// `fstatat(2)`: the status of a link itself unless it is followed; nil if there is no such
    /// file.
    package func status(of name: FilePath, following: Bool = false) throws(SystemError)
        -> FileStatus?
    {
        try FileStatus.of(name, in: descriptor.rawValue, following: following)
    }

    /// The attributes of the regular file that has the name now; nil if none has it.
    package func attributes(of name: FilePath) throws(SystemError) -> FileAttributes? {
        guard let status = try status(of: name), status.kind == .regular else { return nil }
        // Rights and access list are those of one file, even if another gets the name in between.
        let flags = ccryptor_reference | O_NOFOLLOW | O_NONBLOCK
        do throws(SystemError) {
            let file = try opened(name.characters, flags)
            return try file.status().kind == .regular ? file.attributes() : nil
        } catch {
            switch error.number {
            case ENOENT: return nil
            // Without references, this user has to be permitted to read the file.
            case EACCES where ccryptor_reference == 0: return FileAttributes(status)
            default: throw error
            }
        }
    }

    // MARK: Files

    /// Opens an existing file. A FIFO is opened when its other end is.
    /// - Parameter following: whether a link is followed. If not, opening one fails with `EXDEV`,
    ///   and no FIFO is waited for.
    package func open(
        _ name: FilePath, for access: FileDescriptor.Access, following: Bool
    ) throws(SystemError) -> FileDescriptor {
        let flags = access.flags | (following ? 0 : O_NOFOLLOW | O_NONBLOCK)
        let file = ccryptor_openat(descriptor.rawValue, name.characters, flags, 0)
        guard file >= 0 || following || ccryptor_errno() != ELOOP else { throw .leadsElsewhere }
        return try .owning(file)
    }

    /// A file without a name, for reading and writing, with a mode that the umask is applied to.
    /// The file is gone when it is closed, however the process ends. Nil if the system or the file
    /// system has no such files, or no way to give one a name later.
    package func openAnonymous(mode: FileMode) -> FileDescriptor? {
        guard FileSystem.hasDescriptorPaths, ccryptor_nameless != 0 else { return nil }
        let flags = O_RDWR | ccryptor_nameless | O_CLOEXEC
        return try? FileDescriptor.owning(ccryptor_openat(descriptor.rawValue, ".", flags, mode))
    }

    /// A new file for reading and writing; fails with `EEXIST` if the name is taken.
    package func create(_ name: FilePath, mode: FileMode) throws(SystemError) -> FileDescriptor {
        let file = ccryptor_openat(
            descriptor.rawValue, name.characters, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        return try .owning(file)
    }

    /// The rights of a directory that was made.
    package enum Rights: Sendable {
        /// It has those that it should have.
        case set
        /// The file system did not let them be set.
        case refused
        /// They were left as they are: another directory may have taken its place.
        case leftAlone
    }

    /// The attributes of this directory, for another that is made like it.
    package func attributes() throws(SystemError) -> FileAttributes {
        try FileAttributes(ofDirectory: descriptor)
    }

    /// `mkdirat(2)`: a new directory; fails with `EEXIST` if the name is taken.
    /// - Parameter source: what its rights are taken from, whatever the umask; nil for 0777 less
    ///   the umask.
    package func makeDirectory(
        _ name: FilePath, like source: FileAttributes?
    ) throws(SystemError) -> MadeDirectory {
        let start = ccryptor_file_clock()
        // Nobody else gets in before it has its rights.
        try check(mkdirat(descriptor.rawValue, name.characters, source == nil ? 0o777 : 0o700))
        let made: DirectoryDescriptor
        do throws(SystemError) {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            made = DirectoryDescriptor(descriptor: try opened(name.characters, flags))
        } catch {
            guard [ENOENT, ENOTDIR, ELOOP, EACCES].contains(error.number) else { throw error }
            return MadeDirectory(rights: .leftAlone)
        }
        // Whoever may rename here can have put a directory of this user's in its place, to which
        // nobody else had rights.
        let status = try made.status()
        guard status.owner == FileSystem.user,
            !ccryptor_was_made_before(made.descriptor.rawValue, start)
        else { return MadeDirectory(rights: .leftAlone) }
        guard let source else { return MadeDirectory(rights: .set, directory: made) }
        guard try made.entries().isEmpty else { return MadeDirectory(rights: .leftAlone) }
        guard status.mode & 0o077 == 0 else {
            return MadeDirectory(rights: .refused, directory: made)
        }
        let isSet = try source.apply(toDirectory: made.descriptor)
        return MadeDirectory(rights: isSet ? .set : .refused, directory: made)
    }

    /// Gives an anonymous file a name; fails with `EEXIST` if it is taken (`linkat(2)`, `proc(5)`).
    package func link(_ file: borrowing FileDescriptor, to name: FilePath) throws(SystemError) {
        try check(
            linkat(
                AT_FDCWD, file.descriptorPath, descriptor.rawValue, name.characters,
                AT_SYMLINK_FOLLOW))
    }

    /// `renameat(2)`: replaces the file that has the other name, in one step.
    package func rename(_ name: FilePath, to other: FilePath) throws(SystemError) {
        try check(
            renameat(descriptor.rawValue, name.characters, descriptor.rawValue, other.characters))
    }

    /// `renameat2(2)`, on Darwin `renameatx_np(2)`: as ``rename(_:to:)``, but fails with `EEXIST`
    /// if the name is taken. Where the system or the file system cannot do that, this looks before
    /// it renames.
    package func renameUnlessTaken(_ name: FilePath, to other: FilePath) throws(SystemError) {
        if ccryptor_rename_unless_taken(descriptor.rawValue, name.characters, other.characters) == 0
        {
            return
        }
        guard [ENOSYS, EINVAL, ENOTSUP].contains(ccryptor_errno()) else { throw SystemError.last }
        guard try status(of: other) == nil else { throw .exists }
        try rename(name, to: other)
    }

    /// `unlinkat(2)`.
    package func remove(_ name: FilePath) throws(SystemError) {
        try check(unlinkat(descriptor.rawValue, name.characters, 0))
    }

    /// `unlinkat(2)`: removes an empty directory.
    package func removeDirectory(_ name: FilePath) throws(SystemError) {
        try check(unlinkat(descriptor.rawValue, name.characters, AT_REMOVEDIR))
    }

    /// Makes the names in the directory durable (`fsync(2)`). If this user is not permitted to read
    /// the directory, the entire file system is written to the disk (`syncfs(2)`).
    /// - Parameter file: a file in the directory.
    package func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
        if try synchronizeIfReadable() { return }
        try check(ccryptor_synchronize_all(file.rawValue))
    }

    /// Makes the name of this directory durable, wherever the path has led by which it was opened.
    package func synchronizeName() throws(SystemError) {
        do throws(SystemError) { try opened("..", O_RDONLY | O_DIRECTORY).synchronize() } catch {
            guard error == SystemError(number: EACCES) else { throw error }
            let readable = try opened(".", O_RDONLY | O_DIRECTORY)
            try check(ccryptor_synchronize_all(readable.rawValue))
        }
    }

    /// Makes the names in the directory durable in the same way.
    package func synchronize() throws(SystemError) {
        if try synchronizeIfReadable() { return }
        guard let file = openAnonymous(mode: 0o600) else { throw SystemError(number: EACCES) }
        try check(ccryptor_synchronize_all(file.rawValue))
    }

    private func synchronizeIfReadable() throws(SystemError) -> Bool {
        do throws(SystemError) { try opened(".", O_RDONLY | O_DIRECTORY).synchronize() } catch {
            guard error == SystemError(number: EACCES) else { throw error }
            return false
        }
        return true
    }
}

/// A directory that was made.
package struct MadeDirectory: ~Copyable {
    package let rights: DirectoryDescriptor.Rights
    /// Nil with ``DirectoryDescriptor/Rights/leftAlone``.
    package var directory: DirectoryDescriptor?
}
