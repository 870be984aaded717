import CryptorPrimitives

/// A file that is being written.
///
/// At a path where a file can be put, it appears there whole or not at all: see ``UnpublishedFile``. Anywhere else (standard
/// output, a pipe, a device) it is a stream.
struct OutputFile: ~Copyable {
    /// What the output may take the place of, and what it takes after.
    struct Terms {
        var overwriting: Bool
        /// The one file that may be replaced, if it is as it was; what else has the name is not touched.
        var replacingOnly: FileStatus?
        /// Whether it has to be a file that others can find.
        var isFile = false
        /// Whether the source may be replaced by the output.
        var replacingSource = false
        /// Whether a new file gets permissions and times of the source, and its owner.
        var takingAttributes = false
        /// Whether that may make it somebody else's. Whoever owns a message is not therefore to have its plaintext.
        var givingAway = false
    }

    let name: FileName
    private let stream: FileDescriptor?
    /// Whether writing to the stream may block.
    private let isBlocking: Bool
    private var file: UnpublishedFile?

    /// Whether somebody may see what is written before it is published. Nobody sees what a null device gets.
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

    /// What the output is made of, if that is a file.
    struct Source {
        let status: FileStatus
        /// What the output may take over.
        let attributes: FileAttributes?
    }

    /// Opens the output for what is made of a file.
    static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: borrowing InputFile, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attributes = terms.takingAttributes && source.status.kind == .regular ? source.attributes : nil
        return try open(
            endpoint, terms, source: Source(status: source.status, attributes: attributes), beside: source.place,
            progress: progress)
    }

    /// - Parameter sourcePlace: where the source has its name.
    static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: Source?, beside sourcePlace: borrowing FilePlace?,
        progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let name = endpoint.name
        let attempt = FileAttempt(.creatingOutput, name, progress: progress)
        guard let address = try endpoint.address(.creatingOutput) else {
            guard let number = endpoint.descriptor else { preconditionFailure("a path has a path") }
            let descriptor = FileDescriptor(borrowing: number)
            let status = try attempt.retrying { () throws(SystemError) in
                try descriptor.status()
            }
            try FileAttempt(.writingOutput, name).retrying { () throws(SystemError) in try descriptor.require(.write) }
            guard !isSource(status, source) else { throw .sameFile(name) }
            return try stream(descriptor, status, attempt)
        }
        let status = try address.status(attempt)
        if status?.kind == .regular, status?.linkCount == 0 { throw .nameless(name) }
        if let status, isSource(status, source) {
            guard terms.replacingSource, status.kind == .regular else { throw .sameFile(name) }
            guard terms.overwriting || status.linkCount == 1 else {
                throw .severalNames(name, count: status.linkCount)
            }
        }
        switch status?.kind {
        case .folder?:
            throw attempt.error(.isFolder)
        case .fifo?, .blockDevice?, .other?, .symbolicLink?:
            guard address.root == nil else { throw .irregularBelowFolder(.creatingOutput, name) }
            guard !terms.takingAttributes, !terms.isFile else { throw .notRegular(name) }
            return try stream(address, attempt)
        case .regular?, nil:
            let file = try UnpublishedFile.open(
                address, leadingTo: status, terms: terms, source: source, beside: sourcePlace, attempt: attempt)
            return OutputFile(file, name: name)
        }
    }

    /// What was opened by the caller, and may block.
    private static func stream(
        _ descriptor: consuming FileDescriptor, _ status: FileStatus, _ attempt: FileAttempt
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
        // Of a terminal both is right; a pipe would read what it was written, and of a device the start would be lost.
        [.regular, .fifo, .blockDevice].contains(status.kind) && status.identity == source?.status.identity
    }

    /// What a path leads to that is no regular file, by no link of others where everybody may put one.
    fileprivate static func end(of address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace.End {
        let place = try FilePlace.ofFile(address, attempt)
        let end = try place.end(attempt)
        if let found = end.status {
            // Who put a FIFO there gets what is written; a device is overwritten.
            let folderStatus = try attempt.retrying { () throws(SystemError) in
                try end.place.folder.status()
            }
            guard found.mayBeFollowed(in: folderStatus) else { throw .foreignStream(attempt.name) }
        }
        return end
    }

    private static func stream(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> OutputFile {
        let end = try end(of: address, attempt)
        let stream = try end.openFile(for: .write, attempt)
        // Of what was opened: the name may be another's by now.
        let status = try attempt.retrying { () throws(SystemError) in try stream.status() }
        guard status.kind != .regular, end.status?.kind == .symbolicLink || status.identity == end.status?.identity
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

    /// Makes the file durable and, if it is no stream, gives it its name, in one step.
    /// - Returns: whether it is a file that others can find now.
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
    /// - Parameter isBlocking: whether a write waits for its reader. A stream that is ready has room for a few bytes.
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
                    // Again once, without asking the handler for what takes no time.
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
    /// Opens this file for what is to be made of `source`, and gives it up again: throws what can be known before there is a
    /// credential.
    package func rehearseWriting(
        for source: FileEndpoint, overwriting: Bool, replacingSource: Bool = false,
        progress: @escaping FileProgress.Handler
    ) throws(CryptorError) {
        let reporter = ProgressReporter(progress, totalBytes: nil)
        let file = try InputFile(opening: source, awaitingWriter: false, progress: reporter)
        _ = try OutputFile.open(
            self, OutputFile.Terms(overwriting: overwriting, replacingSource: replacingSource), source: file,
            progress: reporter)
    }

    /// A terminal that is named by a path, opened for writing as any output is, without waiting.
    /// - Returns: a descriptor, which is the caller's to close; nil for anything else, which may have been opened.
    package func openTerminal() throws(CryptorError) -> Int32? {
        let attempt = FileAttempt(.creatingOutput, name)
        guard let address = try address(.creatingOutput), address.root == nil else { return nil }
        let end = try OutputFile.end(of: address, attempt)
        guard let status = end.status, [.other, .symbolicLink].contains(status.kind) else { return nil }
        let file = try attempt.retrying { () throws(SystemError) in
            try end.place.folder.open(end.place.name, for: .write, following: status.kind == .symbolicLink)
        }
        return file.isTerminal ? file.release() : nil
    }
}
