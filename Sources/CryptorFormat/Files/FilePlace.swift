import CryptorPrimitives

/// Where a file has its name, or is to have it: a folder that is opened once, and a name in it.
///
/// Whoever exchanges the folder under its path meanwhile, or a link on the way to it, moves nothing. Links of other users in
/// folders for everybody are not followed, neither to the folder nor to the file.
struct FilePlace: ~Copyable {
    let folder: Folder
    let name: FilePath
    private let folderAddress: FileAddress

    /// Whether no link is followed to it, and it is a regular file or none.
    var isBelowFolder: Bool { folderAddress.root != nil }

    /// - Returns: nil for no address, and for one that can be of a folder only.
    static func open(_ address: FileAddress?, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard let address, let name = address.path.name else { return nil }
        let folderAddress = address.folder
        let folder = try openingFolder(attempt) { () throws(SystemError) -> Folder in try folderAddress.openFolder() }
        return FilePlace(folder: folder, name: name, folderAddress: folderAddress)
    }

    /// The same, of what has to be a file.
    static func ofFile(_ address: FileAddress?, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace {
        guard let place = try open(address, attempt) else { throw attempt.error(.isFolder) }
        return place
    }

    static func openingFolder(
        _ attempt: FileAttempt,
        _ body: () throws(SystemError) -> Folder
    ) throws(CryptorError) -> Folder {
        try attempt.naming { () throws(CryptorError) in
            do throws(CryptorError) { return try attempt.retrying(body) } catch {
                switch error.systemErrorNumber {
                case SystemError.notPermitted.number: throw .foreignLink(attempt.operation, attempt.name)
                case SystemError.noSuchFile.number where attempt.operation == .creatingOutput:
                    throw .missingFolder(attempt.name)
                default: throw error
                }
            }
        }
    }

    /// A place beside this one: in the very same folder, if the path says that it is in the same one.
    func beside(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard address.folder == folderAddress, let name = address.path.name else { return nil }
        return try inThisFolder(name, attempt)
    }

    private func inThisFolder(_ name: FilePath, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace {
        let duplicate = try attempt.retrying { () throws(SystemError) in try folder.duplicate() }
        return FilePlace(folder: duplicate, name: name, folderAddress: folderAddress)
    }

    // MARK: Links

    /// The place that a symbolic link in this folder leads to.
    /// - Returns: nil if that can be a folder only.
    private func place(_ target: FilePath, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard let targetName = target.name else { return nil }
        let targetFolder = try Self.openingFolder(attempt) { () throws(SystemError) -> Folder in
            try folder.folder(target.folder)
        }
        return FilePlace(
            folder: targetFolder, name: targetName, folderAddress: FileAddress(path: target.folder, root: nil))
    }

    /// Where a name leads to that may be a link.
    struct End: ~Copyable {
        let place: FilePlace
        /// Of what has the name there; nil if nothing has.
        let status: FileStatus?
    }

    /// Follows links, one after the other, to a name that is none.
    ///
    /// A link of a process to one of its files leads there by no path (proc(5)): for an input it is the end. An output that is
    /// to be replaced needs a path, and has one if that leads to the same file.
    func end(_ attempt: FileAttempt) throws(CryptorError) -> End {
        var place = try inThisFolder(name, attempt)
        for _ in 0...Folder.maximumLinkCount {
            let status = try place.status(attempt)
            guard status?.kind == .symbolicLink else { return End(place: place, status: status) }
            guard !place.isBelowFolder else { throw .linkBelowFolder(attempt.operation, attempt.name) }
            let found = try attempt.retrying { () throws(SystemError) in
                (link: try place.folder.link(place.name), folder: try place.folder.status())
            }
            // Nil: it was exchanged for something else a moment ago.
            guard let link = found.link else { continue }
            guard link.status.mayBeFollowed(in: found.folder) else {
                throw .foreignLink(attempt.operation, attempt.name)
            }
            if place.folder.isOfProcesses {
                let hasPath = attempt.operation != .openingInput && place.folder.isTruthful(link, named: place.name)
                guard hasPath else { return End(place: place, status: link.status) }
            }
            guard let next = try place.place(link.target, attempt) else { break }
            place = next
        }
        throw attempt.error(.tooManyLinks)
    }

    /// Opens what the name leads to.
    func openFile(for access: FileDescriptor.Access, _ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        let end = try end(attempt)
        guard isBelowFolder else { return try end.openFile(for: access, attempt) }
        if let status = end.status { try checkIsRegular(status, attempt) }
        let file = try attempt.naming { () throws(CryptorError) in try end.openFile(for: access, attempt) }
        // It may have come a moment ago.
        try checkIsRegular(try attempt.retrying { () throws(SystemError) in try file.status() }, attempt)
        return file
    }

    private func checkIsRegular(_ status: FileStatus, _ attempt: FileAttempt) throws(CryptorError) {
        guard status.kind != .regular else { return }
        throw status.kind == .folder ? attempt.error(.isFolder) : .irregularBelowFolder(attempt.operation, attempt.name)
    }

    /// `fstatat(2)`, of a link itself; nil if there is no such file.
    func status(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        try attempt.retrying { () throws(SystemError) in try folder.status(of: name) }
    }
}

extension FilePlace.End {
    /// Opens it, and waits for the reader of a FIFO that is to be written.
    func openFile(for access: FileDescriptor.Access, _ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        let isLink = status?.kind == .symbolicLink
        var isLeased = false
        var milliseconds = place.isBelowFolder ? Self.leaseMillisecondsBelowFolder : Self.leaseMilliseconds
        func open() throws(SystemError) -> FileDescriptor {
            do throws(SystemError) {
                return try place.folder.open(place.name, for: access, following: isLink)
            } catch {
                if error == .wouldBlock {
                    guard milliseconds > 0 else {
                        isLeased = true
                        throw .busy
                    }
                    milliseconds -= Int(ProgressReporter.patience)
                }
                // A link that came a moment ago.
                if error == .tooManyLinks, place.isBelowFolder { throw .leadsElsewhere }
                guard access == .write, error == .hasNoReader,
                    try place.folder.status(of: place.name, following: true)?.kind == .fifo
                else { throw error }
                throw .wouldBlock
            }
        }
        do throws(CryptorError) { return try attempt.opening(open) } catch {
            throw isLeased ? .leased(attempt.operation, attempt.name) : error
        }
    }

    /// How long another program's lease on a file is waited for (fcntl(2)). The system takes it away, after 45 seconds unless told
    /// otherwise; but whoever owns the file may have another one by then.
    private static let leaseMilliseconds = 60_000
    /// Where others may write, it is not for them to hold anybody up.
    private static let leaseMillisecondsBelowFolder = 1000
}

/// Where a file is found: by a path from where the process is, or from a folder that is open.
struct FileAddress: Sendable, Hashable {
    let path: FilePath
    /// Nil for where the process is.
    let root: OpenFolder?

    /// Of the folder that it is in.
    var folder: FileAddress { FileAddress(path: path.folder, root: root) }

    func openFolder() throws(SystemError) -> Folder {
        guard let root else { return try Folder.open(path) }
        return try root.folder.folder(path, followingLinks: false)
    }

    /// Of the file, through links where these are followed; nil if there is none.
    func status(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        guard root != nil else {
            return try attempt.retrying { () throws(SystemError) in try FileSystem.status(of: path) }
        }
        // Nothing may be looked at that links lead to: what is there would be told.
        return try FilePlace.ofFile(self, attempt).end(attempt).status
    }
}
