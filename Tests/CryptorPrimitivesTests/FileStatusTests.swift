import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

/// The status of a file tells it from other files, and from what it was before.
@Suite struct FileStatusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
        try folder.setTimes(5, 6, of: "file")
    }

    private func status(_ name: String = "file") throws -> FileStatus {
        try #require(try FileSystem.status(of: folder.filePath(name)))
    }

    private func status(_ mode: mode_t, changed: (Int, Int) = (0, 1), device: dev_t = 0, inode: ino_t = 0) -> FileStatus
    {
        var status = stat()
        (status.st_mode, status.st_rdev, status.st_ino) = (mode, device, inode)
        #if os(Linux)
        status.st_ctim = timespec(tv_sec: changed.0, tv_nsec: changed.1)
        status.st_mtim = status.st_ctim
        #else
        status.st_ctimespec = timespec(tv_sec: changed.0, tv_nsec: changed.1)
        status.st_mtimespec = status.st_ctimespec
        #endif
        return FileStatus(status)
    }

    /// A block device has the same identity, whichever node it was opened through.
    @Test func nodesOfOneDevice() {
        let (one, other) = (status(S_IFBLK, device: 7, inode: 1), status(S_IFBLK, device: 7, inode: 2))
        #expect(one.kind == .blockDevice && one.identity == other.identity)
        #expect(status(S_IFBLK, device: 8, inode: 1).identity != one.identity)
        #expect(status(S_IFCHR, device: 7, inode: 1).identity != status(S_IFCHR, device: 7, inode: 2).identity)
    }

    /// A change may stay unseen until the clock of files has moved on, or for two seconds where times are in seconds.
    @Test(arguments: [
        (100, 30_000_000, true), (100, 10_000_001, true), (100, 10_000_000, false), (100, 31_000_000, true),
        (99, 500, false), (101, 500, true), (103, 500, false), (100, 0, true), (99, 0, true), (98, 0, false),
        (102, 0, true), (103, 0, false), (0, 0, false), (.min, 0, false), (.max, 0, false),
    ])
    func changesUnseen(seconds: Int, nanoseconds: Int, expected: Bool) {
        let now = FileStatus.Time(value: timespec(tv_sec: 100, tv_nsec: 30_000_000))
        #expect(status(S_IFREG, changed: (seconds, nanoseconds)).mayChangeUnseen(at: now) == expected)
        #expect(!status(S_IFIFO, changed: (seconds, nanoseconds)).mayChangeUnseen(at: now))
    }

    @Test func settles() throws {
        try folder.append([4], to: "file")
        for _ in 0..<5000 where try status().mayChangeUnseen { usleep(1000) }
        #expect(try !status().mayChangeUnseen)
    }

    /// A change of the file's number, its length or its time is noticed even if the other two are as they were.
    @Test(arguments: ["another file", "longer", "shorter", "later"])
    func doesNotHoldTheSame(change: String) throws {
        let before = try status()
        switch change {
        case "another file":
            try folder.write([1, 2, 3], to: "other")
            try folder.link("file", to: "kept")
            try folder.rename("other", to: "file")
        case "longer": try folder.append([4], to: "file")
        case "shorter": try folder.truncate("file", to: 2)
        default: break
        }
        try folder.setTimes(5, change == "later" ? 7 : 6, of: "file")
        let after = try status()
        #expect(after.modified == before.modified || change == "later")
        #expect(!after.holdsTheSame(as: before), "\(change): \(before), \(after)")
        #expect(!after.isUnchanged(since: before), "\(change): \(before), \(after)")
    }

    /// A file that nothing was written to holds the same, whatever else was done.
    @Test(arguments: ["read", "mode", "second name", "renamed"])
    func holdsTheSame(change: String) throws {
        let before = try status()
        var name = "file"
        switch change {
        case "mode": try folder.setMode(0o640, of: "file")
        case "second name": try folder.link("file", to: "other name")
        case "renamed":
            name = "other name"
            try folder.rename("file", to: name)
        default: _ = try folder.read("file")
        }
        let after = try status(name)
        #expect(after.holdsTheSame(as: before), "\(change): \(before), \(after)")
        #expect(after.linkCount == (change == "second name" ? 2 : 1))
    }

    /// Only /dev/null counts as the null device: somebody may see what any other device is given.
    @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/tty", "/", "/etc/passwd"])
    func oneDeviceForgets(path: String) throws {
        guard let status = try FileSystem.status(of: FilePath(path)) else { return }
        #expect(status.isNullDevice == (path == "/dev/null"), "\(path)")
    }
}
