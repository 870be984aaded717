package import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A file or a stream that is being written, perhaps as base64 text.
///
/// Where a file can be put at the path, it is written without a name, or under a private temporary
/// one, and gets its name when it is complete. Its folder is opened once, so nobody can have the
/// file published elsewhere by replacing the folder meanwhile. Anything else (standard output, a
/// pipe, a device) is a stream, which gets the bytes at once.
package struct OutputFile: ~Copyable {
    /// What the output may replace, and what it takes over from its source.
    struct Publication {
        var options = FileOptions()
        /// The file that the output is made from; nil if it is made from no file.
        var source: FileStatus?
        /// Whether the output takes the place of the source. No other file that has the name is
        /// touched.
        var inPlace = false
        /// Whether the output can only be a new regular file that its owner alone may read.
        var isPrivate = false
        /// What a file beside its source takes over from it.
        var sourceAttributes: FileAttributes?
        /// Whether the file may become another user's that way. Owning a message gives no right to
        /// its plaintext.
        var changingOwner = true

        /// Whether what has the name is replaced.
        fileprivate var replaces: Bool { inPlace || options.overwriting }

        fileprivate func isSource(_ status: FileStatus) -> Bool {
            // A terminal may be both source and destination. A pipe would read back what was
            // written to it, and a block device would lose its start.
            [.regular, .fifo, .blockDevice].contains(status.kind)
                && status.identity == source?.identity
        }
    }

    private let name: FileName
    private let descriptor: FileDescriptor
    private let publication: Publication
    /// Makes the output base64 text. It is set before anything is written.
    var encoder: Base64Encoder?
    /// Whether others may see what is written before it is published. Nobody sees what is written
    /// to the null device.
    let isSeenAtOnce: Bool

    /// Where the file gets its name; nil for a stream.
    private var place: FilePlace?
    /// What a new file looks like; nil for what the umask and the folder have given it.
    private var attributes: FileAttributes?
    /// The name that the file has until it is published, if it has one.
    private var temporaryName: FilePath?

    deinit {
        // For a stream of a pool that is given up: nobody could be told of a failure. The name says
        // what the file is.
        if let temporaryName { try? place?.folder.remove(temporaryName) }
    }

    // MARK: Opening

    /// Opens an output that is made from no file.
    package static func open(
        _ endpoint: FileEndpoint, _ options: FileOptions, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let publication = Publication(options: FileOptions(overwriting: options.overwriting))
        var output = try open(endpoint, publication, progress: progress)
        if options.base64 { output.encoder = Base64Encoder() }
        return output
    }

    static func open(
        _ endpoint: FileEndpoint, _ publication: Publication, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let attempt = FileAttempt(.creatingOutput, endpoint.name, progress: progress)
        guard let place = try FilePlace(endpoint, attempt) else {
            return try open(
                stream: FileDescriptor(borrowing: endpoint.descriptor ?? -1), publication, attempt)
        }
        let named = try place.trustedStatus(attempt)
        if named == nil || named?.kind == .regular {
            return try open(at: place, replacing: named, publication, attempt)
        }
        guard named?.kind != .folder else { throw attempt.error(.isFolder) }
        guard !publication.inPlace else { throw attempt.replacedMeanwhile }
        guard !publication.options.takingAttributes, !publication.isPrivate else {
            let advice =
                publication.isPrivate
                ? "Choose a name that is free." : "To write to it, name it as the output."
            throw attempt.failure(
                "It exists, is not a regular file, and was not touched. \(advice)", because: .exists
            )
        }
        let target = try attempt(try place.status(following: true))
        if target?.kind == .regular, let path = try endpoint.address(attempt) {
            // The file that the link leads to is replaced, not the link.
            let end = FileEndpoint.pathBytes(try attempt(try FileSystem.realPath(of: path)).bytes)
            guard let place = try FilePlace(end, attempt) else {
                preconditionFailure("a path has a place")
            }
            let named = try attempt(try place.status())
            // The system names a file that has been removed all the same, and another may have that
            // name.
            guard named?.identity == target?.identity else { throw attempt.replacedMeanwhile }
            return try open(at: place, replacing: named, publication, attempt)
        }
        // A FIFO is opened when it has a reader.
        return try open(
            stream: try place.open(for: .write, attempt), isNamed: true, publication, attempt)
    }

    private static func open(
        stream: consuming FileDescriptor, isNamed: Bool = false, _ publication: Publication,
        _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        try FileAttempt(.writingOutput, attempt.name)(try stream.require(.write))
        let status = try attempt(try stream.status())
        // A regular file may have got the name by now.
        guard !isNamed || status.kind != .regular else { throw attempt.destinationExists }
        guard !publication.isSource(status) else { throw attempt.sameFile }
        return OutputFile(
            name: attempt.name, descriptor: stream, publication: publication,
            isSeenAtOnce: !status.isNullDevice)
    }

    /// - Parameter existing: the regular file that has the name.
    private static func open(
        at place: consuming FilePlace, replacing existing: FileStatus?, _ publication: Publication,
        _ attempt: FileAttempt
    ) throws(CryptorError) -> OutputFile {
        if let existing, publication.isSource(existing) {
            guard publication.inPlace else { throw attempt.sameFile }
        } else if existing != nil {
            guard !publication.inPlace else { throw attempt.replacedMeanwhile }
            guard publication.options.overwriting else { throw attempt.destinationExists }
        }
        // The umask is applied to these permissions.
        let isPrivate =
            existing != nil || publication.isPrivate || publication.sourceAttributes != nil
        var attributes = publication.sourceAttributes
        var temporaryName: FilePath?
        let descriptor: FileDescriptor
        if let anonymous = place.folder.openAnonymous(mode: isPrivate ? 0o600 : 0o666) {
            descriptor = anonymous
        } else {
            if !isPrivate {
                // Nobody else may open the file before it is complete. What the umask and the
                // folder give to a new file is taken from one that stays empty.
                let likeNew = try TemporaryFile.nameless(
                    in: place.folder, at: place.folderPath, mode: 0o666, attempt)
                attributes = try attempt(try likeNew.attributes())
            }
            let name = try attempt(try TemporaryFile.freshName())
            descriptor = try attempt(try place.folder.create(name, mode: 0o600))
            temporaryName = name
        }
        return OutputFile(
            name: attempt.name, descriptor: descriptor, publication: publication,
            isSeenAtOnce: false, place: place,
            attributes: attributes, temporaryName: temporaryName)
    }

    /// Writes all of `bytes`.
    package mutating func write(_ bytes: [UInt8], _ progress: ProgressReporter) throws(CryptorError)
    {
        var text: [UInt8] = []
        encoder?.encode(bytes, into: &text)
        try descriptor.write(
            encoder == nil ? bytes : text, FileAttempt(.writingOutput, name, progress: progress))
    }

    // MARK: Publishing

    /// Lets `body` write the file, and publishes it. If either fails, nothing is left behind, or
    /// the error names what is.
    /// - Returns: whether the output is now a file that others can find.
    consuming func publish(
        _ progress: ProgressReporter,
        writing body: (inout OutputFile) throws(CryptorError) -> Void
    ) throws(CryptorError) -> Bool {
        do throws(CryptorError) { try body(&self) } catch { throw abandoned(after: error) }
        return try publish(progress)
    }

    /// Removes the file, which is not to be published.
    /// - Returns: the error, which says so if the file could not be removed.
    consuming func abandoned(after error: CryptorError) -> CryptorError {
        do throws(CryptorError) { try discard() } catch let failure {
            var error = error
            error.leftBehind = failure.leftBehind
            return error
        }
        return error
    }

    /// Removes the file, which is not to be published.
    /// - Throws: if it could not be removed, such as in a folder where files can only be added.
    consuming func discard() throws(CryptorError) {
        guard let unfinished = temporaryName else { return }
        temporaryName = nil
        do throws(SystemError) { try place?.folder.remove(unfinished) } catch {
            var failure = FileAttempt(.writingOutput, name).failure(
                "It was not written.", because: error)
            failure.leftBehind = FileName(path: (place?.folderPath ?? []) + unfinished.bytes)
            throw failure
        }
    }

    /// Writes what is left, makes the output durable and, unless it is a stream, gives it its name,
    /// in one step.
    /// - Returns: whether the output is now a file that others can find.
    package consuming func publish(_ progress: ProgressReporter) throws(CryptorError) -> Bool {
        let attempt = FileAttempt(.writingOutput, name, progress: progress)
        do throws(CryptorError) { try complete(attempt) } catch { throw abandoned(after: error) }
        guard place != nil else { return false }
        do throws(SystemError) { try place?.synchronize(descriptor) } catch {
            throw attempt.failure(
                "It is complete, but its name may be lost in a power failure: \(error).",
                because: error, isPublished: true)
        }
        return true
    }

    /// Writes what is left, makes it durable and, unless it is a stream, gives it its name.
    private mutating func complete(_ attempt: FileAttempt) throws(CryptorError) {
        var end: [UInt8] = []
        encoder?.finish(into: &end)
        try descriptor.write(end, attempt)
        guard let target = place?.name else { return try attempt(try descriptor.synchronize()) }
        do throws(SystemError) {
            try applyAttributes(target)
            try descriptor.synchronize()
            if publication.inPlace {
                // The last look. A change that somebody makes between this and the rename is lost,
                // as is one that leaves size and times of the source as they were.
                guard let source = publication.source,
                    try place?.status()?.isUnchanged(since: source) == true
                else { throw .exists }
            }
            if publication.replaces {
                let name = try takeTemporaryName()
                try place?.folder.rename(name, to: target)
            } else if let temporaryName {
                try place?.folder.renameUnlessTaken(temporaryName, to: target)
            } else {
                try place?.folder.link(descriptor, to: target)
            }
            temporaryName = nil
        } catch {
            guard error == .exists else { throw attempt.error(error) }
            throw publication.inPlace ? attempt.replacedMeanwhile : attempt.destinationExists
        }
    }

    private mutating func applyAttributes(_ target: FilePath) throws(SystemError) {
        let takesOver = publication.sourceAttributes != nil
        // The times come first: once the file belongs to another user, this one might not be
        // allowed to set them.
        if takesOver, let source = publication.source { try descriptor.setTimes(of: source) }
        // What is replaced may be another file by now, or one with fewer rights.
        let replaced = publication.replaces ? try place?.folder.attributes(of: target) : nil
        // Before the file gets a temporary name: it may have the umask's rights, if there was
        // nothing to replace at first.
        if replaced != nil { try descriptor.makePrivate() }
        guard let attributes = replaced ?? attributes else { return }
        // Once the file belongs to another user, this one might not be allowed to give it a name.
        if publication.changingOwner, attributes.owner != FileSystem.user {
            _ = try takeTemporaryName()
        }
        try attributes.apply(
            to: descriptor, mayChangeOwner: publication.changingOwner,
            keepingList: !takesOver || replaced != nil)
    }

    private mutating func takeTemporaryName() throws(SystemError) -> FilePath {
        if let temporaryName { return temporaryName }
        let name = try TemporaryFile.freshName()
        try place?.folder.link(descriptor, to: name)
        temporaryName = name
        return name
    }
}

