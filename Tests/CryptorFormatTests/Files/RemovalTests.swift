import CryptorFiles
import CryptorTestSupport
import Foundation
import Testing

/// `Directory.remove` removes one name below the directory, and nothing that a link leads to.
@Suite struct RemovalTests {
    private let place: TemporaryDirectory
    private let root: Directory

    init() throws {
        place = try TemporaryDirectory()
        for name in ["root", "root/inner", "root/inner/deep", "elsewhere"] {
            try place.makeDirectory(name)
        }
        for name in ["root/file", "root/inner/deep/file", "elsewhere/file"] {
            try place.write([1, 2, 3], to: name)
        }
        try place.symbolicLink("root/link", to: "../elsewhere/file")
        try place.symbolicLink("root/inner/up", to: "../../elsewhere")
        try place.symbolicLink("root/dangling", to: "nothing")
        try place.makeFIFO("root/fifo")
        try place.link("root/file", to: "root/twin")
        root = try Directory(at: place.path("root"))
    }

    private func tree() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: place.path))
    }

    @Test(arguments: [
        "file", "twin", "inner/deep/file", "./inner//deep/file", "link", "inner/up", "dangling",
        "fifo",
    ])
    func oneName(path: String) throws {
        let before = try tree()
        if path == "twin" {
            try root.remove(pathBytes: Array(path.utf8))
        } else {
            try root.remove(path)
        }
        let name = "root/" + path.replacing("./", with: "").replacing("//", with: "/")
        #expect(try tree() == before.subtracting([name]), "\(path)")
        let error = try caughtError { try root.remove(path) }
        #expect(error?.code == .inputOutput && error?.systemErrorNumber == ENOENT, "\(path)")
        #expect(
            error?.description.contains("It cannot be removed: No such file") == true, "\(path)")
    }

    @Test(arguments: [
        ("inner", CryptorError.Code.inputOutput, EISDIR as Int32?),
        ("inner/", .inputOutput, EISDIR),
        (".", .inputOutput, EISDIR), ("", .inputOutput, ENOENT), ("none", .inputOutput, ENOENT),
        ("inner/none/file", .inputOutput, ENOENT), ("file/x", .inputOutput, ENOTDIR),
        ("inner/up/file", .invalidPath, EXDEV), ("../elsewhere/file", .invalidPath, EXDEV),
        ("inner/../../elsewhere/file", .invalidPath, EXDEV), ("/etc/passwd", .invalidPath, EXDEV),
        ("file\0", .invalidPath, nil),
    ])
    func refused(path: String, code: CryptorError.Code, number: Int32?) throws {
        let before = try tree()
        let error = try caughtError { try root.remove(path) }
        #expect(error?.code == code, "\(path): \(String(describing: error))")
        #expect(error?.systemErrorNumber == number, "\(path): \(String(describing: error))")
        #expect(try tree() == before, "\(path)")
    }

    /// Names are looked up in the directory that was opened.
    @Test func inTheVeryDirectory() throws {
        try place.rename("root", to: "moved")
        try place.symbolicLink("root", to: "elsewhere")
        try root.remove("file")
        #expect(place.exists("elsewhere/file") && !place.exists("moved/file"))
    }
}
