// The one place that knows which C library and which kernel this is.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Android)
@_exported import Android
#elseif canImport(Darwin)
@_exported import Darwin
#endif

/// What systems do in different ways, or not at all.
enum Platform {
    #if os(Linux) || os(Android)
    /// The device that forgets what it is given: major 1, minor 3 (null(4)).
    static let nullDevice: dev_t = 1 << 8 | 3
    /// For files without a name: `O_TMPFILE` (open(2)), a macro that is not imported.
    static let temporaryFileFlags: CInt? = 0o20_000_000 | O_DIRECTORY
    /// For madvise(2).
    static let largePages: CInt? = CInt(MADV_HUGEPAGE)
    /// For madvise(2).
    static let wipeOnFork: CInt? = CInt(MADV_WIPEONFORK)
    /// What pthread_create(3) overwrites.
    static var noThread: pthread_t { pthread_t() }
    #else
    static let nullDevice: dev_t = 3 << 24 | 2
    static let temporaryFileFlags: CInt? = nil
    static let largePages: CInt? = nil
    static let wipeOnFork: CInt? = nil
    static var noThread: pthread_t? { nil }
    #endif
}
