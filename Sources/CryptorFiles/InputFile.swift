import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A file that is read from start to end, perhaps twice.
struct InputFile: ~Copyable {
    let name: FileName
    let status: FileStatus
    /// The number of bytes to read, if it is known before they are read.
    let byteCount: Int?

    private let descriptor: FileDescriptor
    /// Where the file has its name; nil for a descriptor of the caller's and for a spooled file.
    private let place: Optional<FilePlace>
    /// The offset where reading begins; nil for a file that can be read only once.
    private let start: Int?
    private let progress: ProgressReporter
    private var bytesRead = 0
    /// The highest value of `bytesRead` so far: rewinding does not reset it.
    private var mostBytesRead = 0
    /// Whether a stream has ended. It is not read again: what is typed at a terminal after Ctrl-D is for others
    /// (termios(3)).
    private var hasEnded = false
    /// Whether others may read on from the file's position, as with a descriptor of the caller's.
    private let movesPosition: Bool
    private var isLocked = false

    // MARK: Opening

    /// Opens a file. For a FIFO, this waits until it has a writer.
    /// - Parameter movingPosition: whether those who share a descriptor with this process go on behind what was read.
    init(
        opening endpoint: FileEndpoint, movingPosition: Bool = true, progress: ProgressReporter
    ) throws(CryptorError) {
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: progress)
        let place = try FilePlace(endpoint, attempt)
        let named = try place?.openInput(attempt)
        let descriptor = if let named { named } else { FileDescriptor(borrowing: endpoint.descriptor ?? -1) }
        let status = try attempt(try descriptor.status())
        // This check comes first because a link or a folder may stand in for a standard stream that is closed.
        do throws(SystemError) { try descriptor.require(.read) } catch {
            let isMissing = [.folder, .symbolicLink].contains(status.kind)
            throw FileAttempt(isMissing ? .openingInput : .readingInput, endpoint.name).error(error)
        }
        guard status.kind != .folder else { throw attempt.error(.isFolder) }
        let start = status.kind == .regular ? descriptor.position() : nil
        self.name = endpoint.name
        self.status = status
        self.start = start
        // Some of the kernel's own files report a length of 0, whatever they contain.
        self.byteCount = start.flatMap { status.byteCount > $0 ? status.byteCount - $0 : nil }
        self.movesPosition = movingPosition && place == nil
        self.descriptor = descriptor
        self.place = place
        self.progress = progress
        progress.totalByteCount = byteCount
    }

    /// Reads a spooled copy from its start. Its name and status are those of the source.
    init(
        spooled file: consuming FileDescriptor, of source: borrowing InputFile, progress: ProgressReporter
    ) throws(CryptorError) {
        let byteCount = try FileAttempt(.openingInput, source.name)(try file.status()).byteCount
        self.name = source.name
        self.status = source.status
        self.byteCount = byteCount
        self.start = 0
        self.descriptor = file
        self.movesPosition = false
        self.place = nil
        self.progress = progress
    }

    deinit {
        // Reading by offsets has not moved the position. Others who share it go on behind what was read here.
        if movesPosition, let start { descriptor.setPosition(start + mostBytesRead) }
        // A child of this process may have a descriptor of the file, which would hold the lock.
        if isLocked { descriptor.unlock() }
    }

    private func attempt(_ operation: CryptorError.FileOperation = .readingInput) -> FileAttempt {
        FileAttempt(operation, name, progress: progress)
    }

    // MARK: Reading

    var canBeReadTwice: Bool { start != nil }

    mutating func rewind() {
        precondition(canBeReadTwice)
        bytesRead = 0
    }

    /// Appends the next `count` bytes to `buffer`, fewer only at the end of the file.
    mutating func append(_ count: Int, to buffer: inout [UInt8]) throws(CryptorError) {
        let (attempt, end) = (attempt(), buffer.count + count)
        while buffer.count < end, !hasEnded {
            let missing = end - buffer.count
            var received = 0
            try buffer.appendBytes(capacity: missing) { (output) throws(CryptorError) in
                received = try attempt(try readOnce(missing, into: &output))
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
        throw attempt.failure(
            "The system says that it has \(byteCount) bytes, and \(bytesRead) could be read. It was shortened meanwhile, or it is a "
                + "file of the kernel's own, which you can pass through a pipe. Nothing of the output may be used.")
    }

    private func readOnce(_ count: Int, into output: inout OutputRawSpan) throws(SystemError) -> Int {
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

    /// The same open file, to be read in any order. It stays readable after the caller has closed the descriptor.
    func randomAccess() throws(CryptorError) -> RandomAccessFile {
        guard let start else { preconditionFailure("it can be read once only") }
        return RandomAccessFile(
            name: name, start: start, descriptor: try attempt()(try FileDescriptor.duplicate(descriptor.rawValue)))
    }

    /// The attributes that a file made from this one may take over.
    func attributes() throws(CryptorError) -> FileAttributes { try attempt()(try descriptor.attributes(status)) }

    // MARK: Replacing the file in place

    /// Makes the file and its name durable.
    func synchronize() throws(CryptorError) {
        do throws(SystemError) {
            try descriptor.synchronize()
            try place?.synchronize(descriptor)
        } catch {
            throw attempt().error(error)
        }
    }

    /// Makes sure that the file can be replaced: that it is a regular one with one name, to which the path leads without
    /// a link as its last component. Then locks it against others who want to replace it, until this object goes
    /// (`flock(2)`).
    ///
    /// Some network file systems have no such locks. There, of two who replace one file at the same time, one may
    /// replace what the other has just written.
    mutating func lockForReplacement() throws(CryptorError) {
        let attempt = attempt(.openingInput)
        let named = try attempt(try place?.status() ?? nil)
        if named?.kind == .symbolicLink {
            throw attempt.failure(
                "It is a symbolic link, and was not touched: only a file itself can be replaced. Name the file that it leads "
                    + "to.", because: .tooManyLinks)
        }
        guard status.kind == .regular else {
            throw attempt.failure(
                "It is not a regular file, so no other can take its place. Choose another destination.")
        }
        guard named?.identity == status.identity else { throw attempt.replacedMeanwhile }
        guard status.linkCount == 1 else {
            throw attempt.failure(
                "It has \(status.linkCount) names (hard links), and was not touched: the old password or keys would "
                    + "still open its other names. Choose another destination.", code: .sameFile)
        }
        do throws(SystemError) { isLocked = try descriptor.lock() } catch {
            guard error == .wouldBlock else { throw attempt.error(error) }
            throw attempt.failure(
                "It is being replaced by another program at this moment, and was not touched. Try again.",
                because: error)
        }
    }

    // MARK: Removing the file

    /// Removes the source of an output that is complete and synchronised: the very file that was read, unchanged, and
    /// with no other name.
    /// - Parameter isKept: whether the output is a file that others can find.
    func remove(outputIsKept isKept: Bool) throws(CryptorError) {
        let reason: String
        var failure: SystemError?
        do throws(SystemError) {
            guard let obstacle = try obstacleToRemoval(outputIsKept: isKept) else {
                try place?.remove()
                return
            }
            reason = obstacle
        } catch {
            (reason, failure) = ("\(error)", error)
        }
        throw attempt().published(
            "Its output is complete. It was not removed: \(reason).", code: .sourceKept, because: failure)
    }

    private func obstacleToRemoval(outputIsKept: Bool) throws(SystemError) -> String? {
        if !outputIsKept { return "the output is not a regular file, so nobody knows where it is kept" }
        if place == nil { return "it was given as a descriptor, whose name is not known" }
        guard let named = try place?.status() else { return "it has lost its name" }
        if status.kind != .regular || named.kind != .regular { return "it is a link, or not a regular file" }
        if named.identity != status.identity { return "another file has its name now" }
        if !named.isUnchanged(since: status) {
            return "it was changed meanwhile, and the output may not have all of that"
        }
        if named.linkCount > 1 {
            return "it has \(named.linkCount) names (hard links), and would go on under the others"
        }
        return nil
    }
}

/// An open file that any number of threads read at the same time, in any order.
struct RandomAccessFile: ~Copyable, Sendable {
    let name: FileName
    /// Where offset 0 lies in the file.
    fileprivate let start: Int
    fileprivate let descriptor: FileDescriptor

    /// Appends `count` bytes from `offset` on, fewer only at the end of the file.
    func append(_ count: Int, at offset: Int, to buffer: inout [UInt8]) throws(CryptorError) {
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
}
