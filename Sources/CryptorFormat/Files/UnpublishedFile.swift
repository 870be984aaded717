import CryptorPrimitives

/// A file that is written without a name, or under a temporary one, and gets its name when it is whole.
///
/// Its folder is opened once: nobody can have it published elsewhere by exchanging the folder meanwhile.
struct UnpublishedFile: ~Copyable {
    /// What may have the name by then.
    private enum Publication {
        case creating
        case replacing
        /// This file was read, and no other may be replaced.
        case replacingSource(FileStatus)
    }

    private let descriptor: FileDescriptor
    private let place: FilePlace
    private let publication: Publication
    /// The name it has until then, if it has one.
    private var temporaryName: FilePath?
    private let look: Look

    /// What the published file looks like to others.
    private struct Look {
        /// Of the file whose place it takes, or of the source; nil for what the umask and the folder say.
        var attributes: FileAttributes?
        /// Whether they are those of the file whose place it takes.
        var isReplacing = false
        var mayGiveAway = true
        /// The permissions at the most.
        var mask: mode_t = 0o777
        /// Whose times it gets.
        var timesOf: FileStatus?
    }

    private init(
        _ descriptor: consuming FileDescriptor, at place: consuming FilePlace, _ publication: Publication,
        _ temporaryName: FilePath?, _ look: Look
    ) {
        self.descriptor = descriptor
        self.place = place
        self.publication = publication
        self.temporaryName = temporaryName
        self.look = look
    }

    deinit {
        // Not published: nothing may stay. If even that fails, the name says what the file is.
        if let temporaryName { try? place.folder.remove(temporaryName) }
    }

    // MARK: Opening

