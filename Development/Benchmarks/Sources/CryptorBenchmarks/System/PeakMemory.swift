#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The most memory that this process had resident (proc(5), VmHWM), in bytes.
enum PeakMemory {
    /// Resets the peak to the memory that is resident now.
    static func reset() throws(BenchmarkError) -> Int {
        guard let file = fopen("/proc/self/clear_refs", "w") else { throw .skipped("only Linux can reset a peak") }
        fputs("5", file)
        guard fclose(file) == 0 else { throw .skipped("this system cannot reset a peak") }
        return try now()
    }

    static func now() throws(BenchmarkError) -> Int {
        for line in TextFile.lines(of: "/proc/self/status") ?? [] where line.hasPrefix("VmHWM:") {
            if let kibibytes = Int(line.filter(\.isNumber)) { return kibibytes << 10 }
        }
        throw .failed("/proc/self/status has no VmHWM")
    }
}
