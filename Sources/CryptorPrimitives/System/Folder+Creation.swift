// These functions are not in Folder.swift because that imports `CCryptorSystem`: with some C libraries `mode_t` is then
// a type of that module, which is imported internally, so package functions cannot use it.
extension Folder {
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
}
