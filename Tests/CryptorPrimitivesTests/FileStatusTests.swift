import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

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
        #expect(!after.isUnchanged(since: before), "\(change): \(before), \(after)")
    }

    /// Only /dev/null counts as the null device: somebody may see what any other device is given.
    @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/tty", "/", "/etc/passwd"])
    func oneDeviceForgets(path: String) throws {
        guard let status = try FileSystem.status(of: FilePath(path)) else { return }
        #expect(status.isNullDevice == (path == "/dev/null"), "\(path)")
    }
}
