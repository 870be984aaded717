/// An open file, closed by its one owner unless it was borrowed. Thin wrappers: each calls the system once and throws
/// what it reports, `SystemError.interrupted` included.
package struct FileDescriptor: ~Copyable, Sendable {
    package let rawValue: CInt
    private let isOwned: Bool

    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
        self.isOwned = true
    }

    /// For a descriptor that somebody else closes, such as standard output.
    package init(borrowing rawValue: CInt) {
        self.rawValue = rawValue
        self.isOwned = false
    }

    deinit {
        // Nothing is lost by a failure here: what must reach the disk was synchronised before.
        if isOwned { _ = close(rawValue) }
    }

    package enum Access {
        case read
        /// An existing file, neither created nor truncated.
        case write
        /// A new file for reading and writing, with a mode that the umask is applied to.
        case createNew(mode: mode_t)
    }

    /// `open(2)`.
    package static func open(_ path: String, for access: Access) throws(SystemError) -> FileDescriptor {
        let descriptor =
            switch access {
            case .read: openFile(path, O_RDONLY | O_CLOEXEC, 0)
            case .write: openFile(path, O_WRONLY | O_CLOEXEC, 0)
            case .createNew(let mode): openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            }
        return FileDescriptor(owning: try check(descriptor))
    }

    /// A file without a name in `folder`, for reading and writing, with a mode that the umask is applied to: it is gone
    /// when it is closed, however the process ends. Nil where the system or the file system has no such files.
    package static func openAnonymous(inFolder folder: String, mode: mode_t) -> FileDescriptor? {
        guard let temporaryFile = Platform.temporaryFileFlags else { return nil }
        let descriptor = openFile(folder, O_RDWR | temporaryFile | O_CLOEXEC, mode)
        return descriptor < 0 ? nil : FileDescriptor(owning: descriptor)
    }

    /// A descriptor of its own for the same open file (`fcntl(2)`).
    package static func duplicate(_ rawValue: CInt) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try check(fcntl(rawValue, F_DUPFD_CLOEXEC, 0)))
    }

    // MARK: Reading and writing

    /// `read(2)`: appends at most `maximum` bytes. Returns 0 at the end of the file.
    package func read(upTo maximum: Int, into output: inout OutputRawSpan) throws(SystemError) -> Int {
        try append(upTo: maximum, to: &output) { buffer, count in readFile(rawValue, buffer, count) }
    }

    /// `pread(2)`: the same from `offset` on, leaving the file's position alone.
    package func read(
        upTo maximum: Int, at offset: Int, into output: inout OutputRawSpan
    ) throws(SystemError) -> Int {
        try append(upTo: maximum, to: &output) { buffer, count in pread(rawValue, buffer, count, off_t(offset)) }
    }

    private func append(
        upTo maximum: Int, to output: inout OutputRawSpan, _ read: (UnsafeMutableRawPointer?, Int) -> Int
    ) throws(SystemError) -> Int {
        precondition(maximum <= output.freeCapacity)
        return try output.withUnsafeMutableBytes { (buffer, initializedCount) throws(SystemError) in
            let count = read(buffer.baseAddress?.advanced(by: initializedCount), maximum)
            guard count >= 0 else { throw SystemError.last }
            initializedCount += count
            return count
        }
    }

    /// `write(2)`: returns how many bytes were taken, perhaps not all.
    package func write(_ bytes: RawSpan) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { bytes in writeFile(rawValue, bytes.baseAddress, bytes.count) }
        guard count >= 0 else { throw SystemError.last }
        return count
    }

    /// Waits until a descriptor that was set not to block can be read, or written (`poll(2)`).
    package func wait(forReading: Bool) throws(SystemError) {
        var request = pollfd(fd: rawValue, events: Int16(forReading ? POLLIN : POLLOUT), revents: 0)
        try check(poll(&request, 1, -1))
    }

    /// The file's position, or nil if it has none, as pipes and terminals do (`lseek(2)`).
    package func position() -> Int? {
        let position = lseek(rawValue, 0, SEEK_CUR)
        return position < 0 ? nil : Int(position)
    }

    /// `fsync(2)`. A file that cannot be synchronised, such as a pipe, is as durable as it gets.
    package func synchronize() throws(SystemError) {
        while fsync(rawValue) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOTSUP, EROFS: return
            default: throw SystemError.last
            }
        }
    }

    /// `fchmod(2)`.
    package func setMode(_ mode: mode_t) throws(SystemError) {
        try check(fchmod(rawValue, mode))
    }

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        try check(fstat(rawValue, &status))
        return FileStatus(status)
    }

    /// Gives an anonymous file a name; fails with `EEXIST` if it is taken (`linkat(2)`, `proc(5)`).
    package func link(to path: String) throws(SystemError) {
        try check(linkat(AT_FDCWD, "/proc/self/fd/\(rawValue)", AT_FDCWD, path, AT_SYMLINK_FOLLOW))
    }
}
