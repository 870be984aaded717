import CHeap
import Foundation

/// What this process uses of the system, at a moment when no load runs.
struct Usage {
    var descriptors: Int
    var threads: Int
    /// Resident, in bytes.
    var memory: Int
    /// Allocated by malloc and not freed, in bytes.
    var heap: Int

    /// Waits until the threads of the last round are gone. Joined threads are gone at once; those of Swift's pool and
    /// of the library come and go, and the last of them end after seconds.
    static func settled(threads limit: Int?) -> Usage {
        for _ in 0..<1000 where count(in: "/proc/self/task") > limit ?? .max { usleep(10_000) }
        let heap = cheap_settle()
        return Usage(
            descriptors: count(in: "/proc/self/fd"), threads: count(in: "/proc/self/task"), memory: residentByteCount(),
            heap: heap)
    }

    /// How many names a folder has.
    static func count(in folder: String) -> Int { names(in: folder).count }

    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func residentByteCount() -> Int {
        let pages =
            (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
            .flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }
}

extension Int {
    var megabytes: String {
        let tenths = (magnitude * 10 + (1 << 19)) >> 20
        return "\(self < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) MiB"
    }
}
