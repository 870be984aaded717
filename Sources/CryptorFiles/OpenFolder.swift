import CryptorSystem
public import CryptorFormat
import CryptorPrimitives

/// A folder that is opened once. Names are looked up in this very folder, even if somebody moves it, or puts another in
/// its place, meanwhile.
///
/// Use it for folders that others may write to, and for names that come from others: `.file(_:in:)` names a file in it,
/// and `.path(_:below:)` one at any depth below it. The folder stays open while this object, or a ``FileEndpoint``
/// below it, exists. No symbolic links are followed below it, but file systems that are mounted there are entered.
public final class OpenFolder: Sendable {
    let folder: Folder
    /// The path by which the folder was opened.
    private let path: [UInt8]

    /// Opens a folder. Symbolic links in its path are followed; in a path below another ``OpenFolder`` none is.
    /// - Parameter location: the path or the URL of a folder, or an endpoint for a folder below another ``OpenFolder``.
    /// - Throws: `inputOutput`, or `invalidPath`.
    public convenience init(at location: some FileLocation) throws(CryptorError) {
        let endpoint = try location.endpoint
        guard let address = try endpoint.address(ofFolder: true), let path = endpoint.pathBytes else {
            throw FileAttempt(.openingInput, endpoint.name).failure(
                "It is not a folder with a path. Give the path of one.", code: .invalidPath)
        }
        self.init(try FilePlace.openFolder(address, FileAttempt(.openingInput, endpoint.name)), path)
    }

    private init(_ folder: consuming Folder, _ path: [UInt8]) {
        self.folder = folder
        self.path = path
    }

    /// Something in a folder.
    package struct Entry: Sendable, Hashable {
        /// The kinds of entry.
        package enum Kind: Sendable, Hashable {
            /// A regular file.
            case file
            /// A folder.
            case folder
            /// A symbolic link, whatever it leads to.
            case symbolicLink
            /// Anything else, such as a FIFO.
            case other
            /// The system does not tell, as for mounts of other users.
            case unknown
        }

        /// Tells files apart: two names of one file have equal identities.
        package struct Identity: Sendable, Hashable {
            let status: FileStatus.Identity
        }

        /// The kind of the entry.
        package let kind: Kind
        /// Tells the entry from other files; nil if the system does not tell.
        package let identity: Identity?
        /// The location of the entry. For a folder, it can open another ``OpenFolder``.
        package let endpoint: FileEndpoint
        /// The bytes of its name, which need not be UTF-8.
        package let nameBytes: [UInt8]
        /// The bytes of its path from the ``OpenFolder`` that was asked.
        package let pathBytes: [UInt8]
    }

    /// The entries of this folder, or of one below it, sorted by the bytes of their names, and the identity of the
    /// folder that they are in.
    /// - Parameter pathBytes: the path from here to the folder below; empty for this folder.
    /// - Throws: `inputOutput` or `invalidPath`.
    package func listing(of pathBytes: [UInt8] = []) throws(CryptorError) -> (
        identity: Entry.Identity, entries: [Entry]
    ) {
        let endpoint = FileEndpoint.pathBytes(pathBytes, below: self)
        let attempt = FileAttempt(.openingInput, pathBytes.isEmpty ? FileName(path: path) : endpoint.name)
        let path = pathBytes.isEmpty ? try? FilePath(".") : try endpoint.address(ofFolder: true)?.path
        guard let path else { throw attempt.error(.isFolder) }
        let found = try FilePlace.openFolder(FileAddress(path: path, root: self), attempt)
        let (status, entries) = try attempt((try found.status(), try found.entries()))
        return (
            Entry.Identity(status: status.identity),
            entries.map { entry(Self.joined(pathBytes, entry: $0.name), named: $0.name, $0.status) }
        )
    }

    /// The identity of the folder that holds the file at a path below this one.
    package func identityOfFolder(containing pathBytes: [UInt8]) throws(CryptorError) -> Entry.Identity {
        let attempt = FileAttempt(.openingInput, FileName(path: self.pathBytes(of: pathBytes)))
        guard let address = try FileEndpoint.pathBytes(pathBytes, below: self).address() else {
            preconditionFailure("a path has an address")
        }
        let place = try FilePlace(address, attempt)
        return Entry.Identity(
            status: try attempt(try place.folder.status()).identity)
    }

    /// The entry at a path below this folder; nil if there is none.
    /// - Throws: what opening a file throws if the path is invalid or its folder cannot be opened.
    package func entry(at pathBytes: [UInt8]) throws(CryptorError) -> Entry? {
        let endpoint = FileEndpoint.pathBytes(pathBytes, below: self)
        let attempt = FileAttempt(.openingInput, endpoint.name)
        guard let address = try endpoint.address() else { preconditionFailure("a path has an address") }
        let place = try FilePlace(address, attempt)
        return try attempt(try place.status()).map { entry(pathBytes, named: place.name.bytes, $0) }
    }

    private func entry(_ path: [UInt8], named name: [UInt8], _ status: FileStatus?) -> Entry {
        let kind: Entry.Kind =
            switch status?.kind {
            case nil: .unknown
            case .regular?: .file
            case .folder?: .folder
            case .symbolicLink?: .symbolicLink
            case .fifo?, .blockDevice?, .other?: .other
            }
        return Entry(
            kind: kind, identity: status.map { Entry.Identity(status: $0.identity) },
            endpoint: .pathBytes(path, below: self), nameBytes: name, pathBytes: path)
    }

    /// The path of this folder with `path` appended, for errors and to show to people.
    func pathBytes(of path: [UInt8]) -> [UInt8] { Self.joined(self.path, entry: path) }

    private static func joined(_ folder: [UInt8], entry path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        return folder.isEmpty || folder.last == slash ? folder + path : folder + [slash] + path
    }
}

extension OpenFolder.Entry.Identity {
    /// The identity of a file whose device and inode another system call has returned.
    package init(device: UInt64, inode: UInt64) {
        status = FileStatus.Identity(device: .init(truncatingIfNeeded: device), inode: .init(truncatingIfNeeded: inode))
    }
}

extension OpenFolder: Hashable {
    /// Whether both are the same object. Two objects may stand for one folder, if it was opened twice.
    public static func == (left: OpenFolder, right: OpenFolder) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
