import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorPrimitives
@testable import CryptorSystem

@Suite struct FilePathTests {
    @Test(
        arguments: [
            ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/a/b/c", "/a/b", "c"), ("./a", ".", "a"),
            ("a//b", "a/", "b"), ("..", ".", ".."), ("a/..", "a", ".."), (" ", ".", " "), ("//a", "/", "a"),
            ("a/", "a", nil), ("a//", "a/", nil), ("/", "/", nil), ("//", "/", nil),
        ] as [(String, String, String?)])
    func parts(path: String, folder: String, name: String?) throws {
        let found = try FilePath(path)
        #expect(found.bytes == Array(path.utf8))
        // Slashes may be repeated.
        let foundFolder = String(decoding: found.folder.bytes, as: UTF8.self)
        #expect(foundFolder == folder, "\(path): \(foundFolder)")
        #expect(found.name?.bytes == name.map { Array($0.utf8) }, "\(path)")
    }

    @Test(arguments: [[0], [97, 0], [0, 97], [97, 0, 98], [0, 0]] as [[UInt8]])
    func noZeroBytes(bytes: [UInt8]) {
        #expect(throws: SystemError(number: EINVAL)) { try FilePath(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(throws: SystemError(number: EINVAL)) { try FilePath(text) }
    }

    @Test func notEmpty() {
        #expect(throws: SystemError(number: ENOENT)) { try FilePath("") }
        #expect(throws: SystemError(number: ENOENT)) { try FilePath([UInt8]()) }
    }

    /// Every byte that a name can have reaches the system as it is.
    @Test func everyByte() throws {
        let folder = try TemporaryFolder()
        let bytes = (1...255).filter { $0 != UInt8(ascii: "/") }.map { UInt8($0) }
        // A name has at most 255 bytes.
        for name in [Array(bytes.prefix(127)), Array(bytes.dropFirst(127))] {
            let path = try FilePath(Array(folder.path.utf8) + [UInt8(ascii: "/")] + name)
            #expect(path.bytes.suffix(name.count) == name[...])
            #expect(path.name?.bytes == name)
            let parent = try Folder.open(path.folder)
            let file = try parent.create(try #require(path.name), mode: 0o600)
            #expect(try FileSystem.status(of: path)?.identity == file.status().identity)
            try parent.remove(try #require(path.name))
            #expect(try FileSystem.status(of: path) == nil)
        }
    }

    /// Text is compared by its characters, and paths are compared by their bytes.
    @Test func spellingsAreDifferentPaths() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(try FilePath(composed) != FilePath(decomposed))
        #expect(try FilePath(composed) == FilePath([0xc3, 0xa9]))
    }
}
