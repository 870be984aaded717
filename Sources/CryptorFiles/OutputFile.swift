package import CryptorFormat
import CryptorPrimitives
package import CryptorSystem

/// A file or a stream that is being written.
///
/// Where a file can be put at the path, it appears complete or not at all: see ``UnpublishedFile``. Anything else
/// (standard output, a pipe, a device) is a stream, which gets the bytes at once.
package struct OutputFile: ~Copyable {
    /// What the output may replace, and what it takes over from its source.
    package struct Terms {
        fileprivate let overwriting: Bool
        /// The file that the output is made from; nil if it is made from no file.
        fileprivate let source: FileStatus?
        /// Whether the output takes the place of the source. No other file that has the name is touched.
        fileprivate let inPlace: Bool
        /// Whether a new file gets the permissions, the times and the owner of the source.
        fileprivate var takingAttributes = false
        fileprivate var sourceAttributes: FileAttributes?
        /// Whether the file may become another user's that way. Owning a message gives no right to its plaintext.
        fileprivate var changingOwner = true

        package init(overwriting: Bool, source: FileStatus? = nil, inPlace: Bool = false) {
            self.overwriting = overwriting
            self.source = source
            self.inPlace = inPlace
        }

        init(_ options: FileOptions, source: borrowing InputFile, changingOwner: Bool) throws(CryptorError) {
            self.init(overwriting: options.overwriting, source: source.status)
            guard options.takingAttributes else { return }
            takingAttributes = true
            self.changingOwner = changingOwner
            if source.status.kind == .regular { sourceAttributes = try source.attributes() }
        }

        fileprivate func isSource(_ status: FileStatus) -> Bool {
            // A terminal may be both source and destination. A pipe would read back what was written to it, and a block
            // device would lose its start.
            [.regular, .fifo, .blockDevice].contains(status.kind) && status.identity == source?.identity
        }
    }

    private let name: FileName
    private let stream: FileDescriptor?
    private var file: UnpublishedFile?
    /// Whether others may see what is written before it is published. Nobody sees what is written to the null device.
    let isSeenAtOnce: Bool

    private init(_ name: FileName, stream: consuming FileDescriptor, _ status: FileStatus) {
        self.isSeenAtOnce = !status.isNullDevice
        self.stream = consume stream
        self.file = nil
        self.name = name
    }

    private init(_ name: FileName, _ file: consuming UnpublishedFile) {
        self.isSeenAtOnce = file.isExposed
        self.stream = nil
        self.file = consume file
        self.name = name
    }

    // MARK: Opening

    package static func open(
        _ endpoint: FileEndpoint, _ terms: Terms, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attempt = FileAttempt(.creatingOutput, endpoint.name, progress: progress)
        guard let address = try endpoint.address(attempt) else {
            let stream = FileDescriptor(borrowing: endpoint.descriptor ?? -1)
            let status = try attempt(try stream.status())
            try attempt.writing(try stream.require(.write))
            guard !terms.isSource(status) else { throw attempt.sameFile }
            return OutputFile(attempt.name, stream: stream, status)
        }
        let place = try FilePlace(address, attempt)
        let named = try place.trustedStatus(attempt)
        if named == nil || named?.kind == .regular { return try open(at: place, replacing: named, terms, attempt) }
        guard !terms.inPlace else { throw attempt.replacedMeanwhile }
        guard !terms.takingAttributes else {
            throw attempt.failure(
                "It exists, is not a regular file, and was not touched: an output beside its source is a regular file. If "
                    + "you mean it, name it as the output.", because: .exists)
        }
        // The file that a link leads to is replaced, not the link.
        let target = try attempt(try place.folder.status(of: place.name, following: true))
        switch target?.kind {
        case nil:
            throw attempt.failure(
                "It is a symbolic link to a file that does not exist. Remove the link, or name the file itself.",
                because: .noSuchFile)
        case .folder?: throw attempt.error(.isFolder)
        case .regular?:
            return try open(at: try FilePlace(endOf: address, target, attempt), replacing: target, terms, attempt)
        default:
            if let target, terms.isSource(target) { throw attempt.sameFile }
            // A FIFO is opened when it has a reader.
            let stream = try attempt(try place.folder.open(place.name, for: .write, following: true))
            // The status of the opened file counts, because another one may have the name by now.
            let status = try attempt(try stream.status())
            guard status.kind != .regular else { throw attempt.destinationExists }
            return OutputFile(attempt.name, stream: stream, status)
        }
    }

    /// - Parameter existing: the regular file that has the name.
    private static func open(
        at place: consuming FilePlace, replacing existing: FileStatus?, _ terms: Terms, _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        switch existing {
        case nil: break
        case let existing? where terms.isSource(existing): guard terms.inPlace else { throw attempt.sameFile }
        default:
            guard !terms.inPlace else { throw attempt.replacedMeanwhile }
            guard terms.overwriting else { throw attempt.destinationExists }
        }
        return OutputFile(
            attempt.name, try UnpublishedFile.create(at: place, replacing: existing != nil, terms, attempt))
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

/// An output for a message, binary or as base64 text.
package struct MessageOutput: ~Copyable {
    private let file: OutputFile
    private var encoder: Base64Encoder?
    private var text: [UInt8] = []

    package init(_ file: consuming OutputFile) { self.file = file }

    /// Makes the output base64 text. Nothing must have been written before.
    package mutating func writeText(_ layout: Base64Layout) { encoder = Base64Encoder(layout) }

    package mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError) {
        guard encoder != nil else { return try file.write(bytes, progress) }
        text.removeAll(keepingCapacity: true)
        encoder?.encode(bytes, into: &text)
        try file.write(text, progress)
    }

    /// Writes what is left and gives the file its name.
    /// - Returns: whether the output is now a file that others can find.
    package consuming func publish(_ progress: ProgressReporter) throws(CryptorError) -> Bool {
        var end: [UInt8] = []
        encoder?.finish(into: &end)
        try file.write(end, progress)
        return try file.publish()
    }
}

// MARK: - Files that are written without a name

/// A file that is written without a name, or under a private temporary one, and gets its name when it is complete.
///
/// Its folder is opened once, so nobody can have the file published elsewhere by replacing the folder meanwhile.
struct UnpublishedFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let place: FilePlace
    private let terms: OutputFile.Terms
    private let replacesFile: Bool
    /// What the published file looks like; nil for what the umask and the folder give.
    private var attributes: FileAttributes?
    /// The name that the file has until it is published, if it has one.
    private var temporaryName: FilePath?
    /// Whether others may read what is written before it is published, because the file system ignores permissions.
    let isExposed: Bool

    /// - Parameter replacesFile: whether a regular file has the name now.
    static func create(
        at place: consuming FilePlace, replacing replacesFile: Bool, _ terms: OutputFile.Terms, _ attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        let attributes =
            replacesFile ? try attempt(try place.folder.attributes(of: place.name)) : terms.sourceAttributes
        return try create(
            at: place, replacing: replacesFile, terms, attributes: attributes, mode: attributes == nil ? 0o666 : 0o600,
            attempt)
    }

    /// A new file that only its owner may read.
    static func createPrivate(
        at place: consuming FilePlace, _ attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        guard try attempt(try place.status()) == nil else { throw attempt.destinationExists }
        let file = try create(
            at: place, replacing: false, OutputFile.Terms(overwriting: false), attributes: nil, mode: 0o600, attempt)
        guard !file.isExposed else {
            throw attempt.failure(
                "The file system lets others read it, whatever its permissions. Choose a folder on another one.",
                because: .notPermitted)
        }
        return file
    }

    /// - Parameter mode: the permissions of the published file, to which the umask is applied, unless there are
    ///   `attributes`.
    private static func create(
        at place: consuming FilePlace, replacing replacesFile: Bool, _ terms: OutputFile.Terms,
        attributes: FileAttributes?, mode: FileMode, _ attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        let anonymous = place.folder.openAnonymous(mode: mode)
        let isNamed = anonymous == nil
        var attributes = attributes
        if isNamed, mode != 0o600 {
            // Nobody else may open the file before it is complete. What the umask and the folder give to a new file is
            // taken from one that stays empty.
            let sample = try TemporaryFile.removed(in: place.folder, mode: mode, attempt)
            attributes = try attempt(try sample.attributes(sample.status()))
        }
        let name = try attempt(try TemporaryFile.freshName())
        let descriptor =
            if let anonymous { anonymous } else { try attempt(try place.folder.create(name, mode: 0o600)) }
        // Without a status, nothing is known about who may read the file.
        let isExposed = isNamed && ((try? descriptor.status().mode) ?? 0o777) & 0o077 != 0
        return UnpublishedFile(
            descriptor: descriptor, place: place, terms: terms, replacesFile: replacesFile, attributes: attributes,
            temporaryName: isNamed ? name : nil, isExposed: isExposed)
    }

    private init(
        descriptor: consuming FileDescriptor, place: consuming FilePlace, terms: OutputFile.Terms, replacesFile: Bool,
        attributes: FileAttributes?, temporaryName: FilePath?, isExposed: Bool
    ) {
        self.descriptor = descriptor
        self.place = place
        self.terms = terms
        self.replacesFile = replacesFile
        self.attributes = attributes
        self.temporaryName = temporaryName
        self.isExposed = isExposed
    }

    deinit {
        // A file that was not published must not stay. If it cannot be removed, its name says what it is.
        if let temporaryName { try? place.folder.remove(temporaryName) }
    }

    func write(_ bytes: [UInt8], _ attempt: FileAttempt) throws(CryptorError) {
        try descriptor.write(bytes, attempt)
    }

    // MARK: Publishing

    /// Makes the file durable and gives it its name, in one step.
    consuming func publish(_ attempt: FileAttempt) throws(CryptorError) {
        do throws(SystemError) {
            try applyAttributes()
            try descriptor.synchronize()
            if terms.inPlace {
                // The last look. A change that somebody makes between this and the rename is lost, as is one that leaves
                // size and times of the source as they were.
                guard let source = terms.source, try place.status()?.isUnchanged(since: source) == true else {
                    throw .exists
                }
            }
            if terms.inPlace || terms.overwriting { try replace() } else { try create() }
        } catch {
            guard error == .exists else { throw attempt.error(error) }
            throw terms.inPlace ? attempt.replacedMeanwhile : attempt.destinationExists
        }
        do throws(SystemError) { try place.folder.synchronize(descriptor) } catch {
            throw attempt.published(
                "It is complete and has its name. Whether the name outlives a power failure is not certain: \(error).",
                because: error)
        }
    }

    private mutating func applyAttributes() throws(SystemError) {
        let takesOver = terms.sourceAttributes != nil
        // The times come first: once the file belongs to another user, this one might not be allowed to set them.
        if takesOver, let source = terms.source { try descriptor.setTimes(of: source) }
        // Rights may have been taken from the replaced file meanwhile.
        if replacesFile, let current = try place.folder.attributes(of: place.name) { attributes = current }
        guard let attributes else { return }
        // Once the file belongs to another user, this one might not be allowed to give it a name.
        if terms.changingOwner, attributes.owner != FileSystem.user { try takeTemporaryName() }
        try attributes.apply(
            to: descriptor, mayChangeOwner: terms.changingOwner, keepingList: !takesOver || replacesFile)
    }

    private mutating func takeTemporaryName() throws(SystemError) {
        guard temporaryName == nil else { return }
        let name = try TemporaryFile.freshName()
        try place.folder.link(descriptor, to: name)
        temporaryName = name
    }

    private mutating func create() throws(SystemError) {
        guard let temporaryName else { return try place.folder.link(descriptor, to: place.name) }
        if try place.folder.renameUnlessTaken(temporaryName, to: place.name) { return self.temporaryName = nil }
        // Where there is no such call, the file gets its name as a second one, and then loses the temporary one.
        do throws(SystemError) { try place.folder.link(temporaryName, to: place.name) } catch {
            // The file system has no hard links: whether the name is free is checked just before it is taken.
            guard error != .exists, try place.folder.status(of: place.name) == nil else { throw .exists }
            try replace()
        }
    }

    private mutating func replace() throws(SystemError) {
        try takeTemporaryName()
        guard let name = temporaryName else { return }
        try place.folder.rename(name, to: place.name)
        temporaryName = nil
    }
}

