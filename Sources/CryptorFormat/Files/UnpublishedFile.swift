import CryptorPrimitives

/// A file that is written without a name, or under a temporary one, and gets its name when it is complete.
///
/// Its folder is opened once, so nobody can have the file published elsewhere by replacing the folder meanwhile.
struct UnpublishedFile: ~Copyable {
    /// Which file may have the name when this one is published.
    private enum Publication {
        /// No file may have it.
        case creating
        /// Any file may have it. The status is that of the file that had the name when this one was opened.
        case replacing(FileStatus?)
        /// Only this file may have it, and nothing may have been done to it since but reading.
        case replacingUnchanged(FileStatus)
    }

    private let descriptor: FileDescriptor
    private let place: FilePlace
    private let publication: Publication
    /// The name that the file has until it is published, if it has one.
    private var temporaryName: FilePath?
    private let look: Look
    /// Whether others may read what is written before it is published, because the file system ignores permissions.
    let isExposed: Bool

    /// What the published file looks like to others.
    private struct Look {
        /// The attributes of the replaced file or of the source; nil for those that the umask and the folder give.
        var attributes: FileAttributes?
        /// Whether the attributes are those of the replaced file.
        var isReplacing = false
        var mayChangeOwner = true
        /// Nobody gets more rights than these attributes give; nil for no limit.
        var limit: FileAttributes?
        /// The most permissions that the file may get.
        var mask: mode_t = 0o777
        /// The file whose times this one gets.
        var timesOf: FileStatus?
    }

    private init(
        _ descriptor: consuming FileDescriptor, at place: consuming FilePlace, publication: Publication,
        temporaryName: FilePath?, look: Look, isExposed: Bool = false
    ) {
        self.isExposed = isExposed
        self.descriptor = descriptor
        self.place = place
        self.publication = publication
        self.temporaryName = temporaryName
        self.look = look
    }

    deinit {
        // A file that was not published must not stay. If it cannot be removed, its name says what it is.
        if let temporaryName { try? place.folder.remove(temporaryName) }
    }

    // MARK: Opening

    /// - Parameters:
    ///   - address: the address of a regular file, or of none yet.
    ///   - existing: the file that the address leads to, perhaps through links.
    static func open(
        _ address: FileAddress, leadingTo existing: FileStatus?, terms: OutputFile.Terms, source: OutputFile.Source?,
        beside sourcePlace: borrowing FilePlace?, attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        let replaced = terms.replacingOnly
        guard existing == nil || terms.overwriting || existing?.identity == replaced?.identity else {
            throw .destinationExists(attempt.name)
        }
        let place = try place(address, beside: sourcePlace, attempt)
        if existing == nil, !place.isBelowFolder, try place.status(attempt)?.kind == .symbolicLink {
            throw .danglingLink(attempt.name)
        }
        // The file that a link leads to is replaced, not the link.
        let resolved = try place.resolved(attempt)
        // The file must still be the one that the caller looked at, not one that came since.
        guard resolved.status?.kind != .symbolicLink else { throw .nameless(attempt.name) }
        guard resolved.status?.identity == existing?.identity else { throw .destinationChanged(attempt.name) }
        let publication: Publication =
            if let replaced {
                .replacingUnchanged(replaced)
            } else {
                terms.overwriting ? .replacing(existing) : .creating
            }
        let look = try look(
            at: resolved.place, existing: resolved.status, terms: terms, source: source, attempt: attempt)
        return try create(at: resolved.place, publication: publication, look: look, attempt: attempt)
    }

