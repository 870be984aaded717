#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The system refused something that a target needs.
struct SystemFailure: Error {
    let number = errno
}

/// A file without a name, in `$TMPDIR`, which `Development/fuzz` has in memory.
final class UnnamedFile {
    let descriptor: Int32

    /// A path that leads to the file.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init(_ bytes: [UInt8]) throws {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(directory)/cryptor-fuzz-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0, unlink(template) == 0 else { throw SystemFailure() }
        try replace(with: bytes)
    }

    func rewind() { lseek(descriptor, 0, SEEK_SET) }

    /// Overwrites a byte.
    func write(_ byte: UInt8, at offset: Int) throws {
        guard pwrite(descriptor, [byte], 1, off_t(offset)) == 1 else { throw SystemFailure() }
    }

    func truncate(to count: Int) throws {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw SystemFailure() }
    }

    func replace(with bytes: [UInt8]) throws {
        try truncate(to: 0)
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw SystemFailure()
        }
        rewind()
    }

    deinit { close(descriptor) }
}

/// A pipe, which takes `byteCount` bytes while nobody reads.
final class Pipe {
    static let byteCount = 64 * 1024

    let readEnd: Int32
    private(set) var writeEnd: Int32

    init(giving bytes: [UInt8]? = nil) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure() }
        (readEnd, writeEnd) = (ends[0], ends[1])
        guard let bytes else { return }
        guard write(writeEnd, bytes, bytes.count) == bytes.count else { throw SystemFailure() }
        closeWriteEnd()
    }

    private func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Closes the end for writing, and returns what was written and not read yet.
    func finish() -> [UInt8] {
        closeWriteEnd()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.byteCount)
        while case let count = read(readEnd, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }

    deinit {
        closeWriteEnd()
        close(readEnd)
    }
}
