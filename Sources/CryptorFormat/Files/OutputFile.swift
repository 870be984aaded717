import CryptorPrimitives

/// A file that is being written.
///
/// At a path where a file can be put, it appears complete or not at all: see ``UnpublishedFile``. Anywhere else
/// (standard output, a pipe, a device) it is a stream.
struct OutputFile: ~Copyable {
    /// What the output may replace, and what it takes over from the source.
    struct Terms {
        var overwriting: Bool
        /// The only file that may be replaced, if it is unchanged. Any other file that has the name is not touched.
        var replacingOnly: FileStatus?
        /// Whether a new file gets the permissions, the times and the owner of the source.
        var takingAttributes = false
        /// Whether the file may become another user's that way. Owning a message gives no right to its plaintext.
        var changingOwner = false
    }

    let name: FileName
    private let stream: FileDescriptor?
    /// Whether writing to the stream may block.
    private let isBlocking: Bool
    private var file: UnpublishedFile?

    /// Whether others may see what is written before it is published. Nobody sees what is written to the null device.
    let isSeenAtOnce: Bool

    private init(stream: consuming FileDescriptor, _ status: FileStatus, name: FileName, isBlocking: Bool = false) {
        self.isSeenAtOnce = !status.isNullDevice
        self.isBlocking = isBlocking
        if status.kind == .fifo { stream.growPipe(to: VerifiedMessage.segmentByteCount) }
        self.stream = consume stream
        self.file = nil
        self.name = name
    }

    private init(_ file: consuming UnpublishedFile, name: FileName) {
        self.isSeenAtOnce = file.isExposed
        self.isBlocking = false
        self.stream = nil
        self.file = consume file
        self.name = name
    }

    // MARK: Opening

    /// The file that the output is made from.
    struct Source {
        let status: FileStatus
        /// The attributes that the output may take over.
        let attributes: FileAttributes?
    }

    /// Opens an output that is made from `source`.
    static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: borrowing InputFile, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attributes = terms.takingAttributes && source.status.kind == .regular ? source.attributes : nil
        return try open(
            endpoint, terms, source: Source(status: source.status, attributes: attributes), beside: source.place,
            progress: progress)
    }

    /// - Parameter sourcePlace: the place where the source has its name.
    static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: Source?, beside sourcePlace: borrowing FilePlace?,
        progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let name = endpoint.name
        let attempt = FileAttempt(.creatingOutput, name, progress: progress)
        guard let address = try endpoint.address(.creatingOutput) else {
            guard let number = endpoint.descriptor else { preconditionFailure("what has no address has a descriptor") }
            let descriptor = FileDescriptor(borrowing: number)
            let status = try attempt.retrying { () throws(SystemError) in
                try descriptor.status()
            }
            try FileAttempt(.writingOutput, name).retrying { () throws(SystemError) in try descriptor.require(.write) }
            guard !isSource(status, source) else { throw .sameFile(name) }
            return try stream(descriptor, status: status, attempt)
        }
        let status = try address.status(attempt)
        if status?.kind == .regular, status?.linkCount == 0 { throw .nameless(name) }
        if let status, isSource(status, source), status.identity != terms.replacingOnly?.identity {
            throw .sameFile(name)
        }
        switch status?.kind {
        case .folder?:
            throw attempt.error(.isFolder)
        case .fifo?, .blockDevice?, .other?, .symbolicLink?:
            guard address.root == nil else { throw .irregularBelowFolder(.creatingOutput, name) }
            guard !terms.takingAttributes else { throw .notRegular(name) }
            return try stream(address, attempt)
        case .regular?, nil:
            let file = try UnpublishedFile.open(
                address, leadingTo: status, terms: terms, source: source, beside: sourcePlace, attempt: attempt)
            return OutputFile(file, name: name)
        }
    }

    /// The output to a stream that the caller has opened. Writing to it may block.
    private static func stream(
        _ descriptor: consuming FileDescriptor, status: FileStatus, _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        let blocks = try attempt.retrying { () throws(SystemError) in try descriptor.blocks() }
        guard blocks, attempt.progress.mayCancel, [.fifo, .other].contains(status.kind), !status.isNullDevice else {
            return OutputFile(stream: descriptor, status, name: attempt.name)
        }
        if status.kind == .fifo, let reopened = try? descriptor.reopenedPipe(),
            (try? reopened.status())?.identity == status.identity
        {
            return OutputFile(stream: reopened, status, name: attempt.name)
        }
        return OutputFile(stream: descriptor, status, name: attempt.name, isBlocking: true)
    }

    private static func isSource(_ status: FileStatus, _ source: Source?) -> Bool {
        // A terminal may be both source and destination. A pipe would read back what was written to it, and a block
        // device would lose its start.
        [.regular, .fifo, .blockDevice].contains(status.kind) && status.identity == source?.status.identity
    }

    /// Where a path leads to something other than a regular file. Other users' links, FIFOs and devices in
    /// world-writable folders are refused.
    fileprivate static func resolved(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError)
        -> FilePlace.Resolved
    {
        let place = try FilePlace.ofFile(address, attempt)
        let resolved = try place.resolved(attempt)
        if let found = resolved.status {
            // The user who put a FIFO there would receive the output, and a device would be overwritten.
            let folderStatus = try attempt.retrying { () throws(SystemError) in
                try resolved.place.folder.status()
            }
            guard found.mayBeFollowed(in: folderStatus) else { throw .foreignStream(attempt.name) }
        }
        return resolved
    }

    private static func stream(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> OutputFile {
        let resolved = try resolved(address, attempt)
        let stream = try resolved.openFile(for: .write, attempt)
        // The status of the opened file counts, because another one may have the name by now.
        let status = try attempt.retrying { () throws(SystemError) in try stream.status() }
        guard status.kind != .regular,
            resolved.status?.kind == .symbolicLink || status.identity == resolved.status?.identity
        else {
            throw .destinationChanged(attempt.name)
        }
        return OutputFile(stream: stream, status, name: attempt.name)
    }

    // MARK: Writing

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        try file?.write(bytes, name: name, progress: progress)
        try stream?.write(bytes, as: name, progress, isBlocking: isBlocking)
    }

    /// Makes the output durable and, unless it is a stream, gives it its name, in one step.
    /// - Returns: whether the output is now a file that others can find.
    consuming func publish() throws(CryptorError) -> Bool {
        if let file = file.take() {
            try file.publish(name)
            return true
        }
        try FileAttempt(.writingOutput, name).retrying { () throws(SystemError) in _ = try stream?.synchronize() }
        return false
    }
}

