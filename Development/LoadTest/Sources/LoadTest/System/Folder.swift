#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A private folder for the files of a run.
final class Folder: Sendable {
    let path: String

    init() throws(Wrong) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/load-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Wrong("\(parent): \(String(cString: strerror(errno)))") }
        path = String(cString: made)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: ArraySlice<UInt8>, to name: String) throws(Wrong) {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Wrong("\(name): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in posixWrite(descriptor, bytes.baseAddress, bytes.count) }
            guard count > 0 else { throw Wrong("\(name): \(String(cString: strerror(errno)))") }
            rest = rest.dropFirst(count)
        }
    }

    func read(_ name: String) throws(Wrong) -> [UInt8] {
        let descriptor = open(file(name), O_RDONLY)
        guard descriptor >= 0 else { throw Wrong("\(name): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes { room in
                posixRead(descriptor, room.baseAddress?.advanced(by: done), room.count - done)
            }
            guard count > 0 else { throw Wrong("\(name): \(String(cString: strerror(errno)))") }
            done += count
        }
        return bytes
    }

    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    func remove(_ names: String...) {
        for name in names { unlink(file(name)) }
    }

    func removeAll() {
        for name in Usage.names(in: path) { remove(name) }
        rmdir(path)
    }
}

// The methods of Folder have the same names.
private func posixWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func posixRead(_ descriptor: CInt, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, room, count)
}
