import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// A file that is written without a name, or under a private temporary one, and gets its name when it is complete.
///
/// Its folder is opened once, so nobody can have the file published elsewhere by replacing the folder meanwhile.
struct UnpublishedFile: ~Copyable {
    private let descriptor: FileDescriptor
    private let place: FilePlace
    private let publication: Publication
    private var look: Look
    /// The name that the file has until it is published, if it has one.
    private var temporaryName: FilePath?
    /// Whether others may read what is written before it is published, because the file system ignores permissions.
    let isExposed: Bool

    /// Which file may have the name when this one is published.
    private enum Publication {
        /// No file may have it.
        case creating
        /// Any file may have it.
        case replacing
        /// Only this file, which was read, and to which nothing may have been done since.
        case inPlace(FileStatus)
    }

    /// What the published file looks like to others.
    private struct Look {
        /// Nil for the attributes that the umask and the folder give.
        var attributes: FileAttributes?
        /// Whether these are the attributes of the file that is replaced. They are read again at the end.
        var isOfReplaced = false
        var mayChangeOwner = true
        /// The file whose times this one gets.
        var timesOf: FileStatus?
    }

    private init(
        _ descriptor: consuming FileDescriptor, at place: consuming FilePlace, _ publication: Publication, look: Look,
        temporaryName: FilePath?, isExposed: Bool
    ) {
        self.descriptor = descriptor
        self.place = place
        self.publication = publication
        self.look = look
        self.temporaryName = temporaryName
        self.isExposed = isExposed
    }

    deinit {
        // A file that was not published must not stay. If it cannot be removed, its name says what it is.
        if let temporaryName { try? place.folder.remove(temporaryName) }
    }

    // MARK: Opening

    /// - Parameter existing: the regular file that has the name now.
    static func open(
        at place: consuming FilePlace, replacing existing: FileStatus?, _ terms: OutputFile.Terms,
        source: OutputFile.Source?, _ attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        var look = Look(mayChangeOwner: terms.changingOwner || !terms.takingAttributes)
        if existing != nil {
            look.attributes = try attempt(try place.folder.attributes(of: place.name))
            look.isOfReplaced = true
        } else {
            look.attributes = source?.attributes
        }
        look.timesOf = source?.attributes == nil ? nil : source?.status
        let publication: Publication =
            if let source = terms.inPlaceOf { .inPlace(source) } else { terms.overwriting ? .replacing : .creating }
        return try create(at: place, publication, look: look, mode: look.attributes == nil ? 0o666 : 0o600, attempt)
    }

