#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum TextFile {
    /// The lines of a file, such as one of the system's; nil if it cannot be opened.
    static func lines(of path: String) -> [String]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static func write(_ text: String, to path: String) throws(BenchmarkError) {
        guard let file = fopen(path, "w") else { throw .failed("\(path): \(String(cString: strerror(errno)))") }
        let succeeded = fputs(text, file) >= 0
        guard fclose(file) == 0, succeeded else { throw .failed("\(path): it cannot be written") }
    }

    /// Checks that a file can be written, before the time for measuring is spent.
    static func checkWritable(_ path: String) throws(BenchmarkError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(access(path, F_OK) == 0 ? path : folder, W_OK) == 0 else {
            throw .usage("\(path): It cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
