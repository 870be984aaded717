/// What `stat(2)` tells of a file.
package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable { case regular, folder, symbolicLink, other }

    package let kind: Kind
    /// In bytes; of meaning for regular files.
    package let byteCount: Int
    /// The permission bits.
    package let mode: mode_t
    /// Device and inode: equal for two paths to one file.
    package let identity: Identity

    /// Whether this is the device that forgets what it is given.
    package let isNullDevice: Bool

    package struct Identity: Sendable, Hashable {
        let device: dev_t
        let inode: ino_t
    }

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        isNullDevice = status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == Platform.nullDevice
        byteCount = Int(status.st_size)
        mode = status.st_mode & 0o7777
        identity = Identity(device: status.st_dev, inode: status.st_ino)
    }
}

/// Calls of the system that take paths.
package enum FileSystem {
    /// `stat(2)`, or `lstat(2)` where links are not followed; nil if there is no such file.
    package static func status(of path: String, followingLinks: Bool = true) throws(SystemError) -> FileStatus? {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) != 0 else { return FileStatus(status) }
        guard errno == ENOENT else { throw SystemError.last }
        return nil
    }

    /// The path without links (`realpath(3)`).
    package static func resolved(_ path: String) throws(SystemError) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemError.last }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// `rename(2)`: replaces what is at `path`, in one step.
    package static func rename(_ source: String, to path: String) throws(SystemError) {
        try check(renameFile(source, path))
    }

    /// `link(2)`: fails with `EEXIST` if the name is taken.
    package static func link(_ source: String, to path: String) throws(SystemError) {
        try check(linkFile(source, path))
    }

    /// `unlink(2)`.
    package static func remove(_ path: String) throws(SystemError) {
        try check(unlink(path))
    }

    /// Makes the names in a folder durable (`fsync(2)`). One that this user may write and not read is left to the system.
    package static func synchronize(folder: String) throws(SystemError) {
        while true {
            do throws(SystemError) {
                return try FileDescriptor.open(folder, for: .read).synchronize()
            } catch {
                if error.number == EACCES { return }
                guard error == .interrupted else { throw error }
            }
        }
    }

    /// `$TMPDIR`, or /tmp.
    package static var temporaryFolder: String {
        guard let folder = getenv("TMPDIR"), folder.pointee != 0 else { return "/tmp" }
        return String(cString: folder)
    }

    /// Whether this process can reach its own open files by name, as giving an anonymous file a name needs.
    package static let hasDescriptorPaths = access("/proc/self/fd", X_OK) == 0

    /// The bits that new files do not get (`umask(2)`).
    package static func fileCreationMask() -> mode_t {
        if let mask = statedFileCreationMask() { return mask }
        // Reading it means setting it for a moment. Were two threads to do so at once, one would put back what the other
        // had set.
        return maskReading.withLock { _ in
            let mask = umask(0o077)
            _ = umask(mask)
            return mask
        }
    }

    private static let maskReading = Lock(())

    /// What Linux says of this process; nil elsewhere (`proc(5)`).
    private static func statedFileCreationMask() -> mode_t? {
        guard let file = try? FileDescriptor.open("/proc/self/status", for: .read) else { return nil }
        var status: [UInt8] = []
        try? status.appendBytes(capacity: 4096) { (output) throws(SystemError) in
            _ = try file.read(upTo: 4096, into: &output)
        }
        let label = "Umask:\t"
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(label) }
        return line.flatMap { mode_t($0.dropFirst(label.count), radix: 8) }
    }
}

/// The system's functions return -1 for failure.
@discardableResult
func check(_ result: CInt) throws(SystemError) -> CInt {
    guard result >= 0 else { throw SystemError.last }
    return result
}
