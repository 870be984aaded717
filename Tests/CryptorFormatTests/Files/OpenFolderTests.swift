import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
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
        entries.map { "\(String(decoding: $0.nameBytes, as: UTF8.self)) \($0.kind)" }
    }

    @Test func entriesInTheirOrder() throws {
        let root = try open()
        #expect(shown(try root.listing().entries) == [".fifo other", "a file", "b folder", "link symbolicLink"])
        #expect(
            shown(try root.listing(of: Array("b".utf8)).entries) == ["c folder", "d file", "dangling symbolicLink"])
        #expect(try root.listing(of: Array("b/c".utf8)).entries.isEmpty)
        // A folder can be listed any number of times.
        let (first, second) = (try root.listing().entries, try root.listing().entries)
        #expect(first == second)
    }

    @Test func oneEntry() throws {
        let root = try open()
        try place.link("root/a", to: "root/b/a")
        let entry = try #require(try root.entry(at: Array("a".utf8)))
        let other = try #require(try root.entry(at: Array("b/a".utf8)))
        let identity = try FileSystem.status(of: place.filePath("root/a"))?.identity
        #expect(entry.kind == .file && other.kind == .file)
        #expect(entry.identity == other.identity && entry.identity?.status == identity)
        #expect(try root.entry(at: Array("b/d".utf8))?.identity != entry.identity)
        #expect(try root.entry(at: Array("b".utf8))?.kind == .folder)
        #expect(try root.entry(at: Array("link".utf8))?.kind == .symbolicLink)
        #expect(try root.entry(at: Array("nothing".utf8)) == nil)
        #expect(try caughtError { _ = try root.entry(at: Array("a/".utf8)) }?.systemErrorNumber == EISDIR)
    }

    /// The path of a folder may have extra slashes and dots.
    @Test(arguments: ["b/", "b//", "./b", "b/.", "b/./"]) func namesOfFolders(path: String) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        #expect(try root.listing(of: bytes).entries.count == 3)
        #expect(try OpenFolder(at: FileEndpoint.pathBytes(bytes, below: root)).listing().entries.count == 3)
        let identity = try FileSystem.status(of: place.filePath("root/b"))?.identity
        #expect(try root.listing(of: bytes).identity.status == identity)
    }

    /// A path through a link, or out of the folder, is refused. The error does not show whether there is anything.
    @Test(arguments: [
        ("link/secret", true), ("link/nothing", true), ("link/secret/x", true), ("b/dangling/x", true), ("..", false),
        ("b/../b", false), ("/", false), ("/etc", false),
    ])
    func noWayLeadsOut(path: String, isThroughALink: Bool) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        for work in [{ _ = try root.entry(at: bytes) }, { _ = try root.listing(of: bytes).entries }]
            as [() throws -> Void]
        {
            let error = try caughtError(of: work)
            #expect(error?.code == .invalidPath, "\(path): \(String(describing: error))")
            guard isThroughALink else { continue }
            #expect(error?.systemErrorNumber == EXDEV && error?.path == place.path("root/\(path)"), "\(path)")
        }
    }

    @Test(
        arguments: [("root/a", ENOTDIR), ("nothing", ENOENT), ("root/b/dangling", ENOENT), ("", ENOENT)]
            as [(String, CInt)])
    func onlyFoldersAreOpened(name: String, number: CInt) throws {
        let error = try caughtError { _ = try OpenFolder(at: name.isEmpty ? "" : place.path(name)) }
        #expect(error?.systemErrorNumber == number, "\(String(describing: error))")
        #expect(try caughtError { _ = try OpenFolder(at: FileEndpoint.standardInput) }?.code == .invalidPath)
        let below = try caughtError { _ = try open().listing(of: Array("a".utf8)).entries }
        #expect(below?.systemErrorNumber == ENOTDIR)
    }

    /// The folder stays the same, whatever has its name later.
    @Test func whatWasOpenedStays() throws {
        let root = try open()
        try place.rename("root", to: "moved")
        try place.symbolicLink("root", to: "elsewhere")
        #expect(shown(try root.listing().entries).contains("a file"))
        let url = try OpenFolder(at: URL(fileURLWithPath: place.path("moved")))
        let (found, expected) = (try url.listing().entries.map(\.identity), try root.listing().entries.map(\.identity))
        #expect(found == expected)
        #expect(Set([root, root, url]).count == 2)
    }
}
