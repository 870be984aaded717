import CryptorPrimitives

/// A file that is read from start to end, perhaps twice.
struct InputFile: ~Copyable {
    let name: FileName
    let status: FileStatus
    /// The number of bytes to read, if it is known before they are read.
    let byteCount: Int?

    private let descriptor: FileDescriptor
    /// The place where the file has its name; nil for a descriptor.
    var place: Optional<FilePlace>
    /// The offset where reading a regular file starts; nil for a file that can be read only once.
    private let start: Int?
    private var bytesRead = 0
    /// The highest value of `bytesRead` so far: rewinding does not reset it.
    private var mostBytesRead = 0
    /// Whether a stream has ended. It is not read again: what is typed at a terminal after Ctrl-D is for others
    /// (termios(3)).
    private var hasEnded = false
    /// Whether others may read on from the file's position, as with a descriptor of the caller.
    private let isShared: Bool
    private var isLocked = false

    /// - Parameters:
    ///   - keepingOpen: whether the file stays readable after the caller has closed the descriptor.
    ///   - settling: whether every change from now on has to be noticed.
    ///   - awaitingWriter: whether to wait until a FIFO has a writer.
    ///   - progress: asked during waits whether to go on.
    init(
        opening endpoint: FileEndpoint, keepingOpen: Bool = false, settling: Bool = false, awaitingWriter: Bool = true,
        progress: ProgressReporter
    ) throws(CryptorError) {
        let name = endpoint.name
        let attempt = FileAttempt(.openingInput, name, progress: progress)
        let address = try endpoint.address()
        let place = try FilePlace.open(address, attempt)
        let descriptor = try Self.open(
            endpoint, path: address?.path, in: place, keepingOpen: keepingOpen, attempt: attempt)
        let status = try Self.status(of: descriptor, settling: settling && address != nil, attempt)
        // This check comes first because a link or a folder may stand in for a standard stream that is closed.
        do throws(SystemError) { try descriptor.require(.read) } catch {
            let isMissing = [.folder, .symbolicLink].contains(status.kind)
            throw .inputOutput(isMissing ? .openingInput : .readingInput, name, because: error)
        }
        guard status.kind != .folder else { throw .inputOutput(.openingInput, name, because: .isFolder) }
        if status.kind == .fifo, address != nil, awaitingWriter {
            // Before its first writer has come, a FIFO looks as if it were at its end.
            try attempt.retrying { () throws(SystemError) in
                try progress.wait(for: descriptor, toRead: true)
            }
        }
        self.start = status.kind == .regular ? descriptor.position() : nil
        // Some of the kernel's own files report a length of 0, whatever they contain.
        self.byteCount = start.flatMap { status.byteCount > $0 ? status.byteCount - $0 : nil }
        self.name = name
        self.status = status
        self.descriptor = descriptor
        self.isShared = address == nil && !keepingOpen
        self.place = place
    }

