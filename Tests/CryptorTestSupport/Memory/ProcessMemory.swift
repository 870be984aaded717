#if os(Linux)
import Foundation

/// Memory of this process, in bytes, as proc_pid_status(5) describes it.
package enum ProcessMemory: String {
    /// The most memory that the process has had at a time.
    case peak = "VmHWM:"
    /// The address space that is reserved now, whether or not it is used.
    case reserved = "VmSize:"

    package struct Failure: Error {}

    package func byteCount() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        guard let words = lines.first(where: { $0.hasPrefix(rawValue) })?.split(whereSeparator: \.isWhitespace),
            words.count == 3, let kibibytes = Int(words[1])
        else { throw Failure() }
        return kibibytes * 1024
    }
}
#endif
