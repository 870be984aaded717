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

    private func shown(_ entries: [Folder.Entry]) -> [String] {
        entries.map { entry in
            "\(String(decoding: entry.name, as: UTF8.self)) \(entry.status.map { "\($0.kind)" } ?? "unknown")"
        }
    }

    @Test func entriesInTheirOrder() throws {
        let root = try open()
        #expect(shown(try root.listing().entries) == [".fifo fifo", "a regular", "b folder", "link symbolicLink"])
        #expect(
            shown(try root.listing(of: Array("b".utf8)).entries) == ["c folder", "d regular", "dangling symbolicLink"])
        #expect(try root.listing(of: Array("b/c".utf8)).entries.isEmpty)
        // A folder can be listed any number of times.
        let (first, second) = (try root.listing().entries, try root.listing().entries)
        #expect(shown(first) == shown(second))
    }

    /// What is there is told without following a link below the folder, and by its identity.
    @Test func oneEntry() throws {
        let root = try open()
        try place.link("root/a", to: "root/b/a")
        func status(_ path: String) throws -> FileStatus? { try FileEndpoint.path(path, below: root).status() }
        let identity = try FileSystem.status(of: place.filePath("root/a"))?.identity
        #expect(try status("a")?.identity == identity && status("b/a")?.identity == identity)
        #expect(try status("b/d")?.identity != identity)
        #expect(try status("a")?.kind == .regular && status("b")?.kind == .folder)
        #expect(try status("link")?.kind == .symbolicLink && status("nothing") == nil)
        #expect(try caughtError { _ = try status("a/") }?.systemErrorNumber == EISDIR)
        let folder = try FileSystem.status(of: place.filePath("root/b"))?.identity
        #expect(try FileEndpoint.path("b/new", below: root).folderStatus()?.identity == folder)
    }

    /// The path of a folder may have extra slashes and dots.
    @Test(arguments: ["b/", "b//", "./b", "b/.", "b/./"]) func namesOfFolders(path: String) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        #expect(try root.listing(of: bytes).entries.count == 3)
        #expect(try OpenFolder(at: FileEndpoint.pathBytes(bytes, below: root)).listing().entries.count == 3)
        let identity = try FileSystem.status(of: place.filePath("root/b"))?.identity
        #expect(try root.listing(of: bytes).folder == identity)
    }

    /// A path through a link, or out of the folder, is refused. The error does not show whether there is anything.
    @Test(arguments: [
        ("link/secret", true), ("link/nothing", true), ("link/secret/x", true), ("b/dangling/x", true), ("..", false),
        ("b/../b", false), ("/", false), ("/etc", false),
    ])
    func noWayLeadsOut(path: String, isThroughALink: Bool) throws {
        let root = try open()
        let bytes = Array(path.utf8)
        let works: [() throws -> Void] = [
            { _ = try FileEndpoint.pathBytes(bytes, below: root).status() }, { _ = try root.listing(of: bytes) },
        ]
        for work in works {
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
        #expect(shown(try root.listing().entries).contains("a regular"))
        let url = try OpenFolder(at: URL(fileURLWithPath: place.path("moved")))
        let (found, expected) = (
            try url.listing().entries.map(\.status?.identity), try root.listing().entries.map(\.status?.identity)
        )
        #expect(found == expected)
        #expect(Set([root, root, url]).count == 2)
    }
}
