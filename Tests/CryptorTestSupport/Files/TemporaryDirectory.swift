import Foundation

/// A directory for one test. It is removed together with this object.
package final class TemporaryDirectory {
    package let path: String

    /// - Parameter parent: an existing directory; nil for the directory for temporary files.
    package init(in parent: String? = nil) throws {
        let name = "cryptorformat-tests-\(UUID())"
        path = "\(parent ?? FileManager.default.temporaryDirectory.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A test may have taken the permissions away.
        chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the directory in order, hidden ones included.
    /// - Parameter directory: a directory in this one; nil for this one itself.
    package func names(in directory: String? = nil) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.map(path) ?? path).sorted()
    }

    package func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat(path(name), &status) == 0
    }

    /// The contents of a file.
    package func read(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Creates a file, or replaces the contents of an existing one, which stays the same file.
    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    /// Writes over a part of a file.
    package func write(_ bytes: [UInt8], to name: String, at offset: Int) throws {
        try withDescriptor(of: name, O_WRONLY) { file in
            try check(
                bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) },
                "pwrite")
        }
    }

    /// Flips one bit in each of a file's bytes in `range`.
    package func alter(_ name: String, _ range: Range<Int>) throws {
        let altered = try read(name)[range].map { $0 ^ 1 }
        try write(altered, to: name, at: range.lowerBound)
    }

    package func append(_ bytes: [UInt8], to name: String) throws {
        try withDescriptor(of: name, O_WRONLY | O_APPEND) { file in
            try check(
                bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }, "write")
        }
    }

    package func truncate(_ name: String, to byteCount: Int) throws {
        try withDescriptor(of: name, O_WRONLY) { file in
            try check(Int(ftruncate(file, off_t(byteCount))), "ftruncate")
        }
    }

    /// Renames a file. It replaces a file that has the new name.
    package func rename(_ name: String, to other: String) throws {
        try check(Int(Foundation.rename(path(name), path(other))), "rename")
    }

    package func remove(_ name: String) throws { try check(Int(unlink(path(name))), "unlink") }

    package func link(_ name: String, to other: String) throws {
        try check(Int(Foundation.link(path(name), path(other))), "link")
    }

    /// - Parameter target: the text that is written into the link.
    package func symbolicLink(_ name: String, to target: String) throws {
        try check(Int(symlink(target, path(name))), "symlink")
    }

    package func makeDirectory(_ name: String) throws {
        try check(Int(mkdir(path(name), 0o755)), "mkdir")
    }

    package func makeFIFO(_ name: String) throws {
        try check(Int(mkfifo(path(name), 0o600)), "mkfifo")
    }

    package func setMode(_ mode: mode_t, of name: String) throws {
        try check(Int(chmod(path(name), mode)), "chmod")
    }

    /// The permission bits of a file, or of the file that a link leads to.
    package func mode(of name: String) throws -> mode_t { try status(of: name).st_mode & 0o7777 }

    /// Sets the times of access and modification, in seconds.
    package func setTimes(_ accessed: Int, _ modified: Int, of name: String) throws {
        let times = [
            timespec(tv_sec: accessed, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0),
        ]
        try check(Int(utimensat(AT_FDCWD, path(name), times, 0)), "utimensat")
    }

    /// Tells files apart, whatever their names.
    package func inode(of name: String) throws -> ino_t { try status(of: name).st_ino }

    /// The first descriptor of this process that is open for the file; nil if there is none.
    package func descriptor(openFor name: String) throws -> CInt? {
        let file = try status(of: name)
        return (3..<1024 as Range<CInt>).first { number in
            var status = stat()
            return fstat(number, &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
    }

    /// Where a symbolic link leads.
    package func target(ofLink name: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: path(name))
    }

    /// The mode of a file that this process creates in this directory with 0666.
    package func modeOfNewFiles() throws -> mode_t {
        let probe = "probe-\(UUID())"
        try check(
            Int(close(open(path(probe), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666))), "open")
        defer { unlink(path(probe)) }
        return try mode(of: probe)
    }

    /// `stat(2)`.
    package func status(of name: String) throws -> stat {
        var status = stat()
        try check(Int(stat(path(name), &status)), "stat")
        return status
    }

    /// Calls `body` with a descriptor of a file, and closes the descriptor afterwards.
    package func withDescriptor<Result>(
        of name: String, _ flags: CInt, _ body: (CInt) throws -> Result
    ) throws -> Result {
        let file = open(path(name), flags | O_CLOEXEC)
        try check(Int(file), "open \(name)")
        defer { close(file) }
        return try body(file)
    }
}

/// A system call that failed.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ function: String) { description = "\(function): \(String(cString: strerror(errno)))" }
}

private func check(_ result: Int, _ function: String) throws {
    guard result >= 0 else { throw SystemFailure(function) }
}
