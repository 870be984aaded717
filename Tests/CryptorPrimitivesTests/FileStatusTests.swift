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

    private func status(_ name: String = "file") throws -> FileStatus? {
        try FileSystem.status(of: folder.filePath(name))
    }

    /// A block device has the same identity, whichever node it was opened through.
    @Test func nodesOfOneDevice() {
        func identity(_ mode: mode_t, device: dev_t, inode: ino_t) -> FileStatus.Identity {
            var status = stat()
            (status.st_mode, status.st_rdev, status.st_ino) = (mode, device, inode)
            return FileStatus(status).identity
        }
        let one = identity(S_IFBLK, device: 7, inode: 1)
        #expect(identity(S_IFBLK, device: 7, inode: 2) == one && identity(S_IFBLK, device: 8, inode: 1) != one)
        #expect(identity(S_IFCHR, device: 7, inode: 1) != identity(S_IFCHR, device: 7, inode: 2))
    }

    /// Waits until the clock of files, which moves in steps, has moved on.
    private func letTimePass() throws {
        let start = try status()?.changed
        repeat { try folder.write([], to: "clock") } while try status("clock")?.changed == start
    }

    @Test(arguments: ["append", "truncate", "mode", "link", "overwrite", "time", "exchange"])
    func whatIsDoneToAFileIsSeen(change: String) throws {
        let before = try #require(try status())
        _ = try folder.read("file")
        #expect(try status()?.isUnchanged(since: before) == true)
        try letTimePass()
        switch change {
        case "append": try folder.append([4], to: "file")
        case "truncate": try folder.truncate("file", to: 2)
        case "mode": try folder.setMode(0o640, of: "file")
        case "link": try folder.link("file", to: "other name")
        case "overwrite": try folder.write([9], to: "file", at: 1)
        case "time": try folder.setTimes(5, 7, of: "file")
        default:
            try folder.write([1, 2, 3], to: "other")
            try folder.rename("other", to: "file")
        }
        if change != "time" { try folder.setTimes(5, 6, of: "file") }
        let after = try #require(try status())
        #expect(!after.isUnchanged(since: before), "\(change): \(before), \(after)")
    }

    /// Only /dev/null counts as the null device: somebody may see what any other device is given.
    @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/tty", "/", "/etc/passwd"])
    func oneDeviceForgets(path: String) throws {
        guard let status = try FileSystem.status(of: FilePath(path)) else { return }
        #expect(status.isNullDevice == (path == "/dev/null"), "\(path)")
    }
}