extension FileDescriptor {
    /// Writes all of `bytes`, in as many calls as it takes.
    /// - Parameter isBlocking: whether a write waits for the reader. Each write then has only the few bytes for
    ///   which a stream that is ready has room.
    func write(
        _ bytes: [UInt8], as name: FileName, _ progress: ProgressReporter, isBlocking: Bool = false
    ) throws(CryptorError) {
        let attempt = FileAttempt(.writingOutput, name, progress: progress)
        try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            var offset = 0
            while offset < bytes.byteCount {
                let end = isBlocking ? min(offset + Self.readyByteCount, bytes.byteCount) : bytes.byteCount
                let rest = bytes.extracting(offset..<end)
                offset += try attempt.retrying { () throws(SystemError) in
                    if isBlocking { try progress.wait(for: self, toRead: false) }
                    // If the stream is ready after a wait, the write is repeated once before the handler is asked.
                    for _ in 0..<2 {
                        do throws(SystemError) {
                            return try write(rest)
                        } catch {
                            guard error == .wouldBlock else { throw error }
                        }
                        try progress.wait(for: self, toRead: false)
                    }
                    throw .interrupted
                }
            }
        }
    }
}

extension FileEndpoint {
    /// Opens a terminal by its path for writing, with the checks of any other output and without waiting.
    /// - Returns: a descriptor, which the caller closes; nil for anything but a terminal, even if it was opened.
    package func openTerminal() throws(CryptorError) -> Int32? {
        let attempt = FileAttempt(.creatingOutput, name)
        guard let address = try address(.creatingOutput), address.root == nil else { return nil }
        let resolved = try OutputFile.resolved(address, attempt)
        guard let status = resolved.status, [.other, .symbolicLink].contains(status.kind) else { return nil }
        let file = try attempt.retrying { () throws(SystemError) in
            try resolved.place.folder.open(resolved.place.name, for: .write, following: status.kind == .symbolicLink)
        }
        return file.isTerminal ? file.release() : nil
    }
}
