package import CCryptorSystem

/// The permissions of a file (`mode_t`).
package typealias FileMode = mode_t

/// System calls that need no open file.
package enum FileSystem {
    /// `realpath(3)`: the absolute path of an existing file, without any link.
    package static func realPath(of path: FilePath) throws(SystemError) -> FilePath {
        guard let found = realpath(path.characters, nil) else { throw SystemError.last }
        defer { free(found) }
        return try FilePath(UnsafeRawBufferPointer(start: found, count: strlen(found)))
    }

    /// The path of `$TMPDIR`, or of /tmp. It is read once per process, because reading the
    /// environment while another thread changes it is not safe.
    package static let temporaryDirectory: [UInt8] = {
        guard let directory = getenv("TMPDIR"), directory.pointee != 0 else {
            return Array("/tmp".utf8)
        }
        return Array(UnsafeRawBufferPointer(start: directory, count: strlen(directory)))
    }()

    /// The user that this process acts as (`geteuid(2)`).
    static var user: uid_t { geteuid() }

    /// Whether this process can reach its own open files by path, which it needs to give an
    /// anonymous file a name.
    static let hasDescriptorPaths = access("/proc/self/fd", X_OK) == 0
}

/// The system's functions return -1 for failure.
@discardableResult
func check(_ result: CInt) throws(SystemError) -> CInt {
    guard result >= 0 else { throw SystemError.last }
    return result
}
