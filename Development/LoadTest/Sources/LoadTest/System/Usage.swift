import CHeap

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func residentByteCount() -> Int {
        let pages = text(of: "/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

extension Int {
    var megabytes: String {
        let tenths = (magnitude * 10 + (1 << 19)) >> 20
        return "\(self < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) MiB"
    }
}
