import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct FileSystemTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
    }

    @Test func statusOfEveryKind() throws {
        try folder.symbolicLink("link", to: "file")
        try folder.symbolicLink("dangling", to: "nothing")
        try folder.makeFIFO("fifo")
        let file = try #require(try FileSystem.status(of: folder.filePath("file")))
        #expect(file.kind == .regular && file.byteCount == 3)
        #expect(try FileSystem.status(of: folder.filePath("."))?.kind == .folder)
        #expect(try FileSystem.status(of: folder.filePath("fifo"))?.kind == .fifo)
        #expect(try FileSystem.status(of: FilePath("/dev/null"))?.kind == .other)
        #expect(try FileSystem.status(of: folder.filePath("link")) == file)
        #expect(try FileSystem.status(of: folder.filePath("dangling")) == nil)
        #expect(try FileSystem.status(of: folder.filePath("nothing")) == nil)
        let error = #expect(throws: SystemError.self) { try FileSystem.status(of: folder.filePath("file/nothing")) }
        #expect(error?.number == ENOTDIR)
    }

    @Test(arguments: [0o600, 0o644, 0o400, 0o4755] as [mode_t])
    func modes(mode: mode_t) throws {
        try folder.setMode(mode, of: "file")
        #expect(try FileSystem.status(of: folder.filePath("file"))?.mode == mode)
    }

    @Test func identity() throws {
        try folder.link("file", to: "other name")
        try folder.write([1, 2, 3], to: "other file")
        let identity = try FileSystem.status(of: folder.filePath("file"))?.identity
        #expect(try FileSystem.status(of: folder.filePath("other name"))?.identity == identity)
        #expect(try FileSystem.status(of: folder.filePath("other file"))?.identity != identity)
    }

    @Test(arguments: ["append", "mode", "link", "overwrite", "time", "exchange"])
    func whatIsDoneToAFileIsSeen(change: String) throws {
        let before = try #require(try FileSystem.status(of: folder.filePath("file")))
        _ = try folder.read("file")
        let afterReading = try #require(try FileSystem.status(of: folder.filePath("file")))
        #expect(afterReading.isUnchanged(since: before))
        try letTimePass()
        switch change {
        case "append": try folder.append([4], to: "file")
        case "mode": try folder.setMode(0o640, of: "file")
        case "link": try folder.link("file", to: "other name")
        case "overwrite": try folder.write([9], to: "file", at: 1)
        case "time":
            let now = [timespec(), timespec(tv_sec: 1, tv_nsec: 0)]
            try #require(utimensat(AT_FDCWD, folder.path("file"), now, 0) == 0)
        default:
            try folder.write([1, 2, 3], to: "other")
            try folder.rename("other", to: "file")
        }
        let after = try #require(try FileSystem.status(of: folder.filePath("file")))
        #expect(!after.isUnchanged(since: before), "\(change): \(before), \(after)")
    }

    /// Waits until the clock of files, which moves in steps, has moved on.
    private func letTimePass() throws {
        let start = try #require(try FileSystem.status(of: folder.filePath("file"))).changed
        repeat {
            try folder.write([], to: "clock")
        } while try FileSystem.status(of: folder.filePath("clock"))?.changed == start
    }

    @Test func theTemporaryFolderIsOne() throws {
        #expect(try FileSystem.status(of: FileSystem.temporaryFolder)?.kind == .folder)
    }
}
