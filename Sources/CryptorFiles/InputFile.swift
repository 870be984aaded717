import CryptorSystem
import CryptorFormat
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

    /// Opens a file. For a FIFO, this waits until it has a writer.
    /// - Parameters:
    ///   - keepingOpen: whether the file stays readable after the caller has closed the descriptor.
    ///   - progress: asked during waits whether to go on.
    init(
        opening endpoint: FileEndpoint, keepingOpen: Bool = false, progress: ProgressReporter
    ) throws(CryptorError) {
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: progress)
        let address = try endpoint.address()
        let place: FilePlace? = if let address { try FilePlace(address, attempt) } else { nil }
        let descriptor = try Self.open(endpoint, at: place, keepingOpen: keepingOpen, attempt)
        let status = try attempt(try descriptor.status())
        // This check comes first because a link or a folder may stand in for a standard stream that is closed.
        do throws(SystemError) { try descriptor.require(.read) } catch {
            let isMissing = [.folder, .symbolicLink].contains(status.kind)
            throw FileAttempt(isMissing ? .openingInput : .readingInput, endpoint.name).error(error)
        }
        guard status.kind != .folder else { throw attempt.error(.isFolder) }
        self.start = status.kind == .regular ? descriptor.position() : nil
        // Some of the kernel's own files report a length of 0, whatever they contain.
        self.byteCount = start.flatMap { status.byteCount > $0 ? status.byteCount - $0 : nil }
        self.isShared = place == nil && !keepingOpen
        self.name = endpoint.name
        self.status = status
        self.descriptor = descriptor
        self.place = place
    }

    private static func open(
        _ endpoint: FileEndpoint, at place: borrowing FilePlace?, keepingOpen: Bool, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        let named = try place?.openInput(attempt)
        if let named { return named }
        let number = endpoint.descriptor ?? -1
        guard keepingOpen else { return FileDescriptor(borrowing: number) }
        return try attempt(try FileDescriptor.duplicate(number))
    }

    /// Reads a spooled file from its start.
    init(spooled file: consuming FileDescriptor, name: FileName) throws(CryptorError) {
        let status = try FileAttempt(.openingInput, name)(try file.status())
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
        let attempt = FileAttempt(.openingInput, name)
        let named = try attempt(try place?.status() ?? nil)
        if named?.kind == .symbolicLink {
            throw attempt.failure(
                "It is a symbolic link, and was not touched: only a file itself can be replaced. Name the file that it leads "
                    + "to.", because: .tooManyLinks)
        }
        guard named?.identity == status.identity, status.kind == .regular else {
            throw attempt.failure(
                "It is not a regular file, so no other can take its place. Choose another destination.")
        }
        guard status.linkCount == 1 else {
            throw attempt.failure(
                "It has \(status.linkCount) names (hard links), and was not touched: under the others the old password or keys "
                    + "would go on to open it. Choose another destination.", code: .sameFile)
        }
    }

    /// Locks the file against others who replace it in place, until this object goes (`flock(2)`).
    ///
    /// Some network file systems have no such locks. There, of two who replace one file at the same time, one may
    /// replace what the other has just written.
    mutating func lock() throws(CryptorError) {
        do throws(CryptorError) {
            isLocked = try FileAttempt(.openingInput, name)(try descriptor.lock())
        } catch {
            guard error.systemErrorNumber == SystemError.wouldBlock.number else { throw error }
            throw FileAttempt(.openingInput, name).failure(
                "It is being replaced by another program at this moment, and was not touched. Try again.",
                because: .wouldBlock)
        }
    }

    /// The attributes that a file made from this one may take over.
    func attributes() throws(CryptorError) -> FileAttributes {
        try FileAttempt(.readingInput, name)(try descriptor.attributes(status))
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
                received = try FileAttempt(.readingInput, name, progress: progress)(
                    try readOnce(missing, into: &output, progress))
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
        let attempt = FileAttempt(.readingInput, name)
        guard (try? isUnchanged()) == true else {
            throw attempt.failure(
                "It had \(byteCount) bytes and ended after \(bytesRead): something shortened it meanwhile. Nothing of the output "
                    + "may be used; try again.")
        }
        // The system reports a length that the file does not have, as it does for those of sysfs(5).
        throw attempt.failure(
            "It says that it has \(byteCount) bytes and ended after \(bytesRead), as files of the kernel's own do. Nothing of "
                + "the output may be used; pass it through a pipe.")
    }

    /// Appends `count` bytes from `offset` on, counted from where reading starts, fewer only at the end of the file.
    /// Any number of threads may do so at the same time.
    func append(_ count: Int, at offset: Int, to buffer: inout [UInt8]) throws(CryptorError) {
        guard let start else { preconditionFailure("it can be read once only") }
        let attempt = FileAttempt(.readingInput, name)
        try buffer.appendBytes(capacity: count) { (output) throws(CryptorError) in
            var done = 0
            while done < count {
                let received = try attempt(
                    try descriptor.read(upTo: count - done, at: start + offset + done, into: &output))
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

    // MARK: Removing the file

    /// Removes the source of an output that is complete and synchronised: the very file that was read, unchanged, and
    /// with no other name.
    /// - Parameter isKept: whether the output is a file that others can find.
    func remove(outputIsKept isKept: Bool) throws(CryptorError) {
        if let reason = removed(isKept) {
            throw FileAttempt(.readingInput, name).published(
                "Its output is complete. It was not removed: \(reason.sentence).", code: .sourceKept,
                because: reason.error)
        }
    }

    /// - Returns: why the file is still there; nil if it is gone.
    private func removed(_ outputIsKept: Bool) -> (sentence: String, error: SystemError?)? {
        guard outputIsKept else { return ("the output is not a regular file, so nobody knows where it is kept", nil) }
        guard place != nil else { return ("it was given as a descriptor, whose name is not known", nil) }
        do throws(SystemError) {
            guard let named = try place?.status() else { return ("it has lost its name", nil) }
            if status.kind != .regular || named.kind != .regular { return ("it is a link, or not a regular file", nil) }
            if named.identity != status.identity { return ("another file has its name now", nil) }
            if !named.isUnchanged(since: status) {
                return ("it was changed meanwhile, and the output may not have all of that", nil)
            }
            if named.linkCount > 1 {
                return ("it has \(named.linkCount) names (hard links), and would go on under the others", nil)
            }
            try place?.remove()
            return nil
        } catch {
            return ("\(error)", error)
        }
    }
}