extension OutputFile.Publication {
    /// For an output that is made from `source`.
    init(_ options: FileOptions, source: borrowing InputFile, changingOwner: Bool)
        throws(CryptorError)
    {
        self.init(
            options: options, source: source.status,
            changingOwner: changingOwner || !options.takingAttributes)
        if options.takingAttributes, source.status.kind == .regular {
            sourceAttributes = try source.attributes()
        }
    }
}

/// Files that exist only while they are worked on.
package enum TemporaryFile {
    private static let namePrefix = ".rncryptor-unfinished-"

    /// Whether this is the name of an unfinished file, which a run is writing or has left behind
    /// when it was killed.
    package static func isUnfinished(nameBytes: some Sequence<UInt8>) -> Bool {
        nameBytes.starts(with: namePrefix.utf8)
    }

    /// A name that no file has, and that explains the file should it be left behind.
    fileprivate static func freshName() throws(SystemError) -> FilePath {
        try FilePath("\(namePrefix)\(UInt64.random(in: .min ... .max))")
    }

    /// A file without a name or, where a file cannot be created without one, with a name that is
    /// removed at once.
    /// - Parameter path: what goes before the name in an error, if the file stays.
    static func nameless(
        in folder: borrowing Folder, at path: [UInt8], mode: FileMode, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        if let file = folder.openAnonymous(mode: mode) { return file }
        let name = try attempt(try freshName())
        let file = try attempt(try folder.create(name, mode: mode))
        do throws(SystemError) { try folder.remove(name) } catch {
            var failure = attempt.error(error)
            failure.leftBehind = FileName(path: path + name.bytes)
            throw failure
        }
        return file
    }
}

extension FileAttempt {
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
        FileAttempt(.creatingOutput, name).failure(
            "It exists and was not touched.", code: .destinationExists,
            advice: "Choose another name, or allow it to be overwritten.")
    }
}

extension FileDescriptor {
    /// Writes all of `bytes`, in as many calls as it takes.
    func write(_ bytes: [UInt8], _ attempt: FileAttempt) throws(CryptorError) {
        var offset = 0
        while offset < bytes.count {
            let written = try attempt(
                try attempt.progress.whenReady(self, toRead: false) { () throws(SystemError) in
                    try write(bytes.rawSpan(offset..<bytes.count))
                })
            offset += written
        }
    }
}
