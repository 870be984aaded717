import CryptorPrimitives

/// The place of a file that exists or will be written: a folder, which is opened once, and a name in it.
///
/// If somebody replaces the folder, or a link on the way to it, the place stays in the folder that was opened. Other
/// users' links in world-writable folders are not followed, neither to the folder nor to the file.
struct FilePlace: ~Copyable {
    let folder: Folder
    let name: FilePath
    private let folderAddress: FileAddress

    /// Whether the place is below an ``OpenFolder``: no link is followed there, and only regular files are opened.
    var isBelowFolder: Bool { folderAddress.root != nil }

    /// - Returns: nil if there is no address, or if only a folder can have it.
    static func open(_ address: FileAddress?, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard let address, let name = address.path.name else { return nil }
        let folderAddress = address.folder
        let folder = try openingFolder(attempt) { () throws(SystemError) -> Folder in try folderAddress.openFolder() }
        return FilePlace(folder: folder, name: name, folderAddress: folderAddress)
    }

    /// Opens the place like `open`, but throws `EISDIR` instead of returning nil.
    static func ofFile(_ address: FileAddress?, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace {
        guard let place = try open(address, attempt) else { throw attempt.error(.isFolder) }
        return place
    }

    static func openingFolder(
        _ attempt: FileAttempt,
        _ body: () throws(SystemError) -> Folder
    ) throws(CryptorError) -> Folder {
        try attempt.explainingLinks { () throws(CryptorError) in
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

    /// The place of another file in this very folder; nil if the address names no file in it.
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
    /// - Returns: nil if only a folder can be there.
    private func place(_ target: FilePath, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard let targetName = target.name else { return nil }
        let targetFolder = try Self.openingFolder(attempt) { () throws(SystemError) -> Folder in
            try folder.folder(target.folder)
        }
        return FilePlace(
            folder: targetFolder, name: targetName, folderAddress: FileAddress(path: target.folder, root: nil))
    }

    /// Where a name leads in the end: the last place of a chain of links, or the name's own place.
    struct Resolved: ~Copyable {
        let place: FilePlace
        /// The status of the file that has the name there; nil if there is none.
        let status: FileStatus?
    }

    /// Follows links, one after the other, until a name is not a link.
    ///
    /// A link from a process to one of its open files leads there without a path (proc(5)). For an input, such a link
    /// is the end. An output that is replaced needs a path: the one in the link is followed if it leads to the same
    /// file.
    func resolved(_ attempt: FileAttempt) throws(CryptorError) -> Resolved {
        var place = try inThisFolder(name, attempt)
        for _ in 0...Folder.maximumLinkCount {
            let status = try place.status(attempt)
            guard status?.kind == .symbolicLink else { return Resolved(place: place, status: status) }
            guard !place.isBelowFolder else { throw .linkBelowFolder(attempt.operation, attempt.name) }
            let found = try attempt.retrying { () throws(SystemError) in
                (link: try place.folder.link(place.name), folder: try place.folder.status())
            }
            // Nil means that something else has taken the link's place a moment ago.
            guard let link = found.link else { continue }
            guard link.status.mayBeFollowed(in: found.folder) else {
                throw .foreignLink(attempt.operation, attempt.name)
            }
            if place.folder.isProcFolder {
                let hasPath =
                    attempt.operation != .openingInput && place.folder.targetIsSameFile(link, named: place.name)
                guard hasPath else { return Resolved(place: place, status: link.status) }
            }
            guard let next = try place.place(link.target, attempt) else { break }
            place = next
        }
        throw attempt.error(.tooManyLinks)
    }

    /// Opens the file that the name leads to.
    func openFile(for access: FileDescriptor.Access, _ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        let resolved = try resolved(attempt)
        guard isBelowFolder else { return try resolved.openFile(for: access, attempt) }
        if let status = resolved.status { try checkIsRegular(status, attempt) }
        let file = try attempt.explainingLinks { () throws(CryptorError) in try resolved.openFile(for: access, attempt)
        }
        // Another file may have taken the name since its status was read.
        try checkIsRegular(try attempt.retrying { () throws(SystemError) in try file.status() }, attempt)
        return file
    }

    private func checkIsRegular(_ status: FileStatus, _ attempt: FileAttempt) throws(CryptorError) {
        guard status.kind != .regular else { return }
        throw status.kind == .folder ? attempt.error(.isFolder) : .irregularBelowFolder(attempt.operation, attempt.name)
    }

    /// `fstatat(2)`, which does not follow a link; nil if there is no such file.
    func status(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        try attempt.retrying { () throws(SystemError) in try folder.status(of: name) }
    }
}

extension FilePlace.Resolved {
    /// Opens the file. For a FIFO that is opened for writing, this waits until it has a reader.
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
                // A link has taken the name since its status was read.
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

    /// How long to wait for another program to release its lease on a file (fcntl(2)). The system ends the lease, by
    /// default after 45 seconds, but the file's owner may have taken another one by then.
    private static let leaseMilliseconds = 60_000
    /// Below an ``OpenFolder`` other users may write, and must not be able to hold up the work for long.
    private static let leaseMillisecondsBelowFolder = 1000
}

/// The address of a file: a path that begins in the process's working directory or in an open folder.
struct FileAddress: Sendable, Hashable {
    let path: FilePath
    /// The folder that the path begins in; nil for the working directory.
    let root: OpenFolder?

    /// The address of the folder that the file is in.
    var folder: FileAddress { FileAddress(path: path.folder, root: root) }

    func openFolder() throws(SystemError) -> Folder {
        guard let root else { return try Folder.open(path) }
        return try root.folder.folder(path, followingLinks: false)
    }

    /// The status of the file, through links unless there is a root; nil if there is no file.
    func status(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        guard root != nil else {
            return try attempt.retrying { () throws(SystemError) in try FileSystem.status(of: path) }
        }
        // Links are not followed here either: the status would reveal what lies outside the folder.
        return try FilePlace.ofFile(self, attempt).resolved(attempt).status
    }
}