    /// A new file that only its owner may read.
    static func createPrivate(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> UnpublishedFile {
        let place = try FilePlace.ofFile(address, attempt)
        guard try place.status(attempt) == nil else { throw .destinationExists(attempt.name) }
        let file = try create(at: place, publication: .creating, look: Look(mask: 0o600), attempt: attempt)
        guard !file.isExposed else { throw .notPrivate(attempt.name) }
        return file
    }

    private static func place(
        _ address: FileAddress, beside sourcePlace: borrowing FilePlace?, _ attempt: FileAttempt
    ) throws(CryptorError) -> FilePlace {
        let beside = try sourcePlace?.beside(address, attempt)
        if let beside { return beside }
        return try FilePlace.ofFile(address, attempt)
    }

    private static func look(
        at place: borrowing FilePlace, existing: FileStatus?, terms: OutputFile.Terms,
        source: OutputFile.Source?, attempt: FileAttempt
    ) throws(CryptorError) -> Look {
        let attributes = source?.attributes
        var look = Look(timesOf: attributes == nil ? nil : source?.status)
        if let existing {
            look.attributes = try attempt.retrying { () throws(SystemError) in
                try place.attributes(of: existing) ?? FileAttributes(of: existing)
            }
            look.isReplacing = true
            if let attributes {
                look.limit = attributes
                look.mayChangeOwner = terms.changingOwner
            }
        } else if let attributes {
            look.attributes = attributes
            look.mayChangeOwner = terms.changingOwner
        }
        return look
    }

    private static func create(
        at place: consuming FilePlace, publication: Publication, look: Look, attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        // Until the file gets the permissions of another one, nobody else may open it.
        let mode = (look.attributes == nil ? 0o666 : 0o600) & look.mask
        if let anonymous = TemporaryFile.anonymous(in: place.folder, mode: mode) {
            return UnpublishedFile(anonymous, at: place, publication: publication, temporaryName: nil, look: look)
        }
        var look = look
        if look.attributes == nil, mode != 0o600 {
            look.attributes = try attributesOfNewFiles(in: place.folder, attempt)
        }
        let temporaryName = try attempt.retrying { () throws(SystemError) in try TemporaryFile.freshName() }
        let descriptor = try attempt.retrying { () throws(SystemError) in
            try place.folder.create(temporaryName, mode: 0o600)
        }
        let isExposed: Bool
        do throws(CryptorError) {
            isExposed = try attempt.retrying { () throws(SystemError) in
                try descriptor.status().mode & 0o077 != 0
            }
        } catch {
            try? place.folder.remove(temporaryName)
            throw error
        }
        return UnpublishedFile(
            descriptor, at: place, publication: publication, temporaryName: temporaryName, look: look,
            isExposed: isExposed)
    }

    /// The attributes that the umask and the folder give to a new file, taken from one that stays empty. The output
    /// itself has a name from the start here, so nobody else may open it before it is complete.
    private static func attributesOfNewFiles(
        in folder: borrowing Folder, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileAttributes {
        let file = try TemporaryFile.removed(in: folder, mode: 0o666, attempt)
        return try attempt.retrying { () throws(SystemError) in
            FileAttributes(of: file, try file.status())
        }
    }

    // MARK: Writing and publishing

    func write(_ bytes: [UInt8], name: FileName, progress: ProgressReporter) throws(CryptorError) {
        try descriptor.write(bytes, as: name, progress)
    }

    /// Makes the file durable and gives it its name, in one step.
    consuming func publish(_ name: FileName) throws(CryptorError) {
        do throws(SystemError) {
            try applyLook()
            try descriptor.synchronize()
            switch publication {
            case .creating: try create()
            case .replacing: try replace()
            case .replacingUnchanged(let status): try replace(onlyIf: status)
            }
        } catch {
            throw unpublishedLeftover(publicationError(error, name))
        }
        let leftover = removeTemporaryName(name)
        do throws(SystemError) { try place.folder.synchronize(descriptor) } catch { throw .notDurable(name, error) }
        if let leftover { throw leftover }
    }

    private func publicationError(_ error: SystemError, _ name: FileName) -> CryptorError {
        guard error == .exists else { return .inputOutput(.writingOutput, name, because: error) }
        if case .replacingUnchanged = publication { return .sourceChanged(name) }
        return .destinationExists(name)
    }

    /// Removes the file after a failure to publish it. If nothing may be removed from the folder, the file is made
    /// private instead, and the error says where it is.
    private mutating func unpublishedLeftover(_ failure: CryptorError) -> CryptorError {
        guard let temporaryName = temporaryName.take() else { return failure }
        do throws(SystemError) { try place.folder.remove(temporaryName) } catch {
            guard error != .noSuchFile else { return failure }
            try? descriptor.setMode(0o600)
            return failure.leaving(FileName(path: temporaryName.bytes))
        }
        return failure
    }

    /// Removes the temporary name after publication, if the file was given its name by a link.
    private mutating func removeTemporaryName(_ name: FileName) -> CryptorError? {
        guard let temporaryName = temporaryName.take() else { return nil }
        do throws(SystemError) { try place.folder.remove(temporaryName) } catch {
            guard error != .noSuchFile else { return nil }
            return .secondNameStays(name, second: FileName(path: temporaryName.bytes), because: error)
        }
        return nil
    }

    /// The status of the file that is replaced.
    private var replacedStatus: FileStatus? {
        switch publication {
        case .creating: nil
        case .replacing(let status): status
        case .replacingUnchanged(let status): status
        }
    }

    private mutating func applyLook() throws(SystemError) {
        // The times come first: once the file belongs to another user, this one might not be allowed to set them.
        if let source = look.timesOf { try descriptor.setTimes(of: source) }
        guard let attributes = look.attributes else { return }
        var mask = look.mask
        var current = attributes
        if look.isReplacing, let status = replacedStatus {
            // The attributes are read again because rights may have been taken away meanwhile. Rights that were added
            // meanwhile do not count, and neither do those of another file that has taken the name.
            current = try place.attributes(of: status) ?? attributes
            mask &= status.mode
        }
        // Once the file belongs to another user, this one might not be allowed to give it a name.
        if look.mayChangeOwner, current.owner != FileSystem.user { try takeTemporaryName() }
        try current.apply(
            to: descriptor, withNotes: look.isReplacing, mayChangeOwner: look.mayChangeOwner, mask: mask,
            limit: look.limit)
    }

    private mutating func takeTemporaryName() throws(SystemError) {
        guard temporaryName == nil else { return }
        let name = try TemporaryFile.freshName()
        try place.folder.link(descriptor, to: name)
        temporaryName = name
    }

    private mutating func create() throws(SystemError) {
        guard let temporaryName else { return try place.folder.link(descriptor, to: place.name) }
        do throws(SystemError) {
            try place.folder.renameUnlessTaken(temporaryName, to: place.name)
            self.temporaryName = nil
        } catch {
            guard error.isOfUnknownFlag else { throw error }
            try createByLink(temporaryName)
        }
    }

    private mutating func createByLink(_ temporaryName: FilePath) throws(SystemError) {
        do throws(SystemError) {
            try place.folder.link(temporaryName, to: place.name)
        } catch {
            // The file system has no hard links: whether the name is free is checked just before it is taken.
            guard error != .exists else { throw error }
            guard try place.folder.status(of: place.name) == nil else { throw .exists }
            try place.folder.rename(temporaryName, to: place.name)
            self.temporaryName = nil
        }
    }

    private mutating func replace() throws(SystemError) {
        try takeTemporaryName()
        guard let name = temporaryName else { return }
        try place.folder.rename(name, to: place.name)
        temporaryName = nil
    }

    /// A last look, and one rename. A change that somebody makes between the two is lost, as is one that leaves size and
    /// times of the source as they were.
    private mutating func replace(onlyIf source: FileStatus) throws(SystemError) {
        // A source that was moved or linked elsewhere would still open with its old credential there.
        guard let status = try place.folder.status(of: place.name), status.isUnchanged(since: source) else {
            throw .exists
        }
        try replace()
    }
}

extension SystemError {
    /// Whether `renameat2(2)` has failed because the system or the file system does not know a flag.
    var isOfUnknownFlag: Bool { [ENOSYS, EINVAL, ENOTSUP].contains(number) }
}

extension FilePlace {
    /// The current attributes of the file that has the name; nil if it is not the earlier file.
    fileprivate func attributes(of earlier: FileStatus) throws(SystemError) -> FileAttributes? {
        do throws(SystemError) {
            let reference = try SystemError.retryingInterrupted { () throws(SystemError) in
                try folder.reference(to: name)
            }
            guard let file = reference else {
                // The system has no descriptors that only refer to a file.
                let status = try folder.status(of: name)
                return status?.identity == earlier.identity ? status.map(FileAttributes.init(of:)) : nil
            }
            let status = try file.status()
            return status.identity == earlier.identity ? FileAttributes(of: file, status) : nil
        } catch {
            guard error == .noSuchFile else { throw error }
            return nil
        }
    }
}
