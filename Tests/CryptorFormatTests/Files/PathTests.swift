import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A path names the file with exactly these bytes, or none.
@Suite struct PathTests {
    /// A job with another message under the name that a path would have if it were cut at its zero byte.
    private func job() throws -> FileJob {
        let job = try FileJob(.decrypt)
        try job.folder.write(job.sourceBytes, to: "other")
        return job
    }

    private func expectRefusal(_ job: FileJob, _ what: String, _ work: () throws -> Void) throws {
        let error = try caughtError(of: work)
        #expect(error?.code == .invalidPath, "\(what): \(String(describing: error))")
        #expect(try job.folder.names() == ["other", "source"], "\(what)")
        #expect(try sameBytes(job.folder.read("other"), job.sourceBytes), "\(what)")
        #expect(try job.isSourceUntouched(), "\(what)")
    }

    @Test(arguments: Role.allCases) func noZeroBytes(role: Role) throws {
        for ending in ["\0", "\0.txt", "\0/x"] {
            let job = try job()
            let path = job.folder.path("other\(ending)")
            for endpoint in [FileEndpoint.path(path), .pathBytes(Array(path.utf8))] {
                try expectRefusal(job, "\(role), \(endpoint)") { try role.run(job, endpoint) }
            }
        }
        let error = try caughtError { try role.run(try job(), FileEndpoint.path("other\0\n")) }
        #expect(
            error?.description.hasPrefix(#"$'other\x00\n': It contains a zero byte"#) == true,
            "\(String(describing: error))")
    }

    /// A URL that is not a file's is refused, and so is one whose path holds a zero byte.
    @Test(arguments: Role.allCases) func noOtherURLs(role: Role) throws {
        let job = try job()
        let path = job.folder.path("other")
        for text in ["https://example.org\(path)", path, "data:\(path)", "file://\(path)%00.txt", "file://\(path)%00"] {
            let url = try #require(URL(string: text))
            try expectRefusal(job, "\(role), \(text)") { try role.run(job, url) }
        }
    }

    /// An error does not repeat a URL, which may hold a secret.
    @Test func errorsDoNotRepeatURLs() throws {
        let url = try #require(URL(string: "https://user:tr0ub4dor@example.org/?key=tr0ub4dor"))
        let error = try caughtError { try Cryptor.verifyFile(at: url, with: try FileJob.keys(1)) }
        #expect(
            error?.description.hasPrefix("A URL that begins with https: was given") == true,
            "\(String(describing: error))")
        #expect("\(String(reflecting: error))\(error?.path ?? "")".contains("tr0ub4dor") == false)
    }

    // MARK: Bytes that are no text

    #if os(Linux)
    /// A name that is no text, and the name that it would become if it were taken for text. The file with that name is
    /// no message, and must be left alone. `%FF` in the URL of a file stands for the byte 0xFF.
    @Test(arguments: Role.allCases, [false, true]) func aNameThatIsNoText(role: Role, isURL: Bool) throws {
        let job = try FileJob(.decrypt)
        let (bytes, repaired): ([UInt8], String) = ([0x66, 0xff], "f\u{fffd}")
        let path = Array(job.folder.path("").utf8) + bytes
        let url = try #require(URL(string: "file://\(job.folder.path)/f%FF"))
        func run() throws { try isURL ? role.run(job, url) : role.run(job, FileEndpoint.pathBytes(path)) }
        try job.folder.write([9, 9, 9], to: repaired)
        if role.isSource {
            #expect(try caughtError(of: run)?.systemErrorNumber == ENOENT, "the other file was taken")
            try Cryptor.encryptFile(at: job.source, to: .pathBytes(path), with: job.credential)
            let file = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_TRUNC | O_CLOEXEC)
            try #require(file >= 0)
            defer { close(file) }
            let count = job.sourceBytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            try #require(count == job.sourceBytes.count)
        }
        try run()
        #expect(try job.folder.read(repaired) == [9, 9, 9])
        if role == .encryptTo { try Cryptor.verifyFile(at: .pathBytes(path), with: job.credential) }
        if role == .rekeyTo { try Cryptor.verifyFile(at: .pathBytes(path), with: job.newCredential) }
    }
    #endif

    /// Characters that a URL escapes are not escaped in the name of the file.
    @Test(arguments: ["a b", "100%", "a%20b", "%FF", "a#b?c", "a;b", "über", "-n", "a\nb", "…"])
    func namesThatURLsEscape(name: String) throws {
        let job = try FileJob(.encrypt)
        let folder = URL(fileURLWithPath: job.folder.path)
        let (message, opened) = (folder.appendingPathComponent(name), folder.appendingPathComponent("\(name).txt"))
        try Cryptor.encryptFile(
            at: URL(fileURLWithPath: job.folder.path("source")), to: message, with: job.credential)
        #expect(try Cryptor.verifyFile(at: message, with: job.credential) == job.plaintext.count)
        try Cryptor.rekeyFile(at: message, to: message, from: job.credential, into: job.newCredential)
        try Cryptor.decryptFile(at: message, to: opened, with: job.newCredential)
        #expect(try firstDifference(job.folder.read("\(name).txt"), job.plaintext) == nil)
        #expect(try job.folder.names() == [name, "\(name).txt", "source"].sorted())
    }

    /// All tests share the working folder, so this one makes no file there: it checks the name in an error.
    @Test func relativePathsWithoutAFolder() throws {
        let name = "cryptorformat-missing-\(UUID())"
        let error = try caughtError {
            try Cryptor.encryptFile(at: name, to: "\(name).rnc", with: try FileJob.keys(1))
        }
        #expect(error?.path == name)
        #expect(!FileManager.default.fileExists(atPath: "\(name).rnc"))
    }

    // MARK: Siblings

    @Test(arguments: [("a", "b"), ("/a", "/b"), ("d/a", "d/b"), ("../d.e/a.f", "../d.e/b")])
    func siblings(path: String, sibling: String) throws {
        let root = try OpenFolder(at: "/")
        #expect(FileEndpoint.path(path).sibling(nameBytes: Array("b".utf8)) == .path(sibling))
        #expect(FileEndpoint.path(path, below: root).sibling(nameBytes: Array("b".utf8)) == .path(sibling, below: root))
        #expect(FileEndpoint.path(path, below: root) != .path(path, below: try OpenFolder(at: "/")))
        #expect(FileEndpoint.file("a", in: root).sibling(nameBytes: Array("b".utf8)) == .file("b", in: root))
        #expect(FileEndpoint.standardInput.sibling(nameBytes: Array("b".utf8)) == nil)
        for other in ["", ".", "..", "/", "a/b", "../b", "b/", "b\0"] {
            #expect(FileEndpoint.path(path).sibling(nameBytes: Array(other.utf8)) == nil, "\(other)")
        }
        // A path that can only name a folder has no sibling.
        for folder in ["", "d/", ".", "..", "d/.", "d/..", "/"] {
            #expect(FileEndpoint.path(folder).sibling(nameBytes: Array("b".utf8)) == nil)
            #expect(FileEndpoint.path(folder, below: root).sibling(nameBytes: Array("b".utf8)) == nil)
        }
    }
}
