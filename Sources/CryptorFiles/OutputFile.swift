package import CryptorFormat
import CryptorPrimitives
import CryptorSystem

/// A file or a stream that is being written, perhaps as base64 text.
///
/// Where a file can be put at the path, it is written without a name, or under a private temporary
/// one, and gets its name when it is complete. Its directory is opened once, so nobody can have the
/// file published elsewhere by replacing the directory meanwhile. Anything else (standard output, a
/// pipe, a device) is a stream, which gets the bytes at once.
package struct OutputFile: ~Copyable {
    /// What the output may replace, and the attributes that it takes from its source.
    struct Publication {
        var options = FileOptions()
        /// The file that the output is made from; nil if it is made from no file.
        var source: FileStatus?
        /// Whether the output takes the place of the source. No other file that has the name is
        /// touched.
        var inPlace = false
        /// Whether the output can only be a new regular file that its owner alone may read.
        var isPrivate = false
        /// The attributes that a file beside its source takes from it.
        var sourceAttributes: FileAttributes?
        /// Whether the file may become another user's that way. Owning a message gives no right to
        /// its plaintext.
        var changingOwner = true

        /// Whether a file that has the name is replaced.
        fileprivate var replaces: Bool { inPlace || options.overwriting }

        fileprivate func isSource(_ status: FileStatus) -> Bool {
            // A terminal may be both source and destination. A pipe would read back what was
            // written to it, and a block device would lose its start.
            [.regular, .fifo, .blockDevice].contains(status.kind)
                && status.identity == source?.identity
        }
    }

    private var file: WorkingFile
    /// Where the file gets its name; nil for a stream.
    private var place: FilePlace?
    private let publication: Publication
    /// The attributes of a new file; nil for those that the umask and the directory have given it.
    private var attributes: FileAttributes?
    /// The name that the file has until it is published, if it has one.
    private var temporaryName: FilePath?
    /// Makes the output base64 text. It is set before anything is written.
    var encoder: Base64Encoder?
    /// Whether others may see the output before it is published. Nobody sees output to the null
    /// device.
    let isSeenAtOnce: Bool

    deinit {
        // For an abandoned stream of a pool: a failure could not be reported. The name says what
        // the file is.
        if let temporaryName { try? place?.directory.remove(temporaryName) }
    }

    /// Sets the handler that may cancel from now on, while this waits.
    package mutating func report(to handler: @escaping (FileProgress) throws -> Void) {
        file.context.progress = ProgressReporter(handler)
    }

    // MARK: Opening

    /// Opens an output that is made from no file.
    package static func open(
        _ endpoint: FileEndpoint, _ options: FileOptions,
        progress: @escaping (FileProgress) throws -> Void
    ) throws(CryptorError) -> OutputFile {
        let publication = Publication(options: FileOptions(overwriting: options.overwriting))
        var output = try open(endpoint, publication, progress: ProgressReporter(progress))
        if options.base64 { output.encoder = Base64Encoder() }
        return output
    }

    /// Checks where the address leads, and opens a stream there or a file that will take its place.
    static func open(
        _ endpoint: FileEndpoint, _ publication: Publication, progress: ProgressReporter
    ) throws(CryptorError) -> OutputFile {
        let context = FileContext(.creatingOutput, endpoint.name, progress: progress)
        guard let place = try FilePlace(endpoint, context) else {
            let descriptor = FileDescriptor(borrowing: endpoint.descriptor ?? -1)
            return try stream(WorkingFile(descriptor, context), publication)
        }

        let named = try place.trustedStatus()
        if named == nil || named?.kind == .regular {
            return try newFile(at: place, replacing: named, publication)
        }

        // A link, a FIFO, a device or a directory has the name.
        guard named?.kind != .directory else { throw context.failure(of: .isDirectory) }
        guard !publication.inPlace else { throw context.replacedMeanwhile }
        guard !publication.isPrivate else {
            throw context.isNoRegularFile(advice: "Choose another name.")
        }
        guard !publication.options.takingAttributes else {
            throw context.isNoRegularFile(advice: "To write to it, name it as the output.")
        }

        let target = try place.status(following: true)
        if target?.kind == .regular, let path = try endpoint.address(context) {
            // The file that the link leads to is replaced, not the link.
            let end = FileEndpoint.pathBytes(
                try context.call(try FileSystem.realPath(of: path)).bytes)
            guard let place = try FilePlace(end, context) else {
                preconditionFailure("a path has a place")
            }
            let named = try place.status()
            // The system still names a file that has been removed, and another may have that name.
            guard named?.identity == target?.identity else { throw context.replacedMeanwhile }
            return try newFile(at: place, replacing: named, publication)
        }

        // A FIFO is opened when it has a reader.
        let file = WorkingFile(try place.open(for: .write), context)
        // A regular file may have got the name by now.
        guard try file.status().kind != .regular else { throw context.destinationExists }
        return try stream(file, publication)
    }

    private static func stream(
        _ file: consuming WorkingFile, _ publication: Publication
    ) throws(CryptorError) -> OutputFile {
        let context = file.context
        file.context.operation = .writingOutput
        try file.require(.write)
        let status = try file.status()
        guard !publication.isSource(status) else { throw context.sameFile }
        return OutputFile(
            file: file, place: nil, publication: publication,
            isSeenAtOnce: status.kind != .nullDevice)
    }

    /// - Parameter existing: the regular file that has the name.
    private static func newFile(
        at place: consuming FilePlace, replacing existing: FileStatus?, _ publication: Publication
    ) throws(CryptorError) -> OutputFile {
        let context = place.context
        if let existing, publication.isSource(existing) {
            guard publication.inPlace else { throw context.sameFile }
        } else if existing != nil {
            guard !publication.inPlace else { throw context.replacedMeanwhile }
            guard publication.options.overwriting else { throw context.destinationExists }
        }

        let isPrivate =
            existing != nil || publication.isPrivate || publication.sourceAttributes != nil
        var attributes = publication.sourceAttributes
        var temporaryName: FilePath?
        let descriptor: FileDescriptor
        // The umask is applied to these permissions.
        if let anonymous = place.directory.openAnonymous(mode: isPrivate ? 0o600 : 0o666) {
            descriptor = anonymous
        } else {
            if !isPrivate {
                // Nobody else may open the file before it is complete. The attributes that the
                // umask and the directory give to a new file are taken from one that stays empty.
                let likeNew = try TemporaryFile.nameless(
                    in: place.directory, at: place.directoryPath, mode: 0o666, context)
                attributes = try context.call(try likeNew.attributes())
            }
            let name = try context.call(try TemporaryFile.freshName())
            descriptor = try context.call(try place.directory.create(name, mode: 0o600))
            temporaryName = name
        }
        var output = OutputFile(
            file: WorkingFile(descriptor, context.during(.writingOutput)), place: place,
            publication: publication, isSeenAtOnce: false)
        output.attributes = attributes
        output.temporaryName = temporaryName
        return output
    }

    private init(
        file: consuming WorkingFile, place: consuming FilePlace?, publication: Publication,
        isSeenAtOnce: Bool
    ) {
        self.file = file
        self.place = place
        self.publication = publication
        self.isSeenAtOnce = isSeenAtOnce
    }

    /// Writes all of `bytes`.
    package mutating func write(_ bytes: [UInt8]) throws(CryptorError) {
        guard encoder != nil else { return try file.write(bytes) }
        var text: [UInt8] = []
        encoder?.encode(bytes, into: &text)
        try file.write(text)
    }

    // MARK: Publishing

    /// Lets `body` write the file, and publishes it. If either fails, nothing is left behind, or
    /// the error names what is.
    consuming func publish(
        writing body: (inout OutputFile) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        do throws(CryptorError) { try body(&self) } catch { throw abandoned(after: error) }
        try publish()
    }

    /// Does the same from a source, which is removed afterwards if the options say so.
    consuming func publish(
        from source: inout InputFile,
        writing body: (inout InputFile, inout OutputFile) throws(CryptorError) -> Void
    ) throws(CryptorError) {
        do throws(CryptorError) { try body(&source, &self) } catch { throw abandoned(after: error) }
        try publish(removing: &source)
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
    /// - Throws: if it could not be removed, such as in a directory where files can only be added.
    package consuming func discard() throws(CryptorError) {
        guard let unfinished = temporaryName else { return }
        temporaryName = nil
        do throws(SystemError) { try place?.directory.remove(unfinished) } catch {
            var failure = file.context.failure("It was not written.", because: error)
            failure.leftBehind = FileName(path: (place?.directoryPath ?? []) + unfinished.bytes)
            throw failure
        }
    }

    /// Writes the rest, makes the output durable and, unless it is a stream, gives it its name, in
    /// one step.
    package consuming func publish() throws(CryptorError) {
        do throws(CryptorError) { try complete() } catch { throw abandoned(after: error) }
        try synchronizeName()
    }

    /// Does the same, and removes the source if the options say so.
    consuming func publish(removing source: inout InputFile) throws(CryptorError) {
        do throws(CryptorError) { try complete() } catch { throw abandoned(after: error) }
        try synchronizeName()
        guard publication.options.removingSource else { return }
        try source.remove { () throws(SystemError) in
            if place == nil { return "the output is not a regular file" }
            // Not whether it is the same file: inode numbers change on some mounts.
            return try place?.currentStatus() == nil ? "the output was removed meanwhile" : nil
        }
    }

    private func synchronizeName() throws(CryptorError) {
        do throws(SystemError) { try place?.synchronize(file.descriptor) } catch {
            throw file.context.failure(
                "It is complete, but its name may be lost in a power failure: \(error).",
                because: error, isPublished: true)
        }
    }

    /// Writes the rest, makes the output durable and, unless it is a stream, gives it its name.
    private mutating func complete() throws(CryptorError) {
        var end: [UInt8] = []
        encoder?.finish(into: &end)
        try file.write(end)
        guard let name = place?.name else { return try file.synchronize() }
        if try !applyAttributes(name) { try file.context.progress.report(lacksAttributes: true) }
        do throws(SystemError) {
            try file.descriptor.synchronize()
            // Nobody takes it for a source, and removes it, before its own source is removed.
            if publication.options.removingSource { _ = try file.descriptor.lock() }
            if publication.inPlace {
                // Before the check, so that nothing stands between it and the rename.
                _ = try takeTemporaryName()
                try requireUnchangedSource()
            }
            try takeName(name)
        } catch {
            guard error == .exists else { throw file.context.failure(of: error) }
            throw publication.inPlace
                ? file.context.replacedMeanwhile : file.context.destinationExists
        }
    }

    /// The last check. A change that somebody makes between this and the rename is lost, as is one
    /// that leaves size and times of the source as they were.
    private func requireUnchangedSource() throws(SystemError) {
        guard let source = publication.source, let named = try place?.currentStatus(),
            named.isUnchanged(since: source)
        else { throw .exists }
    }

    /// Gives the file its name, in one step.
    private mutating func takeName(_ name: FilePath) throws(SystemError) {
        if publication.replaces {
            let unfinished = try takeTemporaryName()
            try place?.directory.rename(unfinished, to: name)
        } else if let temporaryName {
            try place?.directory.renameUnlessTaken(temporaryName, to: name)
        } else {
            try place?.directory.link(file.descriptor, to: name)
        }
        temporaryName = nil
    }

    /// - Returns: false if the file system refused to set permissions or times.
    private mutating func applyAttributes(_ name: FilePath) throws(CryptorError) -> Bool {
        let context = file.context
        let takesOver = publication.sourceAttributes != nil
        var areSet = true
        // The times come first: once the file belongs to another user, this one might not be
        // allowed to set them.
        if takesOver, let source = publication.source {
            areSet = try context.call(try file.descriptor.setTimes(of: source))
        }
        // The file to replace may be another one by now, or have fewer rights.
        let replaced =
            publication.replaces
            ? try context.call(try place?.directory.attributes(of: name)) : nil
        // Before the file gets a temporary name: it may have the umask's rights, if there was
        // nothing to replace at first.
        if replaced != nil { _ = try context.call(try file.descriptor.makePrivate()) }
        guard let attributes = replaced ?? attributes else { return areSet }
        // Once the file belongs to another user, this one might not be allowed to give it a name.
        if publication.changingOwner, !attributes.belongToUser {
            _ = try context.call(try takeTemporaryName())
        }
        let hasRights = try context.call(
            try attributes.apply(
                to: file.descriptor, mayChangeOwner: publication.changingOwner,
                keepingList: !takesOver || replaced != nil))
        if let replaced, try context.call(try !replaced.cover(file.descriptor)) {
            throw context.failure(
                """
                It was not touched, because the file system would give others more rights to the \
                new file than to this one. Choose another destination.
                """,
                because: .notPermitted)
        }
        return areSet && hasRights
    }

    private mutating func takeTemporaryName() throws(SystemError) -> FilePath {
        if let temporaryName { return temporaryName }
        let name = try TemporaryFile.freshName()
        try place?.directory.link(file.descriptor, to: name)
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

extension FileContext {
    fileprivate func isNoRegularFile(advice: String) -> CryptorError {
        failure(
            "It exists but is not a regular file, and was not touched. \(advice)", because: .exists)
    }
}
