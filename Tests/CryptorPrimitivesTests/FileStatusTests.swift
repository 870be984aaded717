import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorPrimitives

/// What tells a file from others, and from what it was before.
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

    /// Each of number, length and time alone makes the difference; the other two are as they were.
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

    /// Nothing was written to it, whatever else was done.
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

    /// What any other device is given may be seen by somebody.
    @Test(arguments: ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/tty", "/", "/etc/passwd"])
    func oneDeviceForgets(path: String) throws {
        guard let status = try FileSystem.status(of: FilePath(path)) else { return }
        #expect(status.isNullDevice == (path == "/dev/null"), "\(path)")
    }
}
