import CryptorFormat
import CryptorSystem

/// The place of a file that exists or will be written: a directory, which is opened once, and a
/// name in it.
struct FilePlace: ~Copyable {
    let context: FileContext
    let directory: DirectoryDescriptor
    let name: FilePath
    private let givenPath: [UInt8]
    /// Whether the place is below a ``Directory``: no link is followed there, and only regular
    /// files are opened.
    let isBelowDirectory: Bool

    /// Nil for a descriptor.
    init?(_ endpoint: FileEndpoint, _ context: FileContext) throws(CryptorError) {
        guard let path = try endpoint.address(context) else { return nil }
        directory = try context.call(try endpoint.directory(at: path.directory))
        self.context = context
        name = path.name
        givenPath = endpoint.pathBytes ?? []
        isBelowDirectory = endpoint.root != nil
    }

    /// The part of the path before the name, as it was given.
    var directoryPath: [UInt8] {
        guard let slash = givenPath.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        return Array(givenPath[...slash])
    }

    // MARK: For callers that explain the system's errors themselves

    /// `fstatat(2)`: the status of the file that has the name now, for a link its own; nil if there
    /// is none.
    func currentStatus() throws(SystemError) -> FileStatus? { try directory.status(of: name) }

    /// `unlinkat(2)`.
    func remove() throws(SystemError) { try directory.remove(name) }

    /// Makes the names in the directory durable.
    /// - Parameter file: a file in the directory.
    func synchronize(_ file: borrowing FileDescriptor) throws(SystemError) {
        try directory.synchronize(file)
    }

    // MARK: For others

    /// `fstatat(2)`: the status of a link itself unless it is followed; nil if there is no such
    /// file.
    func status(following: Bool = false) throws(CryptorError) -> FileStatus? {
        try context.call(try directory.status(of: name, following: following))
    }

    /// `fstat(2)` of the directory.
    func directoryStatus() throws(CryptorError) -> FileStatus {
        try context.call(try directory.status())
    }

    /// The status of the name itself, for names that may be used only if they are trusted: those of
    /// outputs and of files with secrets. In a directory that others write to, another user could
    /// redirect the output by a link, or read it through a FIFO, or know the secret that a link
    /// leads to.
    func trustedStatus() throws(CryptorError) -> FileStatus? {
        guard let status = try status() else { return nil }
        if isBelowDirectory { try checkIsRegular(status) }
        if [.regular, .directory].contains(status.kind) { return status }
        guard status.isTrusted(in: try directoryStatus()) else {
            let advice =
                status.kind == .symbolicLink
                ? "If you trust it, name the file that it leads to." : "Use another directory."
            throw context.failure(
                """
                It is a link or not a regular file, in a directory that others can write to, so \
                another user may have put it there. \(advice)
                """,
                because: .notPermitted)
        }
        return status
    }

    /// Opens the file. Links are followed unless the place is below a ``Directory``.
    func open(for access: FileDescriptor.Access) throws(CryptorError) -> FileDescriptor {
        // A FIFO or a device notices that it is opened.
        if isBelowDirectory, let named = try status() { try checkIsRegular(named) }
        let file = try context.call(
            try directory.open(name, for: access, following: !isBelowDirectory))
        if isBelowDirectory { try checkIsRegular(try context.call(try file.status())) }
        return file
    }

    /// For a file below a ``Directory``.
    private func checkIsRegular(_ status: FileStatus) throws(CryptorError) {
        switch status.kind {
        case .regular: return
        case .symbolicLink: throw context.failure(of: .leadsElsewhere)
        case .directory: throw context.failure(of: .isDirectory)
        default:
            throw context.failure(
                """
                It is not a regular file, and only regular files are used below a named directory. \
                To use it, name it directly.
                """,
                code: .invalidPath)
        }
    }
}