/// Files that exist only while they are worked on.
package enum TemporaryFile {
    private static let namePrefix = ".rncryptor-unfinished-"

    /// Whether this is the name of an unfinished file, which a run is writing or has left behind when it was killed.
    package static func isUnfinished(nameBytes: some Sequence<UInt8>) -> Bool {
        nameBytes.starts(with: namePrefix.utf8)
    }

    /// A name that no file has, and that explains the file should it be left behind.
    fileprivate static func freshName() throws(SystemError) -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return try FilePath("\(namePrefix)\(String(repeating: "0", count: 16 - digits.count))\(digits)")
    }

    /// A file whose name is removed at once, for systems where a file cannot be created without one.
    static func removed(
        in folder: borrowing Folder, mode: FileMode, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        let name = try attempt(try freshName())
        let file = try attempt(try folder.create(name, mode: mode))
        do throws(SystemError) { try folder.remove(name) } catch { throw attempt.error(error) }
        return file
    }
}

// MARK: - Errors and descriptors

extension FileAttempt {
    /// The same file, while it is being written.
    var writing: FileAttempt { .init(.writingOutput, name, progress: progress) }

    /// For a file that is replaced in place.
    var replacedMeanwhile: CryptorError {
        failure(
            "It was changed, moved or replaced by another program during the operation, and was not touched. Try again."
        )
    }

    fileprivate var sameFile: CryptorError {
        failure(
            "It is both the source and the destination, and was not touched. Choose another destination.",
            code: .sameFile)
    }

    fileprivate var destinationExists: CryptorError {
        var error = failure(
            "It exists and was not touched.", code: .destinationExists,
            advice: "Choose another name, or allow it to be overwritten.")
        error.fileOperation = .creatingOutput
        return error
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
