import CMalloc
import Foundation

/// What this process uses of the system, at a moment when no load runs.
struct Usage {
    var descriptors: Int
    var threads: Int
    /// Resident, in bytes.
    var memory: Int
    /// Allocated by malloc and not freed, in bytes.
    var heap: Int

    /// Waits until the threads of the last round are gone. Joined threads are gone at once; those
    /// of Swift's pool and of the library come and go, and the last of them end after seconds.
    static func settled(threads limit: Int?) -> Usage {
        for _ in 0..<1000 where names(in: "/proc/self/task").count > limit ?? .max {
            usleep(10_000)
        }
        #if canImport(Glibc)
        malloc_trim(0)
        let (used, mapped) = (mallinfo2().uordblks, mallinfo2().hblkhd)
        #else
        let (used, mapped) = (0, 0)
        #endif
        return Usage(
            descriptors: names(in: "/proc/self/fd").count,
            threads: names(in: "/proc/self/task").count,
            memory: residentByteCount(), heap: Int(used + mapped))
    }

    /// Stops malloc from moving its thresholds by what it sees.
    static func prepare() {
        #if canImport(Glibc)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        mallopt(M_TRIM_THRESHOLD, 128 * 1024)
        #endif
    }

    static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    private static func residentByteCount() -> Int {
        let pages =
            (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
                separator: " "
            ).dropFirst().first
            .flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }
}

extension Int {
    var megabytes: String { String(format: "%.1f MiB", Double(self) / Double(1 << 20)) }
}
