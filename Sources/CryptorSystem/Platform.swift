#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#elseif canImport(Android)
package import Android
#elseif canImport(Darwin)
package import Darwin
#endif

/// The permissions of a file (`mode_t`).
package typealias FileMode = mode_t

/// What systems do in different ways, or not at all.
package enum Platform {
    #if os(Linux) || os(Android)
    /// The device that discards what is written to it: major 1, minor 3 (null(4)).
    static let nullDevice: dev_t = 1 << 8 | 3
    /// For files without a name: `O_TMPFILE` (open(2)), a macro that is not imported.
    static let temporaryFileFlags: CInt? = 0o20_000_000 | O_DIRECTORY
    /// `O_PATH` (open(2)), a macro that is not imported: a descriptor with it is neither read nor written.
    static let referenceFlag: CInt? = 0o10_000_000
    /// For a folder that is searched and not read.
    static let searchFlags: CInt = 0o10_000_000 | O_DIRECTORY | O_CLOEXEC
    /// For madvise(2).
    static let wipeOnFork: CInt? = CInt(MADV_WIPEONFORK)
    /// A value for pthread_create(3) to overwrite.
    package static var noThread: pthread_t { pthread_t() }

    static func times(
        of status: stat
    ) -> (accessed: FileStatus.Time, modified: FileStatus.Time, changed: FileStatus.Time) {
        (.init(value: status.st_atim), .init(value: status.st_mtim), .init(value: status.st_ctim))
    }
    #else
    static let nullDevice: dev_t = 3 << 24 | 2
    static let temporaryFileFlags: CInt? = nil
    static let searchFlags: CInt = O_SEARCH | O_DIRECTORY | O_CLOEXEC
    static let referenceFlag: CInt? = nil
    static let wipeOnFork: CInt? = nil
    package static var noThread: pthread_t? { nil }

    static func times(
        of status: stat
    ) -> (accessed: FileStatus.Time, modified: FileStatus.Time, changed: FileStatus.Time) {
        (.init(value: status.st_atimespec), .init(value: status.st_mtimespec), .init(value: status.st_ctimespec))
    }
    #endif
}
