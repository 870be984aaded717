import Foundation
import Testing

/// A library that stands between the command and the system, loaded with LD_PRELOAD.
enum Interposer {
    private static let compiler: String? = {
        let candidates = ["cc", "clang", "gcc"]
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return candidates.lazy.flatMap { name in paths.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    #if os(Linux)
    static let isAvailable = compiler != nil
    #else
    static let isAvailable = false
    #endif

    /// Builds one that refuses files without a name, as some file systems do.
    /// - Returns: its path.
    static func refusingNamelessFiles(in place: Workplace) throws -> String {
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <fcntl.h>
            #include <stdarg.h>
            #include <sys/types.h>
            static int opened(const char *name, const char *path, int flags, mode_t mode) {
                if ((flags & O_TMPFILE) == O_TMPFILE) { errno = EOPNOTSUPP; return -1; }
                return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
            }
            #define INTERPOSED(NAME) int NAME(const char *path, int flags, ...) { \\
                va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); \\
                return opened(#NAME, path, flags, mode); }
            INTERPOSED(open)
            INTERPOSED(open64)
            """
        try place.write(source, to: "interposer.c")
        try place.succeed("\(compiler ?? "cc") -shared -fPIC -o interposer.so interposer.c -ldl")
        return place.folder.appendingPathComponent("interposer.so").path
    }

    /// Builds one that lets a call of the system fail: see Tests/Interposers/faults.c.
    /// - Returns: its path.
    static func faults(in place: Workplace) throws -> String {
        let source = packageFolder.appendingPathComponent("Tests/Interposers/faults.c").path
        try place.succeed("\(compiler ?? "cc") -shared -fPIC -o faults.so '\(source)' -ldl")
        return place.folder.appendingPathComponent("faults.so").path
    }
}
