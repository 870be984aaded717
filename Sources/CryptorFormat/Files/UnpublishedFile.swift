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
    private let folder: Folder
    /// In the folder.
    private let fileName: FilePath
    private let publication: Publication
    /// The name it has until then, if it has one.
    private var temporaryName: FilePath?
    private let look: Look

    /// What the published file looks like to others.
    private struct Look {
        /// Of the file whose place it takes, or of the source; nil for what the umask and the folder say.
        var attributes: FileAttributes?
        var withNotes = false
        var mayGiveAway = true
        /// The permissions at the most.
        var mask: mode_t = 0o777
        /// Whose times it gets.
        var timesOf: FileStatus?
        /// Where it was created with less than the umask leaves.
        var mode: mode_t?
    }

    private init(
        _ descriptor: consuming FileDescriptor, in folder: consuming Folder, _ fileName: FilePath,
        _ publication: Publication, _ temporaryName: FilePath?, _ look: Look
    ) {
        self.descriptor = descriptor
        self.folder = folder
        self.fileName = fileName
        self.publication = publication
        self.temporaryName = temporaryName
        self.look = look
    }

    deinit {
        // Not published: nothing may stay. If even that fails, the name says what the file is.
        if let temporaryName { try? folder.remove(temporaryName) }
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
            terms.overwriting ? .replacing : isSource ? .replacingSource(source.status) : .creating
        var folder = try open(path.folder, name, progress)
        guard var fileName = path.name else { throw .inputOutput(.creatingOutput, name, .isFolder) }
        var status = try status(of: fileName, in: folder, name, progress)
        if let link = status, link.kind == .symbolicLink {
            // The file that a link leads to is replaced, not the link.
            guard existing != nil else { throw .danglingLink(name) }
            guard try mayFollow(link, in: folder, name, progress) else { throw .foreignLink(name) }
            let target = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
                try FileSystem.resolved(path)
            }
            folder = try open(target.folder, name, progress)
            fileName = target.name ?? fileName
            status = try Self.status(of: fileName, in: folder, name, progress)
        }
        // What was looked at above, and nothing that came since.
        guard status?.identity == existing?.identity else { throw .destinationExists(name) }
        let look = try look(fileName, status, in: folder, terms, source, name, progress)
        return try create(in: folder, fileName, publication, look, name, progress)
    }

    private static func open(
        _ folder: FilePath, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Folder {
        try progress.retrying(.creatingOutput, name) { () throws(SystemError) in try Folder.open(folder) }
    }

    private static func status(
        of fileName: FilePath, in folder: borrowing Folder, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> FileStatus? {
        try progress.retrying(.creatingOutput, name) { () throws(SystemError) in try folder.status(of: fileName) }
    }

    /// In a folder that everybody may write to, such as /tmp, only links of this user and of the folder's owner: the rule
    /// that Linux has for them where `fs.protected_symlinks` is set (proc(5)).
    private static func mayFollow(
        _ link: FileStatus, in folder: borrowing Folder, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Bool {
        let status = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in try folder.status() }
        let isForEverybody = status.mode & 0o1002 == 0o1002
        return !isForEverybody || [FileSystem.user, status.owner].contains(link.owner)
    }

    private static func look(
        _ fileName: FilePath, _ existing: FileStatus?, in folder: borrowing Folder, _ terms: OutputFile.Terms,
        _ source: borrowing InputFile, _ name: FileName, _ progress: ProgressReporter
    ) throws(CryptorError) -> Look {
        let takesAfterSource = terms.takingAttributes && source.status.kind == .regular
        var look = Look(timesOf: takesAfterSource ? source.status : nil)
        if let existing {
            look.attributes = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
                guard let file = try folder.reference(to: fileName) else { return FileAttributes(of: existing) }
                return FileAttributes(of: file, try file.status())
            }
            look.withNotes = true
            if takesAfterSource { look.mask = source.attributes.mask(forFileOf: existing) }
        } else if takesAfterSource {
            look.attributes = source.attributes
            look.mayGiveAway = terms.givingAway
        }
        return look
    }

    private static func create(
        in folder: consuming Folder, _ fileName: FilePath, _ publication: Publication, _ look: Look, _ name: FileName,
        _ progress: ProgressReporter
    ) throws(CryptorError) -> UnpublishedFile {
        // Nobody else may look at it before it has the permissions of another file.
        let mode: mode_t = look.attributes == nil ? 0o666 : 0o600
        if let anonymous = TemporaryFile.anonymous(in: folder, mode: mode) {
            return UnpublishedFile(anonymous, in: folder, fileName, publication, nil, look)
        }
        var look = look
        if look.attributes == nil { look.mode = 0o666 & ~FileSystem.fileCreationMask() }
        let temporaryName: FilePath
        do throws(SystemError) { temporaryName = try TemporaryFile.freshName() } catch {
            throw .inputOutput(.creatingOutput, name, error)
        }
        let descriptor = try progress.retrying(.creatingOutput, name) { () throws(SystemError) in
            try folder.create(temporaryName, mode: 0o600)
        }
        return UnpublishedFile(descriptor, in: folder, fileName, publication, temporaryName, look)
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
            if error == .exists { throw .destinationExists(name) }
            throw .inputOutput(.writingOutput, name, error)
        }
        let leftover = removeTemporaryName(name)
        do throws(SystemError) { try folder.synchronize(descriptor) } catch { throw .notDurable(name, error) }
        if let leftover { throw leftover }
    }

    /// Of a file that has its own name now.
    private mutating func removeTemporaryName(_ name: FileName) -> CryptorError? {
        guard let temporaryName = temporaryName.take() else { return nil }
        do throws(SystemError) { try folder.remove(temporaryName) } catch {
            return .secondNameStays(name, FileName(path: temporaryName.bytes), error)
        }
        return nil
    }

    private func takeLook() throws(SystemError) {
        if let attributes = look.attributes {
            try attributes.apply(
                to: descriptor, withNotes: look.withNotes, mayGiveAway: look.mayGiveAway, mask: look.mask)
        } else if let mode = look.mode {
            try descriptor.setMode(mode)
        }
        if let source = look.timesOf { try descriptor.setTimes(of: source) }
    }

    private mutating func create() throws(SystemError) {
        guard let temporaryName else { return try folder.link(descriptor, to: fileName) }
        do throws(SystemError) {
            try folder.link(temporaryName, to: fileName)
        } catch {
            // A file system without hard links: what is there is looked for just before the name is taken.
            guard error != .exists else { throw error }
            guard try folder.status(of: fileName) == nil else { throw .exists }
            try folder.rename(temporaryName, to: fileName)
            self.temporaryName = nil
        }
    }

    private mutating func replace(onlyIf source: FileStatus) throws(SystemError) {
        guard let status = try folder.status(of: fileName) else { return try create() }
        guard status.isUnchanged(since: source) else { throw .exists }
        try replace()
    }

    private mutating func replace() throws(SystemError) {
        if temporaryName == nil {
            let name = try TemporaryFile.freshName()
            try folder.link(descriptor, to: name)
            temporaryName = name
        }
        guard let name = temporaryName else { return }
        try folder.rename(name, to: fileName)
        temporaryName = nil
    }
}
