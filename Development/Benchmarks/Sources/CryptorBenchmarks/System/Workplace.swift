#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A private folder that is removed, with its files, when the object goes.
final class Workplace {
    let path: String
    private var names: Set<String> = []

    /// - Parameters:
    ///   - folder: the folder to make it in.
    ///   - byteCount: how many bytes the files will have.
    init(in folder: String, room byteCount: Int) throws(BenchmarkError) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            throw .skipped("\(folder): \(String(cString: strerror(errno)))")
        }
        let available = Int(status.f_bavail) * Int(status.f_frsize)
        guard available >= byteCount else {
            throw .skipped("\(folder) has room for \(Figures.binary(available)), not for \(Figures.binary(byteCount))")
        }
        var template = Array("\(folder)/cryptor-benchmarks-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw .skipped("\(folder): \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The path of a file of this name. A file that exists there is removed.
    func fresh(_ name: String) -> String {
        let file = self.file(name)
        unlink(file)
        return file
    }

    func file(_ name: String) -> String {
        names.insert(name)
        return "\(path)/\(name)"
    }

    @discardableResult
    func create(_ bytes: [UInt8], times: Int = 1, to name: String) throws(BenchmarkError) -> String {
        let path = fresh(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        for _ in 0..<times {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { throw .failed("\(path): \(String(cString: strerror(errno)))") }
                rest = rest.dropFirst(count)
            }
        }
        fsync(descriptor)
        return path
    }
}
