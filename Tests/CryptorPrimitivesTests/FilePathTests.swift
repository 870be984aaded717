import Foundation
import Testing

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

    /// Text is compared by its characters, and paths are compared by their bytes.
    @Test func spellingsAreDifferentPaths() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(try FilePath(composed) != FilePath(decomposed))
        #expect(try FilePath(composed) == FilePath([0xc3, 0xa9]))
        #expect(throws: SystemError(number: ENOENT)) { try FilePath("") }
    }
}
