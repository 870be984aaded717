import CryptorPrimitives

/// A folder that was opened once: what is found in it is found there, whoever moves it, or puts another in its place, meanwhile.
///
/// It is for folders that others may write to, and for names that come from others: `.path(_:below:)` names files below it. It
/// stays open for as long as it, or a ``FileEndpoint`` below it, is kept. No links are followed below it; another file system
/// that is mounted there is entered.
public final class OpenFolder: Sendable {
    let folder: Folder
    /// By which it was opened.
    private let path: [UInt8]

    /// Opens a folder. Links in its own path are followed, but not somebody else's in a folder for everybody.
    /// - Parameter location: the path or the URL of a folder.
    /// - Throws: `inputOutput` or `invalidPath`.
    public convenience init(at location: some FileLocation) throws(CryptorError) {
        let endpoint = try location.endpoint
        let attempt = FileAttempt(.openingInput, endpoint.name, progress: ProgressReporter(nil, totalBytes: nil))
        guard let address = try endpoint.address(ofFolder: true), let path = endpoint.pathBytes else {
            throw attempt.error(.isNoFolder)
        }
        self.init(
            try FilePlace.openingFolder(attempt) { () throws(SystemError) -> Folder in try address.openFolder() }, path)
    }

    private init(_ folder: consuming Folder, _ path: [UInt8]) {
        self.folder = folder
        self.path = path
    }

    /// Something that is in a folder.
    public struct Entry: Sendable, Hashable {
        /// What it is. A symbolic link is ``other``, whatever it leads to.
        public enum Kind: Sendable, Hashable {
            /// A regular file.
            case file
            /// A folder.
            case folder
            /// Anything else.
            case other
        }

        /// Its name, which need not be UTF-8.
        public let name: [UInt8]
        /// What it is.
        public let kind: Kind
        /// The device that it is on. With ``inode`` it is equal for two names of one file (`stat(2)`).
        public let device: UInt64
        /// Its number on the device.
        public let inode: UInt64

        init(_ name: [UInt8], _ status: FileStatus) {
            self.name = name
            kind =
                switch status.kind {
                case .regular: .file
                case .folder: .folder
                case .symbolicLink, .fifo, .other: .other
                }
            device = status.identity.deviceNumber
            inode = status.identity.inodeNumber
        }
    }

    /// What is in it, or in a folder below it, in the order of the names' bytes.
    /// - Parameter path: from here to that folder; empty for itself.
    /// - Throws: `inputOutput` or `invalidPath`, as for the files below it.
    public func entries(below path: [UInt8] = []) throws(CryptorError) -> [Entry] {
        let (address, attempt) = try look(at: path)
        let found = try FilePlace.openingFolder(attempt) { () throws(SystemError) -> Folder in
            guard let address else { return try folder.duplicate() }
            return try address.openFolder()
        }
        return try attempt.retrying { () throws(SystemError) in try found.entries() }.map {
            Entry($0.name.bytes, $0.status)
        }
    }

    /// What has a path below it; nil if there is nothing.
    /// - Parameter path: from here; empty for itself, which has no name.
    /// - Throws: `inputOutput` or `invalidPath`, as for the files below it.
    public func entry(at path: [UInt8]) throws(CryptorError) -> Entry? {
        let (address, attempt) = try look(at: path)
        guard let address else {
            return Entry([], try attempt.retrying { () throws(SystemError) in try folder.status() })
        }
        guard let place = try FilePlace.open(address, attempt) else {
            // A slash ends it.
            return try entry(at: path.dropLast())
        }
        return try place.status(attempt).map { Entry(place.name.bytes, $0) }
    }

    /// - Returns: no address for the folder itself.
    private func look(at path: [UInt8]) throws(CryptorError) -> (FileAddress?, FileAttempt) {
        let endpoint = FileEndpoint.pathBytes(path, below: self)
        let name = path.isEmpty ? FileName(path: self.path) : endpoint.name
        let attempt = FileAttempt(.openingInput, name, progress: ProgressReporter(nil, totalBytes: nil))
        return (path.isEmpty ? nil : try endpoint.address(ofFolder: true), attempt)
    }

    /// For errors and people.
    func pathBytes(of name: [UInt8]) -> [UInt8] {
        path.last == UInt8(ascii: "/") ? path + name : path + [UInt8(ascii: "/")] + name
    }
}

extension OpenFolder: Hashable {
    /// Whether both are the same object: one folder may have been opened twice.
    public static func == (left: OpenFolder, right: OpenFolder) -> Bool { left === right }

    /// By the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
