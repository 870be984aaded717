import CryptorSystem
import CryptorFormat
import CryptorPrimitives

/// The address of a file: a path that begins in the process's working directory or in an open folder.
struct FileAddress: Sendable, Hashable {
    let path: FilePath
    /// The folder that the path begins in; nil for the working directory.
    let root: OpenFolder?
}

/// The place of a file that exists or will be written: a folder, which is opened once, and a name in it.
///
/// If somebody replaces the folder, or a link on the way to it, the place stays in the folder that was opened.
struct FilePlace: ~Copyable {
    let folder: Folder
    let name: FilePath
    /// Whether the place is below an ``OpenFolder``: no link is followed there, and only regular files are opened.
    let isBelowFolder: Bool

    static func openIfAny(_ address: FileAddress?, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace? {
        guard let address else { return nil }
        return try open(address, attempt)
    }

    /// - Throws: `EISDIR` if only a folder can have the address.
    static func open(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> FilePlace {
        guard let name = address.path.name else { throw attempt.error(.isFolder) }
        let folder = try openFolder(FileAddress(path: address.path.folder, root: address.root), attempt)
        return FilePlace(folder: folder, name: name, isBelowFolder: address.root != nil)
    }

    /// Opens a folder by its own address.
    static func openFolder(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> Folder {
        do throws(CryptorError) {
            return try attempt.retrying { () throws(SystemError) -> Folder in
                guard let root = address.root else { return try Folder.open(address.path) }
                return try root.folder.folder(below: address.path)
            }
        } catch {
            switch error.systemErrorNumber {
            case SystemError.leadsElsewhere.number: throw attempt.linkBelowFolder
            case SystemError.noSuchFile.number where attempt.operation == .creatingOutput:
                throw attempt.failure(
                    "It would be in a folder that does not exist. Make the folder first, or name another.",
                    because: .noSuchFile)
            default: throw error
            }
        }
    }

    /// `fstatat(2)`: the status of a link itself; nil if there is no such file.
    func status() throws(SystemError) -> FileStatus? { try folder.status(of: name) }

    /// `unlinkat(2)`.
    func remove() throws(SystemError) { try folder.remove(name) }

    func status(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        try attempt.retrying { () throws(SystemError) in try status() }
    }

    /// The status of what the name itself is, for names that may be used only if they are trusted: those of outputs and
    /// of files with secrets. In a folder for everybody, another user could lead the output elsewhere by a link, or
    /// read it through a FIFO, or know a secret that is behind a link.
    func trustedStatus(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        guard let status = try status(attempt), ![.regular, .folder].contains(status.kind) else {
            return try status(attempt)
        }
        guard !isBelowFolder else {
            throw status.kind == .symbolicLink ? attempt.linkBelowFolder : attempt.irregularBelowFolder
        }
        guard status.isTrusted(in: try attempt.retrying { () throws(SystemError) in try folder.status() }) else {
            throw attempt.failure(
                "It is a link, or no regular file, that another user put into a folder that everybody may write to. If it "
                    + "is the file that you mean, name the file itself.", because: .notPermitted)
        }
        return status
    }

    /// Opens the file for reading. Links are followed unless the place is below an ``OpenFolder``.
    func openInput(_ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        guard isBelowFolder else {
            return try attempt.retrying { () throws(SystemError) in
                try folder.open(name, for: .read, following: true)
            }
        }
        func check(_ status: FileStatus?) throws(CryptorError) {
            switch status?.kind {
            case .regular?, nil: return
            case .symbolicLink?: throw attempt.linkBelowFolder
            case .folder?: throw attempt.error(.isFolder)
            default: throw attempt.irregularBelowFolder
            }
        }
        try check(try status(attempt))
        let file = try attempt.retrying { () throws(SystemError) in
            try folder.open(name, for: .read, following: false, waiting: false)
        }
        // Another file may have taken the name since its status was read.
        try check(try attempt.retrying { () throws(SystemError) in try file.status() })
        return file
    }
}

extension FileAttempt {
    var linkBelowFolder: CryptorError {
        failure(
            "It is, or its path goes through, a symbolic link, and no link is followed below the folder that was named. If it "
                + "is the file that you mean, name the file itself.", code: .notInFolder, because: .leadsElsewhere)
    }

    fileprivate var irregularBelowFolder: CryptorError {
        failure(
            "It is not a regular file, and nothing else is read or written below the folder that was named. If you mean it, "
                + "name it by itself.", code: .notInFolder)
    }
}
