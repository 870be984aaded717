/// The system refused something that a target needs.
struct SystemFailure: Error {
    let number = errno
}

/// A folder of this process in `$TMPDIR`, removed when the process ends. `Development/fuzz` has `$TMPDIR` in memory.
enum WorkingFolder {
    static let path: String = {
        let parent = environmentValue(Array("TMPDIR".utf8)).map { String(decoding: $0, as: UTF8.self) } ?? "/tmp"
        var template = Array("\(parent)/cryptor-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fail("no folder in \(parent): errno \(errno)") }
        atexit {
            WorkingFolder.clear()
            rmdir(WorkingFolder.path)
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    static func path(of name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder.
    static var names: [[UInt8]] {
        guard let folder = opendir(path) else { fail("\(path) cannot be read: errno \(errno)") }
        defer { closedir(folder) }
        var names: [[UInt8]] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    static func clear() {
        for name in names {
            let path = Array("\(path)/".utf8) + name
            if removeFile(path) != 0 { rmdir(characters(path)) }
        }
    }

    static func write(_ bytes: [UInt8], to name: String) throws {
        let file = openFile(Array(path(of: name).utf8), O_WRONLY | O_TRUNC | O_NOFOLLOW)
        let descriptor = file >= 0 ? file : createFile(Array(path(of: name).utf8), mode: 0o644)
        guard descriptor >= 0 else { throw SystemFailure() }
        defer { close(descriptor) }
        guard writeBytes(bytes, to: descriptor) else { throw SystemFailure() }
    }

    /// Nil if there is no such file.
    static func read(_ name: String) -> [UInt8]? {
        let descriptor = openFile(Array(path(of: name).utf8), O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readAll(descriptor)
    }
}

/// Writes all bytes in one call, as files and pipes with room allow.
func writeBytes(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    write(descriptor, bytes, bytes.count) == bytes.count
}

/// Reads to the end of a file, or of a pipe whose writers have gone; nil if it cannot be read.
func readAll(_ descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = readBytes(descriptor, into: &buffer, at: 0)
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// A file whose name has been removed.
final class UnnamedFile {
    let descriptor: Int32

    /// A path that leads to the file.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init(_ bytes: [UInt8]) throws {
        let path = Array(WorkingFolder.path(of: "unnamed").utf8)
        descriptor = open(characters(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0, removeFile(path) == 0, writeBytes(bytes, to: descriptor) else { throw SystemFailure() }
        rewind()
    }

    func rewind() { lseek(descriptor, 0, SEEK_SET) }

    /// Overwrites a byte.
    func write(_ byte: UInt8, at offset: Int) throws {
        guard pwrite(descriptor, [byte], 1, off_t(offset)) == 1 else { throw SystemFailure() }
    }

    func truncate(to count: Int) throws {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw SystemFailure() }
    }

    deinit { close(descriptor) }
}

/// A pipe, which takes `byteCount` bytes while nobody reads.
final class Pipe {
    static let byteCount = 64 * 1024

    let readEnd: Int32
    private(set) var writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure() }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    /// A pipe that gives these bytes, and then ends.
    convenience init(giving bytes: [UInt8]) throws {
        try self.init()
        guard writeBytes(bytes, to: writeEnd) else { throw SystemFailure() }
        closeWriteEnd()
    }

    private func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    /// Closes the end for writing, and returns what was written and not read yet.
    func finish() -> [UInt8] {
        closeWriteEnd()
        return readAll(readEnd) ?? []
    }

    deinit {
        if writeEnd >= 0 { close(writeEnd) }
        close(readEnd)
    }
}

/// open(2) for a file that must not exist: a descriptor, or -1.
func createFile(_ path: [UInt8], mode: mode_t) -> Int32 {
    open(characters(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
}

/// unlink(2).
func removeFile(_ path: [UInt8]) -> Int32 { unlink(characters(path)) }
