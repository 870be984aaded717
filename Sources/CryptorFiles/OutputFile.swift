package import CryptorSystem
package import CryptorFormat
import CryptorPrimitives

/// A file or a stream that is being written.
///
/// At a path where a file can be put, it appears complete or not at all: see ``UnpublishedFile``. Anywhere else
/// (standard output, a pipe, a device) it is a stream.
package struct OutputFile: ~Copyable {
    /// What the output may replace, and what it takes over from the source.
    package struct Terms {
        var overwriting: Bool
        /// The source, if it is to be replaced in its place. Any other file that has the name is not touched.
        var inPlaceOf: FileStatus?
        /// Whether a new file gets the permissions, the times and the owner of the source.
        var takingAttributes = false
        /// Whether the file may become another user's that way. Owning a message gives no right to its plaintext.
        var changingOwner = false

        package init(
            overwriting: Bool, inPlaceOf: FileStatus? = nil, takingAttributes: Bool = false, changingOwner: Bool = false
        ) {
            self.overwriting = overwriting
            self.inPlaceOf = inPlaceOf
            self.takingAttributes = takingAttributes
            self.changingOwner = changingOwner
        }
    }

    /// What the output knows of the file that it is made from.
    package struct Source {
        let status: FileStatus
        /// The attributes that the output takes over, if it takes any.
        let attributes: FileAttributes?
    }

    private let name: FileName
    private let stream: FileDescriptor?
    private var file: UnpublishedFile?

    /// Whether others may see what is written before it is published. Nobody sees what is written to the null device.
    let isSeenAtOnce: Bool

    private init(stream: consuming FileDescriptor, _ status: FileStatus, _ attempt: FileAttempt) {
        self.isSeenAtOnce = !status.isNullDevice
        self.stream = consume stream
        self.file = nil
        self.name = attempt.name
    }

    private init(_ file: consuming UnpublishedFile, _ attempt: FileAttempt) {
        self.isSeenAtOnce = file.isExposed
        self.stream = nil
        self.file = consume file
        self.name = attempt.name
    }

    // MARK: Opening

    /// Opens an output that is made from `source`.
    static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: borrowing InputFile, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attributes = terms.takingAttributes && source.status.kind == .regular ? try source.attributes() : nil
        return try open(
            endpoint, terms, source: Source(status: source.status, attributes: attributes), progress: progress)
    }

    /// - Parameter source: nil for an output that is made from no file.
    package static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, source: Source?, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attempt = FileAttempt(.creatingOutput, endpoint.name, progress: progress)
        guard let address = try endpoint.address(.creatingOutput) else {
            return try open(descriptor: endpoint.descriptor ?? -1, source, attempt)
        }
        let place = try FilePlace(address, attempt)
        let named = try place.trustedStatus(attempt)
        if named == nil || named?.kind == .regular {
            return try open(at: place, replacing: named, terms, source: source, attempt)
        }
        guard !terms.takingAttributes else {
            throw attempt.failure(
                "It exists, is not a regular file, and was not touched: an output beside its source is a regular file. If "
                    + "you mean it, name it as the output.", because: .exists)
        }
        // The file that a link leads to is replaced, not the link.
        let target = try attempt(try place.folder.status(of: place.name, following: true))
        guard let target else {
            throw attempt.failure(
                "It is a symbolic link to a file that does not exist. Remove the link, or name the file itself.",
                because: .noSuchFile)
        }
        switch target.kind {
        case .folder: throw attempt.error(.isFolder)
        case .regular:
            return try open(
                at: try place.end(of: target, attempt), replacing: target, terms, source: source, attempt)
        default: return try openStream(at: place, target, source: source, attempt)
        }
    }

    /// The output to what the caller has opened.
    private static func open(
        descriptor: CInt, _ source: Source?, _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        let descriptor = FileDescriptor(borrowing: descriptor)
        let status = try attempt(try descriptor.status())
        try attempt.writing(try descriptor.require(.write))
        guard !isSource(status, source) else { throw attempt.sameFile }
        return OutputFile(stream: descriptor, status, attempt)
    }

    /// - Parameter existing: the regular file that has the name.
    private static func open(
        at place: consuming FilePlace, replacing existing: FileStatus?, _ terms: Terms, source: Source?,
        _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        if let existing, existing.identity != terms.inPlaceOf?.identity {
            guard !isSource(existing, source) else { throw attempt.sameFile }
            guard terms.overwriting else { throw attempt.destinationExists }
        }
        let file = try UnpublishedFile.open(at: place, replacing: existing, terms, source: source, attempt)
        return OutputFile(file, attempt)
    }

    /// A FIFO is opened when it has a reader.
    private static func openStream(
        at place: borrowing FilePlace, _ target: FileStatus, source: Source?, _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        guard !isSource(target, source) else { throw attempt.sameFile }
        let stream = try attempt(try place.folder.open(place.name, for: .write, following: true))
        // The status of the opened file counts, because another one may have the name by now.
        let status = try attempt(try stream.status())
        guard status.kind != .regular else { throw attempt.destinationExists }
        return OutputFile(stream: stream, status, attempt)
    }

    private static func isSource(_ status: FileStatus, _ source: Source?) -> Bool {
        // A terminal may be both source and destination. A pipe would read back what was written to it, and a block
        // device would lose its start.
        [.regular, .fifo, .blockDevice].contains(status.kind) && status.identity == source?.status.identity
    }

    // MARK: Writing

    /// Writes all of `bytes`.
    func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        let attempt = FileAttempt(.writingOutput, name, progress: progress)
        try file?.write(bytes, attempt)
        try stream?.write(bytes, attempt)
    }

    /// Makes the output durable and, unless it is a stream, gives it its name, in one step.
    /// - Returns: whether the output is now a file that others can find.
    consuming func publish() throws(CryptorError) -> Bool {
        let attempt = FileAttempt(.writingOutput, name)
        if let file = file.take() {
            try file.publish(attempt)
            return true
        }
        try attempt(_ = try stream?.synchronize())
        return false
    }
}

extension FileDescriptor {
    /// Writes all of `bytes`, in as many calls as it takes.
    func write(_ bytes: [UInt8], _ attempt: FileAttempt) throws(CryptorError) {
        try withRawSpan(of: bytes) { (bytes) throws(CryptorError) in
            var offset = 0
            while offset < bytes.byteCount {
                let rest = bytes.extracting(droppingFirst: offset)
                offset += try attempt(try writeOrWait(rest, attempt.progress))
            }
        }
    }

    /// Waits if the caller has opened the file so that it does not block, and there is no room.
    private func writeOrWait(_ bytes: RawSpan, _ progress: ProgressReporter) throws(SystemError) -> Int {
        do throws(SystemError) { return try write(bytes) } catch {
            guard error == .wouldBlock else { throw error }
            try progress.wait(for: self, toRead: false)
            throw .interrupted
        }
    }
}

extension FileAttempt {
    var writing: FileAttempt { .init(.writingOutput, name, progress: progress) }

    fileprivate var sameFile: CryptorError {
        failure(
            "It is both the source and the destination, and was not touched. Choose another destination.",
            code: .sameFile)
    }

    var destinationExists: CryptorError {
        var error: CryptorError = failure(
            "It exists and was not touched.", code: .destinationExists,
            advice: "Choose another name, or allow it to be overwritten.")
        error.fileOperation = .creatingOutput
        return error
    }
}
