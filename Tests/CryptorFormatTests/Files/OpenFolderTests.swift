import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorFormat

/// What is in a folder, and below it.
@Suite struct OpenFolderTests {
    private let place: TemporaryFolder

    init() throws {
        place = try TemporaryFolder()
        for name in ["root", "root/b", "root/b/c", "elsewhere"] { try place.makeFolder(name) }
        for name in ["root/a", "root/b/d", "elsewhere/secret"] { try place.write([1, 2, 3], to: name) }
        try place.symbolicLink("root/link", to: "../elsewhere")
        try place.symbolicLink("root/b/dangling", to: "nothing")
        try place.makeFIFO("root/.fifo")
    }

    private func open(_ name: String = "root") throws -> OpenFolder { try OpenFolder(at: place.path(name)) }

    private func shown(_ entries: [OpenFolder.Entry]) -> [String] {
        entries.map { "\(String(decoding: $0.name, as: UTF8.self)) \($0.kind)" }
    }

    @Test func entriesInTheirOrder() throws {
        let root = try open()
        #expect(shown(try root.entries()) == [".fifo other", "a file", "b folder", "link other"])
        #expect(shown(try root.entries(below: Array("b".utf8))) == ["c folder", "d file", "dangling other"])
        #expect(try root.entries(below: Array("b/c".utf8)).isEmpty)
        // Any number of times.
        let (first, second) = (try root.entries(), try root.entries())
        #expect(first == second)
    }

    @Test func oneEntry() throws {
        let root = try open()
        try place.link("root/a", to: "root/b/a")
        let entry = try #require(try root.entry(at: Array("a".utf8)))
        let other = try #require(try root.entry(at: Array("b/a".utf8)))
        let inode = try place.inode(of: "root/a")
        #expect(entry.kind == .file && entry.inode == UInt64(inode))
        #expect(entry.device == other.device && entry.inode == other.inode)
        #expect(try root.entry(at: Array("b/d".utf8))?.inode != entry.inode)
        #expect(try root.entry(at: Array("b".utf8))?.kind == .folder)
        #expect(try root.entry(at: Array("link".utf8))?.kind == .other)
        #expect(try root.entry(at: Array("nothing".utf8)) == nil)
    }

    /// Folders may be named as people name them.
    @Test(arguments: ["b/", "b//", "./b", "b/.", "b/./", "b/c/../c/../"]) func namesOfFolders(path: String) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        guard !path.contains("..") else {
            #expect(try caughtError { _ = try root.entries(below: bytes) }?.code == .invalidPath)
            return
        }
        #expect(try root.entries(below: bytes).count == 3)
        #expect(try OpenFolder(at: FileEndpoint.pathBytes(bytes, below: root)).entries().count == 3)
        #expect(try root.entry(at: bytes)?.kind == .folder)
        let (found, expected) = (try root.entry(at: bytes)?.inode, try place.inode(of: "root/b"))
        #expect(found == UInt64(expected))
    }

    @Test func itself() throws {
        let entry = try #require(try open().entry(at: []))
        let inode = try place.inode(of: "root")
        #expect(entry.name.isEmpty && entry.kind == .folder && entry.inode == UInt64(inode))
    }

    /// As long as the system takes them as a whole, so that nobody makes them longer and longer.
    @Test func longPaths() throws {
        let root = try open()
        let long = Array(repeating: "b", count: Int(PATH_MAX) / 2).joined(separator: "/")
        for (path, number) in [(long, ENOENT), (long + "/", ENAMETOOLONG), (long + "/b", ENAMETOOLONG)] {
            let error = try caughtError { _ = try root.entries(below: Array(path.utf8)) }
            #expect(error?.systemErrorNumber == number, "\(path.count): \(String(describing: error))")
        }
    }

    /// Nobody learns what is elsewhere, nor whether it is there.
    @Test(arguments: ["link/secret", "link/nothing", "link/secret/x", "b/dangling/x"])
    func linksAreNoWay(path: String) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        for work in [{ _ = try root.entry(at: bytes) }, { _ = try root.entries(below: bytes) }] as [() throws -> Void] {
            let error = try caughtError(of: work)
            #expect(error?.code == .inputOutput && error?.systemErrorNumber == EXDEV, "\(String(describing: error))")
            #expect(error?.path == place.path("root/\(path)"))
        }
    }

    @Test(arguments: ["..", "b/../b", "/", "/etc"]) func noWordsLeadOut(path: String) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        for work in [{ _ = try root.entry(at: bytes) }, { _ = try root.entries(below: bytes) }] as [() throws -> Void] {
            #expect(try caughtError(of: work)?.code == .invalidPath, "\(path)")
        }
    }

    @Test(
        arguments: [("root/a", ENOTDIR), ("nothing", ENOENT), ("root/b/dangling", ENOENT), ("", ENOENT)]
            as [(String, CInt)])
    func onlyFoldersAreOpened(name: String, number: CInt) throws {
        let error = try caughtError { _ = try OpenFolder(at: name.isEmpty ? "" : place.path(name)) }
        #expect(error?.systemErrorNumber == number, "\(String(describing: error))")
        #expect(throws: CryptorError.self) { _ = try OpenFolder(at: FileEndpoint.standardInput) }
        let below = try caughtError { _ = try open().entries(below: Array("a".utf8)) }
        #expect(below?.systemErrorNumber == ENOTDIR)
    }

    /// Links in its own path are its caller's; it is the same folder whatever has its name later.
    @Test func whatWasOpenedStays() throws {
        try place.symbolicLink("way", to: "root")
        let root = try open("way")
        try place.remove("way")
        try place.symbolicLink("way", to: "elsewhere")
        try place.rename("root", to: "moved")
        #expect(shown(try root.entries()).contains("a file"))
        let inner = try OpenFolder(at: FileEndpoint.path("b/c", below: root))
        #expect(try inner.entries().isEmpty)
        let url = try OpenFolder(at: URL(fileURLWithPath: place.path("moved")))
        let (found, expected) = (try url.entries(), try root.entries())
        #expect(found == expected)
        #expect(Set([root, root, url]).count == 2)
    }

    @Test(.enabled(if: !Privileges.areRoots)) func foldersThatMayNotBeRead() throws {
        try place.setMode(0o300, of: "root")
        defer { try? place.setMode(0o700, of: "root") }
        let root = try open()
        #expect(try caughtError { _ = try root.entries() }?.systemErrorNumber == EACCES)
        #expect(try root.entry(at: Array("a".utf8))?.kind == .file)
    }
}