    /// - Parameters:
    ///   - path: of a regular file, or of none.
    ///   - existing: the file that it leads to, through links too.
    static func open(
        _ path: FilePath, leadingTo existing: FileStatus?, _ terms: OutputFile.Terms, source: borrowing InputFile,
        _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> UnpublishedFile {
        let isSource = existing?.identity == source.status.identity
        guard existing == nil || terms.overwriting || isSource else { throw .destinationExists(name) }
        let publication: Publication =
            isSource ? .replacingSource(source.status) : terms.overwriting ? .replacing : .creating
        var place = try open(path, beside: source, name, progress)
        var status = try place.status(name, progress)
        var linkCount = 0
        while let link = status, link.kind == .symbolicLink {
            // The file that a link leads to is replaced, not the link.
            guard existing != nil else { throw .danglingLink(name) }
            guard try mayFollow(link, in: place.folder, name, progress) else { throw .foreignLink(name) }
            linkCount += 1
            guard linkCount <= maximumLinkCount, let target = try place.target(name, progress) else {
                throw .destinationExists(name)
            }
            place = target
            status = try place.status(name, progress)
        }
        // What was looked at above, and nothing that came since.
        guard status?.identity == existing?.identity else { throw .destinationExists(name) }
        let look = try look(at: place, status, terms, source, name, progress)
        return try create(at: place, publication, look, name, progress)
    }

    /// A new file that only its owner may read.
    static func createPrivate(
        _ path: FilePath, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> UnpublishedFile {
        let place = try open(path, name, progress)
        guard try place.status(name, progress) == nil else { throw .destinationExists(name) }
        return try create(at: place, .creating, Look(mask: 0o600), name, progress)
    }

    private static func open(
        _ path: FilePath, beside source: borrowing InputFile, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FilePlace {
        let beside = try source.place?.beside(path, name, progress)
        if let beside { return beside }
        return try open(path, name, progress)
    }

    private static func open(
        _ path: FilePath, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FilePlace {
        guard let place = try FilePlace.open(path, .creatingOutput, name, progress) else {
            throw .inputOutput(.creatingOutput, name, .isFolder)
        }
        return place
    }

    /// As Linux has it (path_resolution(7)): somebody may go on to put one in the place of another.
    private static let maximumLinkCount = 40

    /// In a folder that everybody may write to, such as /tmp, only links of this user and of the folder's owner: for those
    /// with a sticky bit it is the rule of Linux, too, where `fs.protected_symlinks` is set (proc(5)).
    private static func mayFollow(
        _ link: FileStatus, in folder: borrowing Folder, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Bool {
        let status = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in try folder.status() }
        return status.mode & 0o002 == 0 || [FileSystem.user, status.owner].contains(link.owner)
    }

    private static func look(
        at place: borrowing FilePlace, _ existing: FileStatus?, _ terms: OutputFile.Terms,
        _ source: borrowing InputFile, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Look {
        let takesAfterSource = terms.takingAttributes && source.status.kind == .regular
        var look = Look(timesOf: takesAfterSource ? source.status : nil)
        if let existing {
            look.attributes = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
                try place.attributes() ?? FileAttributes(of: existing)
            }
            look.isReplacing = true
            if takesAfterSource {
                look.mask = source.attributes.mask(forFileOf: existing)
                look.mayGiveAway = terms.givingAway
            }
        } else if takesAfterSource {
            look.attributes = source.attributes
            look.mayGiveAway = terms.givingAway
        }
        return look
    }

    private static func create(
        at place: consuming FilePlace, _ publication: Publication, _ look: Look, _ name: FileName,
        _ progress: ProgressReporter
    ) throws(CryptorError) -> UnpublishedFile {
        // Nobody else may look at it before it has the permissions of another file.
        let mode = (look.attributes == nil ? 0o666 : 0o600) & look.mask
        if let anonymous = TemporaryFile.anonymous(in: place.folder, mode: mode) {
            return UnpublishedFile(anonymous, at: place, publication, nil, look)
        }
        var look = look
        if look.attributes == nil { look.attributes = try attributesOfNewFiles(in: place.folder, name, progress) }
        let temporaryName: FilePath
        do throws(SystemError) { temporaryName = try TemporaryFile.freshName() } catch {
            throw .inputOutput(.creatingOutput, name, error)
        }
        let descriptor = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
            try place.folder.create(temporaryName, mode: 0o600)
        }
        return UnpublishedFile(descriptor, at: place, publication, temporaryName, look)
    }

    /// What the umask and the folder say, found out by a file that stays empty: what is written has a name from the start
    /// here, and nobody else may open it before it is whole.
    private static func attributesOfNewFiles(
        in folder: borrowing Folder, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FileAttributes {
        let file = try TemporaryFile.removed(in: folder, mode: 0o666, name, progress)
        return try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
            FileAttributes(of: file, try file.status())
        }
    }

    // MARK: Writing and publishing

    func write(_ bytes: [UInt8], _ name: FileName, _ progress: ProgressReporter) throws(CryptorError) {
        try progress.write(bytes, to: descriptor, named: name)
    }

    /// Makes the file durable and gives it its name, in one step.
    consuming func publish(_ name: FileName) throws(CryptorError) {
        do throws(SystemError) {
            try takeLook()
            try descriptor.synchronize()
            switch publication {
            case .creating: try create()
            case .replacing: try replace()
            case .replacingSource(let status): try replace(onlyIf: status)
            }
        } catch {
            throw unpublishedLeftover(publicationError(error, name))
        }
        let leftover = removeTemporaryName(name)
        do throws(SystemError) { try place.folder.synchronize(descriptor) } catch { throw .notDurable(name, error) }
        if let leftover { throw leftover }
    }

    private func publicationError(_ error: SystemError, _ name: FileName) -> CryptorError {
        guard error == .exists else { return .inputOutput(.writingOutput, name, error) }
        if case .replacingSource = publication { return .sourceChanged(name) }
        return .destinationExists(name)
    }

    /// What could not be published should go. Where it cannot, in a folder from which nothing may be removed, nobody else
    /// may read it, and the error says where it is.
    private mutating func unpublishedLeftover(_ failure: CryptorError) -> CryptorError {
        guard let temporaryName = temporaryName.take() else { return failure }
        do throws(SystemError) { try place.folder.remove(temporaryName) } catch {
            try? descriptor.setMode(0o600)
            return failure.leaving(FileName(path: temporaryName.bytes))
        }
        return failure
    }

    /// Of a file that has its own name now.
    private mutating func removeTemporaryName(_ name: FileName) -> CryptorError? {
        guard let temporaryName = temporaryName.take() else { return nil }
        do throws(SystemError) { try place.folder.remove(temporaryName) } catch {
            return .secondNameStays(name, FileName(path: temporaryName.bytes), error)
        }
        return nil
    }

    private func takeLook() throws(SystemError) {
        if let attributes = look.attributes {
            // As they are now: somebody may have taken rights away meanwhile.
            let current = look.isReplacing ? try? place.attributes() : nil
            try (current ?? attributes).apply(
                to: descriptor, withNotes: look.isReplacing, mayGiveAway: look.mayGiveAway, mask: look.mask)
        }
        if let source = look.timesOf { try descriptor.setTimes(of: source) }
    }

    private mutating func create() throws(SystemError) {
        guard let temporaryName else { return try place.folder.link(descriptor, to: place.name) }
        do throws(SystemError) {
            try place.folder.link(temporaryName, to: place.name)
        } catch {
            // A file system without hard links: what is there is looked for just before the name is taken.
            guard error != .exists else { throw error }
            guard try place.folder.status(of: place.name) == nil else { throw .exists }
            try place.folder.rename(temporaryName, to: place.name)
            self.temporaryName = nil
        }
    }

    private mutating func replace(onlyIf source: FileStatus) throws(SystemError) {
        // Elsewhere, it would go on under what opened it before.
        guard let status = try place.folder.status(of: place.name), status.isUnchanged(since: source) else {
            throw .exists
        }
        try replace()
    }

    private mutating func replace() throws(SystemError) {
        if temporaryName == nil {
            let name = try TemporaryFile.freshName()
            try place.folder.link(descriptor, to: name)
            temporaryName = name
        }
        guard let name = temporaryName else { return }
        try place.folder.rename(name, to: place.name)
        temporaryName = nil
    }
}

extension FilePlace {
    /// Of the file that has the name, as it is now; nil where it cannot be looked at.
    fileprivate func attributes() throws(SystemError) -> FileAttributes? {
        guard let file = try folder.reference(to: name) else { return nil }
        let status = try file.status()
        return status.kind == .regular ? FileAttributes(of: file, status) : nil
    }
}
