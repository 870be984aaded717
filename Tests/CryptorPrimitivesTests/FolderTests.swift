import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct FolderTests {
    private let folder: TemporaryFolder
    private let bytes = Array("0123456789".utf8)

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(bytes, to: "file")
    }

    private func open() throws -> Folder { try Folder.open(folder.filePath(".")) }

    private func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws -> Int {
        try withRawSpan(of: bytes) { (bytes) throws(SystemError) in try file.write(bytes) }
    }

    /// The number of the error that `work` throws.
    private func failure(_ work: () throws -> Void) -> CInt? {
        do { try work() } catch { return (error as? SystemError)?.number }
        return nil
    }

    /// A name may be longer than the field for it: vfat, NTFS and FUSE have names of 255 characters of up to three
    /// bytes.
    @Test(arguments: [0, 1, 255, 256, 300, 765])
    func namesOfAnyLength(count: Int) throws {
        let name = (0..<count).map { UInt8(1 + $0 % 255) }
        let size = MemoryLayout<dirent>.size + 1024
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<dirent>.alignment)
        defer { memory.deallocate() }
        memset(memory, 0, size)
        let entry = memory.bindMemory(to: dirent.self, capacity: 1)
        (memory + MemoryLayout<dirent>.offset(of: \.d_name)!).copyMemory(from: name, byteCount: count)
        #expect(Folder.name(of: entry) == name)
    }

    @Test(arguments: [("file", ENOTDIR), ("nothing", ENOENT), ("dangling", ENOENT), ("loop", ELOOP)])
    func onlyFoldersAreOpened(name: String, number: CInt) throws {
        try folder.symbolicLink("dangling", to: "nothing")
        try folder.symbolicLink("loop", to: "loop")
        #expect(throws: SystemError(number: number)) { _ = try Folder.open(folder.filePath(name)) }
    }

    @Test func createFailsIfTheNameIsTaken() throws {
        try folder.symbolicLink("dangling", to: "nothing")
        let opened = try open()
        do {
            let file = try opened.create(FilePath("new"), mode: 0o600)
            #expect(try write(bytes, to: file) == 10)
            var read: [UInt8] = []
            try read.appendBytes(capacity: 2) { (output) throws(SystemError) in
                _ = try file.read(upTo: 2, at: 8, into: &output)
            }
            #expect(read == Array("89".utf8), "it is open for reading, too")
        }
        #expect(try folder.mode(of: "new") == 0o600)
        for name in ["new", "file", "dangling"] {
            #expect(failure { _ = try opened.create(FilePath(name), mode: 0o600) } == EEXIST, "\(name)")
        }
        #expect(try folder.read("file") == bytes)
        #expect(!folder.exists("nothing"))
    }

    /// Not every file system has files without names.
    private static let hasAnonymousFiles =
        (try? Folder.open(FileSystem.temporaryFolder).openAnonymous(mode: 0o600) != nil) ?? false

    @Test(.enabled(if: hasAnonymousFiles)) func anonymousFilesHaveNoNameUntilTheyGetOne() throws {
        let opened = try open()
        guard let file = opened.openAnonymous(mode: 0o640) else {
            Issue.record("there are none in \(folder.path)")
            return
        }
        #expect(try write(bytes, to: file) == 10)
        #expect(try folder.names() == ["file"])
        #expect(failure { try opened.link(file, to: FilePath("file")) } == EEXIST)
        try opened.link(file, to: FilePath("linked"))
        #expect(try folder.read("linked") == bytes)
        #expect(try folder.mode(of: "linked") == 0o640 & folder.modeOfNewFiles())
    }

    @Test func linkFailsIfTheNameIsTaken() throws {
        let opened = try open()
        try opened.link(FilePath("file"), to: FilePath("second"))
        #expect(try folder.inode(of: "second") == folder.inode(of: "file"))
        #expect(failure { try opened.link(FilePath("file"), to: FilePath("second")) } == EEXIST)
    }

    @Test func renameReplaces() throws {
        try folder.write([9], to: "target")
        let opened = try open()
        try opened.rename(FilePath("file"), to: FilePath("target"))
        #expect(try folder.names() == ["target"])
        #expect(try folder.read("target") == bytes)
        #expect(failure { try opened.rename(FilePath("file"), to: FilePath("target")) } == ENOENT)
    }

    @Test func removeTakesTheLinkAndNotItsTarget() throws {
        try folder.symbolicLink("link", to: "file")
        let opened = try open()
        try opened.remove(FilePath("link"))
        #expect(try folder.names() == ["file"])
        #expect(failure { try opened.remove(FilePath("link")) } == ENOENT)
    }

    @Test func statusIsOfALinkItself() throws {
        try folder.symbolicLink("link", to: "file")
        try folder.symbolicLink("dangling", to: "nothing")
        let opened = try open()
        #expect(try opened.status(of: FilePath("file")) == FileSystem.status(of: folder.filePath("file")))
        #expect(try opened.status(of: FilePath("link"))?.kind == .symbolicLink)
        #expect(try opened.status(of: FilePath("dangling"))?.kind == .symbolicLink)
        #expect(try opened.status(of: FilePath("nothing")) == nil)
        #expect(try opened.status().kind == .folder)
        #expect(failure { _ = try opened.status(of: FilePath("file/below")) } == ENOTDIR)
    }

    /// The target of a link is returned byte by byte.
    @Test(arguments: ["file", "../a b", "/", "nothing/\u{e9}/", String(repeating: "x/", count: 2_000)])
    func aLinkSaysWhereItLeads(text: String) throws {
        try folder.symbolicLink("link", to: text)
        #expect(try open().target(ofLink: FilePath("link")).bytes == Array(text.utf8))
        #expect(failure { _ = try open().target(ofLink: FilePath("file")) } == EINVAL)
    }

    @Test func aFolderInAFolder() throws {
        for name in ["inner", "inner/deep", "other", "other/deep"] { try folder.makeFolder(name) }
        try folder.symbolicLink("inner/link", to: "deep")
        let inner = try Folder.open(folder.filePath("inner"))
        try folder.rename("inner", to: "moved")
        try folder.rename("other", to: "inner")
        #expect(try inner.folder(FilePath("deep")).status().identity == identity(of: "moved/deep"))
        #expect(try inner.folder(FilePath("../inner/deep")).status().identity == identity(of: "inner/deep"))
        #expect(try inner.folder(FilePath("link")).status().identity == identity(of: "moved/deep"))
        #expect(try inner.folder(below: FilePath("./deep")).status().identity == identity(of: "moved/deep"))
        #expect(failure { _ = try inner.folder(below: FilePath("link")) } == EXDEV)
        #expect(failure { _ = try inner.folder(below: FilePath("nothing")) } == ENOENT)
    }

    private func identity(of name: String) throws -> FileStatus.Identity? {
        try FileSystem.status(of: folder.filePath(name))?.identity
    }

    @Test func descriptorsAreNotPassedToOtherProgrammes() throws {
        let opened = try open()
        let new = try opened.create(FilePath("new"), mode: 0o600)
        #expect(fcntl(new.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        if let anonymous = opened.openAnonymous(mode: 0o600) {
            #expect(fcntl(anonymous.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test(.enabled(if: Privileges.canBeDropped)) func aFolderThatCannotBeListed() throws {
        try folder.makeFolder("drop")
        try folder.setMode(0o333, of: "drop")
        defer { try? folder.setMode(0o755, of: "drop") }
        try Privileges.withoutRoot {
            let drop = try Folder.open(folder.filePath("drop"))
            let new = try drop.create(FilePath("new"), mode: 0o600)
            try drop.synchronize(new)
        }
        #expect(folder.exists("drop/new"))
        let file = try FileDescriptor.open(folder.filePath("file"), for: .read)
        try open().synchronize(file)
    }

    // MARK: Exchanged meanwhile

    enum Exchange: CaseIterable { case byAFolder, byALink }

    /// All work happens in the folder that was opened, and none in the folder that has its name now.
    @Test(arguments: Exchange.allCases)
    func theFolderThatWasOpened(exchange: Exchange) throws {
        for name in ["inner", "other"] {
            try folder.makeFolder(name)
            for file in ["removed", "renamed", "linked"] { try folder.write(Array(name.utf8), to: "\(name)/\(file)") }
        }
        let opened = try Folder.open(folder.filePath("inner"))
        let unnamed = opened.openAnonymous(mode: 0o600)
        try folder.rename("inner", to: "moved")
        switch exchange {
        case .byAFolder: try folder.rename("other", to: "inner")
        case .byALink: try folder.symbolicLink("inner", to: "other")
        }
        try opened.remove(FilePath("removed"))
        try opened.rename(FilePath("renamed"), to: FilePath("renamed again"))
        try opened.link(FilePath("linked"), to: FilePath("linked again"))
        let created = try opened.create(FilePath("created"), mode: 0o600)
        #expect(try opened.status(of: FilePath("created")) != nil)
        #expect(try opened.status(of: FilePath("removed")) == nil)
        var expected = ["created", "linked", "linked again", "renamed again"]
        if let unnamed = unnamed {
            try opened.link(unnamed, to: FilePath("unnamed"))
            expected.append("unnamed")
        }
        try opened.synchronize(created)
        #expect(try folder.names(in: "moved") == expected)
        #expect(try folder.names(in: "inner") == ["linked", "removed", "renamed"])
        #expect(try folder.read("inner/linked") == Array("other".utf8))
        #expect(try opened.status().identity == FileSystem.status(of: folder.filePath("moved"))?.identity)
    }
}
