import CryptorFormat
import CryptorSystem

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

    /// Nil for a descriptor.
    init?(_ endpoint: FileEndpoint, _ attempt: FileAttempt) throws(CryptorError) {
        guard let address = try endpoint.address(attempt) else { return nil }
        try self.init(address, attempt)
    }

    /// - Throws: `EISDIR` if only a folder can have the address.
    init(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) {
        guard let name = address.path.name else { throw attempt.error(.isFolder) }
        folder = try Self.openFolder(FileAddress(path: address.path.folder, root: address.root), attempt)
        self.name = name
        isBelowFolder = address.root != nil
    }

    /// The place of the regular file that a link leads to, perhaps through other links.
    init(endOf address: FileAddress, _ target: FileStatus?, _ attempt: FileAttempt) throws(CryptorError) {
        if let path = try? FileSystem.realPath(of: address.path) {
            let place = try FilePlace(FileAddress(path: path, root: nil), attempt)
            if try attempt(try place.status())?.identity == target?.identity {
                self = place
                return
            }
        }
        // The link of a process to an open file (proc(5)) spells a path that may be another file's by now.
        throw attempt.failure(
            "It leads to an open file without a name, so no other file can take its place. Name its descriptor, or another "
                + "file.", because: .noSuchFile)
    }

    /// Opens a folder by its own address.
    static func openFolder(_ address: FileAddress, _ attempt: FileAttempt) throws(CryptorError) -> Folder {
        do throws(CryptorError) {
            guard let root = address.root else { return try attempt(try Folder.open(address.path)) }
            return try attempt(try root.folder.folder(below: address.path))
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

    /// Makes the names in the folder durable.
    func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) { try folder.synchronize(file) }

    /// `unlinkat(2)`.
    func remove() throws(SystemError) { try folder.remove(name) }

    /// The status of what the name itself is, for names that may be used only if they are trusted: those of outputs and
    /// of files with secrets. In a folder for everybody, another user could lead the output elsewhere by a link, or
    /// read it through a FIFO, or know a secret that is behind a link.
    func trustedStatus(_ attempt: FileAttempt) throws(CryptorError) -> FileStatus? {
        guard let status = try attempt(try status()) else { return nil }
        if isBelowFolder { try attempt.checkIsRegular(status) }
        if [.regular, .folder].contains(status.kind) { return status }
        guard status.isTrusted(in: try attempt(try folder.status())) else {
            throw attempt.failure(
                "It is a link, or no regular file, that another user put into a folder that everybody may write to. If it "
                    + "is the file that you mean, name the file itself.", because: .notPermitted)
        }
        return status
    }

    /// Opens the file for reading. Links are followed unless the place is below an ``OpenFolder``.
    func openInput(_ attempt: FileAttempt) throws(CryptorError) -> FileDescriptor {
        guard isBelowFolder else { return try attempt(try folder.open(name, for: .read, following: true)) }
        if let status = try attempt(try status()) { try attempt.checkIsRegular(status) }
        let file = try attempt(try folder.open(name, for: .read, following: false, waiting: false))
        // Another file may have taken the name since its status was read.
        try attempt.checkIsRegular(try attempt(try file.status()))
        return file
    }
}

extension FileAttempt {
    fileprivate var linkBelowFolder: CryptorError {
        failure(
            "It is, or its path goes through, a symbolic link, and no link is followed below the folder that was named. If it "
                + "is the file that you mean, name the file itself.", code: .invalidPath, because: .leadsElsewhere)
    }

    /// For a file below an ``OpenFolder``.
    fileprivate func checkIsRegular(_ status: FileStatus) throws(CryptorError) {
        switch status.kind {
        case .regular: return
        case .symbolicLink: throw linkBelowFolder
        case .folder: throw error(.isFolder)
        default:
            throw failure(
                "It is not a regular file, and nothing else is read or written below the folder that was named. If you mean "
                    + "it, name it by itself.", code: .invalidPath)
        }
    }
}