    private static func status(
        of descriptor: borrowing FileDescriptor, settling: Bool, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileStatus {
        // The wait has a limit, since a program may be writing to the file all the time.
        var patience = settling ? 600 : 0
        return try attempt.retrying { () throws(SystemError) in
            for _ in 0..<12 {
                let status = try descriptor.status()
                guard patience > 0, status.mayChangeUnseen else { return status }
                patience -= 1
                try FileSystem.pause(milliseconds: 4)
            }
            throw .interrupted
        }
    }

    private static func open(
        _ endpoint: FileEndpoint, path: FilePath?, in place: borrowing FilePlace?, keepingOpen: Bool,
        attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        let named = try place?.openFile(for: .read, attempt)
        if let named { return named }
        if let path {
            // The path can only name a folder.
            return try attempt.opening { () throws(SystemError) in
                try FileDescriptor.open(path, for: .read)
            }
        }
        guard let number = endpoint.descriptor else { preconditionFailure("what has no address has a descriptor") }
        guard keepingOpen else { return FileDescriptor(borrowing: number) }
        return try attempt.retrying { () throws(SystemError) in try FileDescriptor.duplicate(number) }
    }

    /// Reads a spooled file from its start.
    init(spooled file: consuming FileDescriptor, name: FileName) throws(CryptorError) {
        let status = try FileAttempt(.openingInput, name).retrying { () throws(SystemError) in try file.status() }
        self.name = name
        self.status = status
        self.byteCount = status.byteCount
        self.start = 0
        self.descriptor = file
        self.isShared = false
        self.place = nil
    }

    deinit {
        // Reading by offsets has not moved the position. Others who share it go on behind what was read here.
        if isShared, let start { descriptor.setPosition(start + mostBytesRead) }
        // A child of this process may have a descriptor of the file, which would hold the lock.
        if isLocked { descriptor.unlock() }
    }

    // MARK: Replacing the file in place

    /// Makes sure that the file is a regular one with one name, to which the path leads without a link as its last
    /// component: under another name, the old message would stay.
    func requireOneName() throws(CryptorError) {
        let named = try place?.status(FileAttempt(.openingInput, name))
        guard let named, named.kind == .symbolicLink || named.identity == status.identity else {
            throw .sourceChanged(name)
        }
        guard named.kind != .symbolicLink else { throw .linkInPlace(name) }
        guard status.kind == .regular else { throw .notRegularInPlace(name) }
        guard status.linkCount == 1 else { throw .severalNames(name, count: status.linkCount) }
    }

    /// Locks the file against others who replace it in place, until this object goes (`flock(2)`).
    ///
    /// Some network file systems have no such locks. There, of two who replace one file at the same time, one may
    /// replace what the other has just written.
    mutating func lock() throws(CryptorError) {
        do throws(CryptorError) {
            isLocked = try FileAttempt(.openingInput, name).retrying { () throws(SystemError) in try descriptor.lock() }
        } catch {
            throw error.systemErrorNumber == SystemError.wouldBlock.number ? .locked(name) : error
        }
    }

    /// The attributes that a file made from this one may take over.
    var attributes: FileAttributes { FileAttributes(of: descriptor, status) }

    /// Has the system write back what programs have changed in memory that maps the file (mmap(2)). Whatever they
    /// change from then on counts as a modification.
    func writeBackChanges() throws(CryptorError) {
        try FileAttempt(.readingInput, name).retrying { () throws(SystemError) in try descriptor.synchronize() }
    }

    /// Whether nothing but reading has been done to the file since it was opened.
    func isUnchanged() throws(SystemError) -> Bool { try descriptor.status().isUnchanged(since: status) }

    var canBeReadTwice: Bool { start != nil }

    mutating func rewind() {
        precondition(canBeReadTwice)
        bytesRead = 0
    }

    /// Appends the next `count` bytes to `buffer`, fewer only at the end of the file.
    mutating func append(
        _ count: Int, to buffer: inout [UInt8], _ progress: inout ProgressReporter
    ) throws(CryptorError) {
        let end = buffer.count + count
        let name = name
        while buffer.count < end, !hasEnded {
            let missing = end - buffer.count
            var received = 0
            try buffer.appendBytes(capacity: missing) { (output) throws(CryptorError) in
                received = try FileAttempt(.readingInput, name, progress: progress).retrying { () throws(SystemError) in
                    try readOnce(missing, into: &output, progress)
                }
            }
            guard received > 0 else {
                hasEnded = !canBeReadTwice
                // What ends a stream may be the end of everything: nobody takes it for all there is before asking.
                if hasEnded { try progress.report() }
                break
            }
            bytesRead += received
            mostBytesRead = max(mostBytesRead, bytesRead)
            try progress.advance(by: received)
        }
        guard buffer.count < end, let byteCount, bytesRead < byteCount else { return }
        guard (try? isUnchanged()) == true else {
            throw .shrankWhileRead(name, byteCount: bytesRead, expected: byteCount)
        }
        throw .shorterThanItSays(name, byteCount: bytesRead, expected: byteCount)
    }

    /// Appends `count` bytes from `offset` on, counted from where reading starts, fewer only at the end of the file.
    /// Any number of threads may do so at the same time.
    func append(_ count: Int, at offset: Int, to buffer: inout [UInt8]) throws(CryptorError) {
        guard let start else { preconditionFailure("it can be read once only") }
        let attempt = FileAttempt(.readingInput, name)
        try buffer.appendBytes(capacity: count) { (output) throws(CryptorError) in
            var done = 0
            while done < count {
                let received = try attempt.retrying { () throws(SystemError) in
                    try descriptor.read(upTo: count - done, at: start + offset + done, into: &output)
                }
                guard received > 0 else { break }
                done += received
            }
        }
    }

    private func readOnce(
        _ count: Int, into output: inout OutputRawSpan, _ progress: ProgressReporter
    ) throws(SystemError) -> Int {
        if let start { return try descriptor.read(upTo: count, at: start + bytesRead, into: &output) }
        do throws(SystemError) {
            // No call may block for long: signals may reach only other threads, so the progress handler has to be asked
            // now and then whether to go on.
            try progress.wait(for: descriptor, toRead: true)
            return try descriptor.read(upTo: count, into: &output)
        } catch {
            throw error == .wouldBlock ? .interrupted : error
        }
    }
}
