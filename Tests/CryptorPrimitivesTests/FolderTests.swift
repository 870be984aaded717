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
        try folder.symbolicLink("dangling", to: "nothing")
    }

    private func open() throws -> Folder { try Folder.open(folder.filePath(".")) }

    /// The number of the error that `work` throws.
    private func failure(_ work: () throws -> Void) -> CInt? {
        do { try work() } catch { return (error as? SystemError)?.number }
        return nil
    }

    private func identity(of name: String) throws -> FileStatus.Identity? {
        try FileSystem.status(of: folder.filePath(name))?.identity
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

    /// Nothing that gives a name takes it from another file, but a plain rename.
    @Test func namesThatAreTaken() throws {
        let opened = try open()
        _ = try opened.create(FilePath("new"), mode: 0o640)
        #expect(try folder.mode(of: "new") == 0o640 & folder.modeOfNewFiles())
        for name in ["file", "dangling"] {
            let path = try FilePath(name)
            #expect(failure { _ = try opened.create(path, mode: 0o600) } == EEXIST, "\(name)")
            #expect(failure { try opened.link(FilePath("new"), to: path) } == EEXIST, "\(name)")
            #expect([EEXIST, nil].contains(failure { _ = try opened.renameUnlessTaken(FilePath("new"), to: path) }))
        }
        if let anonymous = opened.openAnonymous(mode: 0o600) {
            #expect(failure { try opened.link(anonymous, to: FilePath("file")) } == EEXIST)
        }
        #expect(try folder.read("file") == bytes && folder.names() == ["dangling", "file", "new"])
        try opened.link(FilePath("file"), to: FilePath("second"))
        #expect(try folder.inode(of: "second") == folder.inode(of: "file"))
        try opened.rename(FilePath("file"), to: FilePath("new"))
        #expect(try folder.names() == ["dangling", "new", "second"] && folder.read("new") == bytes)
        #expect(failure { try opened.rename(FilePath("file"), to: FilePath("new")) } == ENOENT)
        try opened.remove(FilePath("dangling"))
        #expect(failure { try opened.remove(FilePath("dangling")) } == ENOENT)
    }

    @Test func descriptorsAreNotPassedToOtherProgrammes() throws {
        let opened = try open()
        let files = [
            try opened.create(FilePath("new"), mode: 0o600).release(), opened.openAnonymous(mode: 0o600)?.release(),
            try folder.file("file").release(), try folder.file("file", for: .write).release(),
            try folder.withDescriptor(of: "file", O_RDONLY) { try FileDescriptor.duplicate($0).release() },
        ]
        for file in files.compactMap(\.self) {
            #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
            close(file)
        }
    }

    /// All work happens in the folder that was opened, and none in the folder that has its name now.
    @Test(arguments: [false, true]) func theFolderThatWasOpened(isExchangedByALink: Bool) throws {
        for name in ["inner", "other"] {
            try folder.makeFolder(name)
            for file in ["removed", "renamed", "linked"] { try folder.write(Array(name.utf8), to: "\(name)/\(file)") }
        }
        let opened = try Folder.open(folder.filePath("inner"))
        let unnamed = opened.openAnonymous(mode: 0o600)
        try folder.rename("inner", to: "moved")
        if isExchangedByALink {
            try folder.symbolicLink("inner", to: "other")
        } else {
            try folder.rename("other", to: "inner")
        }
        try opened.remove(FilePath("removed"))
        try opened.rename(FilePath("renamed"), to: FilePath("renamed again"))
        try opened.link(FilePath("linked"), to: FilePath("linked again"))
        let created = try opened.create(FilePath("created"), mode: 0o600)
        var expected = ["created", "linked", "linked again", "renamed again"]
        if let unnamed {
            try opened.link(unnamed, to: FilePath("unnamed"))
            expected.append("unnamed")
        }
        try opened.synchronize(created)
        #expect(try folder.names(in: "moved") == expected)
        #expect(try folder.names(in: "inner") == ["linked", "removed", "renamed"])
        #expect(try folder.read("inner/linked") == Array("other".utf8))
        #expect(try opened.status().identity == identity(of: "moved"))
    }
}