    /// A new file that only its owner may read.
    static func createPrivate(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> UnpublishedFile {
        let place = try FilePlace(address, attempt)
        guard try attempt(try place.status()) == nil else { throw attempt.destinationExists }
        let file = try create(at: place, .creating, look: Look(), mode: 0o600, attempt)
        guard !file.isExposed else {
            throw attempt.failure(
                "The file system lets others read it, whatever its permissions are to be. Choose a folder on another one.",
                because: .notPermitted)
        }
        return file
    }

    /// - Parameter mode: the permissions of the published file, to which the umask is applied.
    private static func create(
        at place: consuming FilePlace, _ publication: Publication, look: Look, mode: FileMode, _ attempt: FileAttempt
    ) throws(CryptorError) -> UnpublishedFile {
        if let anonymous = place.folder.openAnonymous(mode: mode) {
            return UnpublishedFile(
                anonymous, at: place, publication, look: look, temporaryName: nil, isExposed: false)
        }
        var look = look
        if mode != 0o600 {
            // Nobody else may open the file before it is complete. What the umask and the folder give to a new file is
            // taken from one that stays empty.
            let sample = try TemporaryFile.removed(in: place.folder, mode: mode, attempt)
            look.attributes = try attempt(try sample.attributes(sample.status()))
        }
        let name = try attempt(try TemporaryFile.freshName())
        let descriptor = try attempt(try place.folder.create(name, mode: 0o600))
        do throws(SystemError) {
            let isExposed = try descriptor.status().mode & 0o077 != 0
            return UnpublishedFile(
                descriptor, at: place, publication, look: look, temporaryName: name, isExposed: isExposed)
        } catch {
            try? place.folder.remove(name)
            throw attempt.error(error)
        }
    }

    // MARK: Writing and publishing

    func write(_ bytes: [UInt8], _ attempt: FileAttempt) throws(CryptorError) {
        try descriptor.write(bytes, attempt)
    }

    /// Makes the file durable and gives it its name, in one step.
    consuming func publish(_ attempt: FileAttempt) throws(CryptorError) {
        do throws(SystemError) {
            try applyLook()
            try descriptor.synchronize()
            switch publication {
            case .creating: try create()
            case .replacing: try replace()
            case .inPlace(let source):
                // The last look. A change that somebody makes between this and the rename is lost, as is one that leaves
                // size and times of the source as they were.
                guard let status = try place.folder.status(of: place.name), status.isUnchanged(since: source) else {
                    throw .exists
                }
                try replace()
            }
        } catch {
            throw leftover(after: failure(error, attempt), attempt)
        }
        let second = secondName(attempt)
        do throws(SystemError) { try place.folder.synchronize(descriptor) } catch {
            throw attempt.published(
                "It is complete and has its name. Whether the name outlives a power failure is not certain: \(error).",
                because: error)
        }
        if let second { throw second }
    }

    private mutating func applyLook() throws(SystemError) {
        // The times come first: once the file belongs to another user, this one might not be allowed to set them.
        if let source = look.timesOf { try descriptor.setTimes(of: source) }
        // Rights may have been taken from the replaced file meanwhile.
        if look.isOfReplaced, let current = try place.folder.attributes(of: place.name) { look.attributes = current }
        guard let attributes = look.attributes else { return }
        // Once the file belongs to another user, this one might not be allowed to give it a name.
        if look.mayChangeOwner, attributes.owner != FileSystem.user { try takeTemporaryName() }
        try attributes.apply(
            to: descriptor, mayChangeOwner: look.mayChangeOwner, keepingList: look.timesOf == nil || look.isOfReplaced)
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
        do throws(SystemError) { try place.folder.link(temporaryName, to: place.name) } catch {
            // The file system has no hard links: whether the name is free is checked just before it is taken.
            guard error != .exists, try place.folder.status(of: place.name) == nil else { throw .exists }
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

    // MARK: Failures

    private func failure(_ error: SystemError, _ attempt: FileAttempt) -> CryptorError {
        guard error == .exists else { return attempt.error(error) }
        guard case .inPlace = publication else { return attempt.destinationExists }
        return attempt.failure(
            "It was changed, moved or exchanged while it was being worked on, and was not replaced. Try again.")
    }

    /// Removes the file after a failure to publish it. If nothing may be removed from the folder, the file is made
    /// private instead, and the error says where it is.
    private mutating func leftover(after failure: CryptorError, _ attempt: FileAttempt) -> CryptorError {
        guard let temporaryName = temporaryName.take() else { return failure }
        do throws(SystemError) { try place.folder.remove(temporaryName) } catch {
            guard error != .noSuchFile else { return failure }
            try? descriptor.setMode(0o600)
            return failure.leaving(FileName(path: temporaryName.bytes))
        }
        return failure
    }

    /// Removes the temporary name after publication, if the file was given its name by a link.
    private mutating func secondName(_ attempt: FileAttempt) -> CryptorError? {
        guard let name = temporaryName.take() else { return nil }
        do throws(SystemError) { try place.folder.remove(name) } catch {
            guard error != .noSuchFile else { return nil }
            return attempt.published(
                "It is complete and has its name. In the same folder it also has the name \(FileName(path: name.bytes).shown), "
                    + "which cannot be removed: \(error). Remove that one.", because: error)
        }
        return nil
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
    static func freshName() throws(SystemError) -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return try FilePath("\(namePrefix)\(String(repeating: "0", count: 16 - digits.count))\(digits)")
    }

    /// A file whose name is removed at once, for systems where a file cannot be created without one.
    static func removed(
        in folder: borrowing Folder, mode: FileMode, _ attempt: FileAttempt
    ) throws(CryptorError) -> FileDescriptor {
        let name = try attempt(try freshName())
        let file = try attempt(try folder.create(name, mode: mode))
        do throws(SystemError) { try folder.remove(name) } catch {
            throw error == .noSuchFile
                ? attempt.error(error) : attempt.error(error).leaving(FileName(path: name.bytes))
        }
        return file
    }
}
