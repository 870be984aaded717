import CCryptorSystem

/// An open file, closed by its one owner unless it was borrowed. The methods are thin wrappers,
/// which throw what the system reports, `SystemError.interrupted` included. Only `synchronize`
/// calls again after that.
package struct FileDescriptor: ~Copyable, Sendable {
    package let rawValue: CInt
    private let isOwned: Bool

    private init(_ rawValue: CInt, isOwned: Bool) {
        self.rawValue = rawValue
        self.isOwned = isOwned
    }

    /// Owns what a call has opened. A descriptor of 0 to 2 is replaced by a higher one: otherwise a
    /// process that was started without standard streams would write its output and its errors into
    /// the file.
    /// - Parameter result: the descriptor; -1 if the call has failed.
    static func owning(_ result: CInt) throws(SystemError) -> FileDescriptor {
        let rawValue = try check(result)
        guard 0...2 ~= rawValue else { return FileDescriptor(rawValue, isOwned: true) }
        defer { _ = close(rawValue) }
        return FileDescriptor(try check(ccryptor_duplicate(rawValue, 3)), isOwned: true)
    }

    /// For a descriptor that somebody else closes, such as standard output.
    package init(borrowing rawValue: CInt) { self.init(rawValue, isOwned: false) }

    deinit {
        // Nothing is lost by a failure here: what must reach the disk was synchronised before.
        if isOwned { _ = close(rawValue) }
    }

    /// Returns the descriptor, which the caller must close.
    consuming func release() -> CInt {
        let rawValue = rawValue
        discard self
        return rawValue
    }

    package enum Access: Sendable {
        case read
        /// An existing file, neither created nor truncated.
        case write

        var flags: CInt { (self == .read ? O_RDONLY : O_WRONLY) | O_NOCTTY | O_CLOEXEC }
    }

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// A descriptor of its own for the same open file (`fcntl(2)`).
    package static func duplicate(_ rawValue: CInt) throws(SystemError) -> FileDescriptor {
        try .owning(ccryptor_duplicate(rawValue, 0))
    }

    /// Checks that the file was opened for `access`: on the wrong end of a pipe, `poll(2)` would
    /// wait for ever.
    /// - Throws: `EBADF` if it was not.
    package func require(_ access: Access) throws(SystemError) {
        let flags = try check(ccryptor_flags(rawValue))
        let mode = flags & (O_WRONLY | O_RDWR)
        guard flags & ccryptor_reference == 0,
            [O_RDWR, access == .read ? O_RDONLY : O_WRONLY].contains(mode)
        else {
            throw SystemError(number: EBADF)
        }
    }

    // MARK: Reading and writing

    /// `read(2)`: appends at most `maximum` bytes. Returns 0 at the end of the file.
    package func read(upTo maximum: Int, into output: inout OutputRawSpan) throws(SystemError)
        -> Int
    {
        try append(upTo: maximum, to: &output) { buffer, count in
            CCryptorSystem.read(rawValue, buffer, count)
        }
    }

    /// `pread(2)`: as ``read(upTo:into:)``, but from `offset` on, leaving the file's position
    /// alone.
    package func read(
        upTo maximum: Int, at offset: Int, into output: inout OutputRawSpan
    ) throws(SystemError) -> Int {
        try append(upTo: maximum, to: &output) { buffer, count in
            pread(rawValue, buffer, count, off_t(offset))
        }
    }

    private func append(
        upTo maximum: Int, to output: inout OutputRawSpan,
        _ read: (UnsafeMutableRawPointer?, Int) -> Int
    ) throws(SystemError) -> Int {
        precondition(maximum <= output.freeCapacity)
        return try output.withUnsafeMutableBytes { (buffer, initializedCount) throws(SystemError) in
            let count = read(buffer.baseAddress?.advanced(by: initializedCount), maximum)
            guard count >= 0 else { throw SystemError.last }
            initializedCount += count
            return count
        }
    }

    /// `write(2)`: returns how many bytes were taken, perhaps not all. A reader that has gone, and
    /// a file that reaches its limit, raise no signal.
    package func write(_ bytes: RawSpan) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            ccryptor_write(rawValue, bytes.baseAddress, bytes.count)
        }
        guard count >= 0 else { throw SystemError.last }
        return count
    }

    /// As for a span, but a part of an array.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let count = bytes.withUnsafeBytes { bytes in
            ccryptor_write(rawValue, bytes.baseAddress, bytes.count)
        }
        guard count >= 0 else { throw SystemError.last }
        return count
    }

    /// Waits until the file can be read or written, or its other end is closed (`poll(2)`).
    /// - Parameter milliseconds: how long at most; -1 for as long as it takes.
    /// - Returns: false if the time ran out.
    package func wait(forReading: Bool, milliseconds: CInt) throws(SystemError) -> Bool {
        var request = pollfd(fd: rawValue, events: Int16(forReading ? POLLIN : POLLOUT), revents: 0)
        return try check(poll(&request, 1, milliseconds)) > 0
    }

    /// The file's position, or nil if it has none, as pipes and terminals do (`lseek(2)`).
    package func position() -> Int? {
        let position = lseek(rawValue, 0, SEEK_CUR)
        return position < 0 ? nil : Int(position)
    }

    /// How many bytes this user may still write to the file system (`fstatvfs(2)`).
    package func freeByteCount() throws(SystemError) -> Int {
        var status = statvfs()
        try check(fstatvfs(rawValue, &status))
        let (count, overflows) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        // A file system without a size, such as a tmpfs without a limit, reports no blocks.
        return overflows || status.f_blocks == 0 ? .max : count
    }

    /// Writes the file to the disk (`fsync(2)`, on Darwin `F_FULLFSYNC`). A file that cannot be
    /// synchronised, such as a pipe, is as durable as it gets.
    package func synchronize() throws(SystemError) {
        while ccryptor_synchronize(rawValue) != 0 {
            let failure = SystemError.last
            if [EINVAL, ENOTSUP, ENOSYS].contains(failure.number) { return }
            guard failure == .interrupted else { throw failure }
        }
    }

    /// Locks the file against others who ask for this lock (`flock(2)`), without waiting.
    /// - Returns: false if the file system has no such locks: network file systems may lack them,
    ///   or may want a descriptor that is open for writing.
    /// - Throws: `EWOULDBLOCK` if another open file has the lock.
    package func lock() throws(SystemError) -> Bool {
        if flock(rawValue, LOCK_EX | LOCK_NB) == 0 { return true }
        guard [EBADF, ENOLCK, ENOTSUP, EOPNOTSUPP].contains(ccryptor_errno()) else {
            throw SystemError.last
        }
        return false
    }

    /// Gives the lock back, also for those who have inherited the open file.
    package func unlock() { _ = flock(rawValue, LOCK_UN) }

    /// `fstat(2)`.
    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        try check(fstat(rawValue, &status))
        return FileStatus(status)
    }

    /// `fchmod(2)`: leaves the file to its owner alone.
    /// - Returns: false if the file system refused.
    package func makePrivate() throws(SystemError) -> Bool {
        try Self.isDone(fchmod(rawValue, 0o600))
    }

    /// `futimens(2)`: takes over another file's times of access and modification.
    /// - Returns: false if the file system refused.
    package func setTimes(of status: FileStatus) throws(SystemError) -> Bool {
        try Self.isDone(futimens(rawValue, [status.accessed, status.modified]))
    }

    /// - Returns: false if the file system refused to set an attribute.
    static func isDone(_ result: CInt) throws(SystemError) -> Bool {
        guard result != 0 else { return true }
        guard SystemError.last.isRefusal else { throw SystemError.last }
        return false
    }

    /// The attributes of the file.
    package func attributes() throws(SystemError) -> FileAttributes {
        FileAttributes(try status(), of: self)
    }

    /// The path by which this process can reach the open file (`proc(5)`).
    var descriptorPath: String { "/proc/self/fd/\(rawValue)" }
}
