import CryptorFiles

/// Tells files apart: it is equal for two names of one file.
typealias FileIdentity = OpenFolder.Entry.Identity

/// What is there now. It is only looked at and never opened: a FIFO would wait for its writer.
extension FileEndpoint {
    /// The kind of file (`S_IFREG`, …) and its identity. Links are followed, but not below a folder. Nil if nothing is
    /// there, or the status cannot be read.
    var status: (kind: mode_t, identity: FileIdentity)? {
        if let (folder, path) = placeBelow {
            guard let entry = try? folder.entry(at: path), let identity = entry.identity else { return nil }
            switch entry.kind {
            case .file: return (S_IFREG, identity)
            case .folder: return (S_IFDIR, identity)
            // These are never opened below a folder.
            case .symbolicLink, .other, .unknown: return (S_IFLNK, identity)
            }
        }
        let found = descriptor.map { CryptorCommand.status(of: $0) } ?? pathBytes.flatMap(CryptorCommand.status)
        guard let found else { return nil }
        let kind = found.st_mode & S_IFMT
        // A block device may have several nodes.
        let (device, inode) = kind == S_IFBLK ? (found.st_rdev, .max) : (found.st_dev, found.st_ino)
        let identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: device), inode: UInt64(truncatingIfNeeded: inode))
        return (kind, identity)
    }

    var isFolder: Bool { status?.kind == S_IFDIR }

    var isCharacterDevice: Bool { status?.kind == S_IFCHR }

    /// Whether its readers see at once what is written to it: a descriptor, a pipe or a device.
    var isStream: Bool { descriptor != nil || status.map { ![S_IFREG, S_IFDIR, S_IFLNK].contains($0.kind) } ?? false }

    /// Whether it is certain that nothing is there.
    var isMissing: Bool {
        guard placeBelow == nil, let path = pathBytes else { return false }
        return CryptorCommand.status(of: path) == nil && errno == ENOENT
    }
}

/// A path in two parts.
struct PathParts {
    /// The part before the last slash, with that slash; `.` if there is none.
    let folder: [UInt8]
    /// The part after it.
    let name: [UInt8]

    init(_ path: [UInt8]) {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        folder = start == 0 ? [UInt8(ascii: ".")] : Array(path[..<start])
        name = Array(path[start...])
    }
}

extension Collection<UInt8> {
    /// Whether it ends in `ending` and is longer than that.
    func hasEnding(_ ending: [UInt8]) -> Bool { count > ending.count && suffix(ending.count).elementsEqual(ending) }
}
