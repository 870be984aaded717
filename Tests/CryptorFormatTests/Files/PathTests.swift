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
        for ending in ["\0", "\0.txt"] {
            let job = try job()
            let path = job.folder.path("other\(ending)")
            try expectRefusal(job, "\(role), \(path)") { try role.run(job, path) }
        }
        let error = try caughtError { try role.run(try job(), "other\0\n") }
        let sentence = #"$'other\x00\n': It contains a zero byte"#
        #expect(error?.description.hasPrefix(sentence) == true, "\(String(describing: error))")
    }

    /// A URL that is not a file's is refused, and so is one whose path holds a zero byte.
    @Test(arguments: Role.allCases) func noOtherURLs(role: Role) throws {
        let job = try job()
        let path = job.folder.path("other")
        for text in ["https://example.org\(path)", path, "data:\(path)", "file://\(path)%00.txt"] {
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
    /// `%FF` in the URL of a file stands for the byte 0xFF, which is no text. The file whose name it would become if it were
    /// taken for text is left alone.
    @Test func aNameThatIsNoText() throws {
        let job = try FileJob(.decrypt)
        let url = try #require(URL(string: "file://\(job.folder.path)/f%FF"))
        try job.folder.write([9, 9, 9], to: "f\u{fffd}")
        #expect(try caughtError { try Role.verify.run(job, url) }?.systemErrorNumber == ENOENT, "the other was taken")
        try Role.encryptTo.run(job, url, overwriting: false)
        let bytes = Array(job.folder.path("f").utf8) + [0xff]
        try Role.verify.run(job, FileEndpoint.pathBytes(bytes))
        try Role.verify.run(job, url)
        #expect(try job.folder.read("f\u{fffd}") == [9, 9, 9])
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

    @Test(arguments: [("a", "b"), ("/a", "/b"), ("d/a", "d/b"), ("../d.e/a.f", "../d.e/b")])
    func siblings(path: String, sibling: String) throws {
        let root = try OpenFolder(at: "/")
        let b = Array("b".utf8)
        #expect(FileEndpoint.path(path).sibling(nameBytes: b) == .path(sibling))
        #expect(FileEndpoint.path(path, below: root).sibling(nameBytes: b) == .path(sibling, below: root))
        #expect(FileEndpoint.path(path, below: root) != .path(path, below: try OpenFolder(at: "/")))
        #expect(FileEndpoint.file("a", in: root).sibling(nameBytes: b) == .file("b", in: root))
        for other in ["", ".", "..", "/", "a/b", "../b", "b/", "b\0"] {
            #expect(FileEndpoint.path(path).sibling(nameBytes: Array(other.utf8)) == nil, "\(other)")
        }
        // A path that can only name a folder has no sibling, and neither has a stream.
        for folder in ["", "d/", ".", "..", "d/.", "/"].map({ FileEndpoint.path($0) }) + [.standardInput] {
            #expect(folder.sibling(nameBytes: b) == nil, "\(folder)")
        }
    }
}
