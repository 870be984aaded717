import Foundation
import TestSupport
import Testing

@testable import CryptorPrimitives

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
        let file = try #require(try FileSystem.status(of: folder.path("file")))
        #expect(file.kind == .regular && file.byteCount == 3)
        #expect(try FileSystem.status(of: folder.path)?.kind == .folder)
        #expect(try FileSystem.status(of: folder.path("fifo"))?.kind == .other)
        #expect(try FileSystem.status(of: "/dev/null")?.kind == .other)
        #expect(try FileSystem.status(of: folder.path("link")) == file)
        #expect(try FileSystem.status(of: folder.path("link"), followingLinks: false)?.kind == .symbolicLink)
        #expect(try FileSystem.status(of: folder.path("dangling")) == nil)
        #expect(try FileSystem.status(of: folder.path("dangling"), followingLinks: false)?.kind == .symbolicLink)
        #expect(try FileSystem.status(of: folder.path("nothing")) == nil)
        let error = #expect(throws: SystemError.self) { try FileSystem.status(of: folder.path("file/nothing")) }
        #expect(error?.number == ENOTDIR)
    }

    @Test(arguments: [0o600, 0o644, 0o400, 0o4755] as [mode_t])
    func modes(mode: mode_t) throws {
        try folder.setMode(mode, of: "file")
        #expect(try FileSystem.status(of: folder.path("file"))?.mode == mode)
    }

    @Test func identity() throws {
        try folder.link("file", to: "other name")
        try folder.write([1, 2, 3], to: "other file")
        let identity = try FileSystem.status(of: folder.path("file"))?.identity
        #expect(try FileSystem.status(of: folder.path("other name"))?.identity == identity)
        #expect(try FileSystem.status(of: folder.path("other file"))?.identity != identity)
    }

    @Test func linkFailsIfTheNameIsTaken() throws {
        try FileSystem.link(folder.path("file"), to: folder.path("second"))
        #expect(try folder.inode(of: "second") == folder.inode(of: "file"))
        let error = #expect(throws: SystemError.self) {
            try FileSystem.link(folder.path("file"), to: folder.path("second"))
        }
        #expect(error?.number == EEXIST)
    }

    @Test func renameReplaces() throws {
        try folder.write([9], to: "target")
        try FileSystem.rename(folder.path("file"), to: folder.path("target"))
        #expect(try folder.names() == ["target"])
        #expect(try folder.read("target") == [1, 2, 3])
        let error = #expect(throws: SystemError.self) {
            try FileSystem.rename(folder.path("file"), to: folder.path("target"))
        }
        #expect(error?.number == ENOENT)
    }

    @Test func removeTakesTheLinkAndNotItsTarget() throws {
        try folder.symbolicLink("link", to: "file")
        try FileSystem.remove(folder.path("link"))
        #expect(try folder.names() == ["file"])
        let error = #expect(throws: SystemError.self) { try FileSystem.remove(folder.path("link")) }
        #expect(error?.number == ENOENT)
    }

    @Test func resolvedPathsAreFreeOfLinks() throws {
        try folder.makeFolder("inner")
        try folder.symbolicLink("outer", to: "inner")
        try folder.symbolicLink("inner/link", to: "../file")
        let path = try FileSystem.resolved(folder.path)
        #expect(try FileSystem.resolved(folder.path("outer/link")) == "\(path)/file")
        #expect(try FileSystem.resolved(folder.path("./inner/../file")) == "\(path)/file")
        let error = #expect(throws: SystemError.self) { try FileSystem.resolved(folder.path("nothing")) }
        #expect(error?.number == ENOENT)
    }

    @Test func foldersAreSynchronized() throws {
        try FileSystem.synchronize(folder: folder.path)
        let error = #expect(throws: SystemError.self) { try FileSystem.synchronize(folder: folder.path("nothing")) }
        #expect(error?.number == ENOENT)
    }

    @Test func aFolderThatCannotBeListedIsLeftToTheSystem() throws {
        try folder.makeFolder("drop")
        try folder.setMode(0o333, of: "drop")
        try Privileges.withoutRoot { try FileSystem.synchronize(folder: folder.path("drop")) }
    }

    @Test func theMaskIsThatOfNewFiles() throws {
        #expect(try 0o666 & ~FileSystem.fileCreationMask() == folder.modeOfNewFiles())
    }

    /// Threads that ask at the same time hear the same, and leave the mask as it was.
    @Test func theMaskIsNotChangedByAsking() throws {
        let mask = FileSystem.fileCreationMask()
        let others = LockedCount()
        DispatchQueue.concurrentPerform(iterations: 10_000) { _ in
            if FileSystem.fileCreationMask() != mask { others.add() }
        }
        let maskAfterwards = FileSystem.fileCreationMask()
        umask(mask)
        #expect(others.value == 0)
        #expect(maskAfterwards == mask)
    }

    @Test func theTemporaryFolderIsOne() throws {
        #expect(try FileSystem.status(of: FileSystem.temporaryFolder)?.kind == .folder)
    }
}

private final class LockedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add() { lock.withLock { count += 1 } }

    var value: Int { lock.withLock { count } }
}
