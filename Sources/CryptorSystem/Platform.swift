package import CCryptorSystem

/// The permissions of a file (`mode_t`).
package typealias FileMode = mode_t

/// What systems do in different ways, or not at all.
package enum Platform {
    #if os(Linux) || os(Android)
    /// The device that discards what is written to it: major 1, minor 3 (null(4)).
    static let nullDevice: dev_t = 1 << 8 | 3
    /// A value for pthread_create(3) to overwrite.
    package static var noThread: pthread_t { pthread_t() }

    static func times(
        of status: stat
    ) -> (accessed: FileStatus.Time, modified: FileStatus.Time, changed: FileStatus.Time) {
        (.init(value: status.st_atim), .init(value: status.st_mtim), .init(value: status.st_ctim))
    }
    #else
    static let nullDevice: dev_t = 3 << 24 | 2
    package static var noThread: pthread_t? { nil }

    static func times(
        of status: stat
    ) -> (accessed: FileStatus.Time, modified: FileStatus.Time, changed: FileStatus.Time) {
        (.init(value: status.st_atimespec), .init(value: status.st_mtimespec), .init(value: status.st_ctimespec))
    }
    #endif
}
