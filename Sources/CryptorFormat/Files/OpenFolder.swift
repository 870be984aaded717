import CryptorPrimitives

/// A folder that was opened once: what is found in it is found there, whoever moves it, or puts another in its place, meanwhile.
///
/// It is for folders that others may write to, and for names that come from others: `.file(_:in:)` names a file in it, and
/// `.path(_:below:)` one below it. It stays open for as long as it, or a ``FileEndpoint`` of it, is kept. Below it no symbolic links
/// are followed; another file system that is mounted there is entered.
public final class OpenFolder: Sendable {
    let folder: Folder
    /// By which it was opened.
    private let path: [UInt8]

    /// Opens a folder. Links in a path of its own are followed, but not somebody else's in a folder for everybody; in the path of
    /// one that is below another, none are.
    /// - Parameter location: the path or the URL of a folder, or what is so called in another one.
    /// - Throws: `inputOutput`, `invalidPath` or `notInFolder`.
    public convenience init(at location: some FileLocation) throws(CryptorError) {
        let endpoint = try location.endpoint
        guard let address = try endpoint.address(ofFolder: true), let path = endpoint.pathBytes else {
            throw .folderWithoutPath(endpoint.name)
        }
        let attempt = FileAttempt(.openingInput, endpoint.name)
        self.init(
            try FilePlace.openingFolder(attempt) { () throws(SystemError) -> Folder in try address.openFolder() }, path)
    }

    private init(_ folder: consuming Folder, _ path: [UInt8]) {
        self.folder = folder
        self.path = path
    }

    /// Something that is in a folder.
    public struct Entry: Sendable, Hashable {
        /// What something is.
        public enum Kind: Sendable, Hashable {
            /// A regular file.
            case file
            /// A folder.
            case folder
            /// A symbolic link, whatever it leads to.
            case symbolicLink
            /// Anything else, such as a FIFO.
            case other
            /// The system does not tell, as of other users' mounts.
            case unknown
        }

        /// Tells files apart: equal for two names of one file.
        public struct Identity: Sendable, Hashable {
            let status: FileStatus.Identity
        }

        /// What it is.
        public let kind: Kind
        /// Nil if the system does not tell.
        public let identity: Identity?
        /// The file, or the folder for another ``OpenFolder``.
        public let endpoint: FileEndpoint
        /// The bytes of its name, which need not be UTF-8.
        public let nameBytes: [UInt8]
        /// The bytes of its path from the folder that was asked.
        public let pathBytes: [UInt8]
    }

    /// What is in it, or in a folder below it, in the order of the names' bytes.
    /// - Parameter pathBytes: from here to that folder; empty for itself.
    /// - Throws: `inputOutput`, `invalidPath` or `notInFolder`.
    public func entries(in pathBytes: [UInt8] = []) throws(CryptorError) -> [Entry] {
        try listing(of: pathBytes).entries
    }

    /// The same, with the identity of the folder whose entries they are.
    package func listing(of pathBytes: [UInt8]) throws(CryptorError) -> (identity: Entry.Identity, entries: [Entry]) {
        let endpoint = FileEndpoint.pathBytes(pathBytes, below: self)
        let attempt = FileAttempt(.openingInput, pathBytes.isEmpty ? FileName(path: path) : endpoint.name)
        let address = pathBytes.isEmpty ? nil : try endpoint.address(ofFolder: true)
        let found = try FilePlace.openingFolder(attempt) { () throws(SystemError) -> Folder in
            guard let address else { return try folder.duplicate() }
            return try address.openFolder()
        }
        let (status, entries) = try attempt.retrying { () throws(SystemError) in
            (try found.status(), try found.entries())
        }
        return (
            Entry.Identity(status: status.identity),
            entries.map { entry(Self.joined(pathBytes, entry: $0.name), $0.name, $0.status) }
        )
    }

    /// Of the folder that a path below it leads into.
    package func identityOfFolder(of pathBytes: [UInt8]) throws(CryptorError) -> Entry.Identity {
        let attempt = FileAttempt(.openingInput, FileName(path: self.pathBytes(of: pathBytes)))
        guard let address = try FileEndpoint.pathBytes(pathBytes, below: self).address() else {
            throw .folderWithoutPath(attempt.name)
        }
        let found = try FilePlace.openingFolder(attempt) { () throws(SystemError) -> Folder in
            try address.folder.openFolder()
        }
        return Entry.Identity(status: try attempt.retrying { () throws(SystemError) in try found.status() }.identity)
    }

    /// What has a path below it; nil if there is nothing.
    /// - Throws: what using it as a file would.
    package func entry(at pathBytes: [UInt8]) throws(CryptorError) -> Entry? {
        let endpoint = FileEndpoint.pathBytes(pathBytes, below: self)
        let attempt = FileAttempt(.openingInput, endpoint.name)
        let place = try FilePlace.ofFile(try endpoint.address(), attempt)
        return try place.status(attempt).map { entry(pathBytes, place.name.bytes, $0) }
    }

    private func entry(_ path: [UInt8], _ name: [UInt8], _ status: FileStatus?) -> Entry {
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

    /// For errors and people.
    func pathBytes(of path: [UInt8]) -> [UInt8] { Self.joined(self.path, entry: path) }

    private static func joined(_ folder: [UInt8], entry path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        return folder.isEmpty || folder.last == slash ? folder + path : folder + [slash] + path
    }
}

extension OpenFolder.Entry.Identity {
    /// Of what another call of the system has told.
    package init(device: UInt64, inode: UInt64) {
        status = FileStatus.Identity(device: .init(truncatingIfNeeded: device), inode: .init(truncatingIfNeeded: inode))
    }
}

extension OpenFolder: Hashable {
    /// Whether both are the same object: one folder may have been opened twice.
    public static func == (left: OpenFolder, right: OpenFolder) -> Bool { left === right }

    /// By the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
