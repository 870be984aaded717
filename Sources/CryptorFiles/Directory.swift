public import CryptorFormat
package import CryptorSystem

/// A directory that is opened once. Names are looked up in this very directory, even if somebody
/// moves or replaces it meanwhile.
///
/// Use it for directories that others may write to, and for names that come from others:
/// `.file(_:in:)` names a file in it, and `.path(_:below:)` one at any depth below it. The
/// directory stays open while this object, or a ``FileEndpoint`` below it, exists. No symbolic
/// links are followed below it (`invalidPath`, with `EXDEV` as of `openat2(2)`), and only regular
/// files are read or written (`invalidPath`; `inputOutput` for a directory). Mounted file systems
/// below it are entered.
public final class Directory: Sendable {
    let directory: DirectoryDescriptor
    /// The path by which the directory was opened.
    private let path: [UInt8]

    /// Opens a directory. Symbolic links in its path are followed; in a path below another
    /// ``Directory``, they are not.
    /// - Parameter location: the path or the URL of a directory, or an endpoint for a directory
    ///   below another ``Directory``.
    /// - Throws: `inputOutput`, or `invalidPath`.
    public init(at location: some FileLocation) throws(CryptorError) {
        let endpoint = try location.endpoint
        let context = FileContext(.openingInput, endpoint.name)
        guard let path = try endpoint.address(context), let bytes = endpoint.pathBytes else {
            throw context.failure(
                "It is not the path of a directory. Use one that is.", code: .invalidPath)
        }
        directory = try context.call(try endpoint.directory(at: path))
        self.path = bytes
    }

    init(_ directory: consuming DirectoryDescriptor, path: [UInt8]) {
        self.directory = directory
        self.path = path
    }

    /// Opens a directory for the command. If its last component is a link, that is followed only if
    /// it may be trusted.
    /// - Throws: also `inputOutput` with `EPERM` for another user's link.
    package init(atTrusted endpoint: FileEndpoint) throws(CryptorError) {
        let context = FileContext(.creatingOutput, endpoint.name)
        guard let place = try FilePlace(endpoint, context), let bytes = endpoint.pathBytes else {
            throw context.failure("It is not the path of a directory.", code: .invalidPath)
        }
        guard let found = try context.call(try place.directory.directoryIfTrusted(place.name))
        else {
            throw context.failure(
                """
                It is another user's link in a directory that others can write to. Name the \
                directory itself.
                """,
                because: .notPermitted)
        }
        directory = found
        path = bytes
    }

    // MARK: Removing

    /// Removes a file below this directory, by its path, as ``FileLocation/path(_:below:)`` names
    /// one. Of a symbolic link, the link itself is removed; no other is followed. A file with
    /// several names loses this one.
    ///
    /// On return, the removal is on disk (`unlinkat(2)`, `fsync(2)`). This blocks the thread.
    /// - Throws: `invalidPath` if the path may lead out of the directory; `inputOutput` for a
    ///   directory, if there is no such file, or if it cannot be removed. If only making the
    ///   removal durable failed, the error says so.
    public func remove(_ path: String) throws(CryptorError) {
        try remove(pathBytes: Array(path.utf8))
    }

    /// Removes a file below this directory, by the bytes of its path: see ``remove(_:)``.
    public func remove(pathBytes: [UInt8]) throws(CryptorError) {
        let file = FileEndpoint.pathBytes(pathBytes, below: self)
        let context = FileContext(.removing, file.name)
        guard let place = try FilePlace(file, context) else {
            preconditionFailure("a path has a place")
        }
        try context.call(try place.remove())
        do throws(CryptorError) { try context.call(try place.directory.synchronize()) } catch {
            throw context.failure(
                "It was removed, but may be there again after a power failure.",
                because: error.systemErrorNumber.map(SystemError.init(number:)))
        }
    }

    // MARK: For the command

    /// Makes the name of this directory durable.
    package func synchronizeName() throws(CryptorError) {
        try FileContext(.writingOutput, FileName(path: path)).call(try directory.synchronizeName())
    }

    /// Device and inode of the directory.
    package func identity() throws(CryptorError) -> FileStatus.Identity {
        try FileContext(.openingInput, FileName(path: path)).call(try directory.status()).identity
    }

    /// Whether it has been removed since it was opened.
    package var isRemoved: Bool { (try? directory.status().linkCount).map { $0 == 0 } ?? true }

    /// The contents of the directory, in the order of the names' bytes.
    package func entries() throws(CryptorError) -> [(name: [UInt8], status: FileStatus?)] {
        try FileContext(.openingInput, FileName(path: path)).call(try directory.entries())
    }

    /// Its attributes, for another directory that is made like it.
    package func attributes() throws(CryptorError) -> FileAttributes {
        try FileContext(.openingInput, FileName(path: path)).call(try directory.attributes())
    }

    /// The path of this directory with `path` appended, for errors and to show to people.
    func pathBytes(of path: [UInt8]) -> [UInt8] {
        self.path.isEmpty || self.path.last == UInt8(ascii: "/")
            ? self.path + path : self.path + Array("/".utf8) + path
    }
}
