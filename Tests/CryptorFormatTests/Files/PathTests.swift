import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFiles

/// A path names the file with exactly these bytes, or none.
@Suite struct PathTests {
    /// A job with another message under the name that a path would have if it were cut at its zero
    /// byte.
    private func job() throws -> FileJob {
        let job = try FileJob(.decrypt)
        try job.directory.write(job.sourceBytes, to: "other")
        return job
    }

    private func expectRefusal(_ job: FileJob, _ what: String, _ work: () throws -> Void) throws {
        let error = try caughtError(of: work)
        #expect(error?.code == .invalidPath, "\(what): \(String(describing: error))")
        #expect(try job.directory.names() == ["other", "source"], "\(what)")
        #expect(try sameBytes(job.directory.read("other"), job.sourceBytes), "\(what)")
        #expect(try job.isSourceUntouched(), "\(what)")
    }

    @Test(arguments: Role.allCases) func noZeroBytes(role: Role) throws {
        for ending in ["\0", "\0.txt"] {
            let job = try job()
            let path = job.directory.path("other\(ending)")
            try expectRefusal(job, "\(role), \(path)") { try role.run(job, path) }
        }
        let error = try caughtError { try role.run(try job(), "other\0\n") }
        let sentence = #"$'other\x00\n': It contains a zero byte"#
        #expect(error?.description.hasPrefix(sentence) == true, "\(String(describing: error))")
    }

    /// A URL that is not a file's is refused, and so is one whose path holds a zero byte.
    @Test(arguments: Role.allCases) func noOtherURLs(role: Role) throws {
        let job = try job()
        let path = job.directory.path("other")
        for text in [
            "https://example.org\(path)", path, "data:\(path)", "file://\(path)%00.txt",
            "file://example.org\(path)",
        ] {
            let url = try #require(URL(string: text))
            try expectRefusal(job, "\(role), \(text)") { try role.run(job, url) }
        }
    }

    /// An error does not repeat a URL, which may hold a secret.
    @Test func errorsDoNotRepeatURLs() throws {
        let url = try #require(URL(string: "https://user:tr0ub4dor@example.org/?key=tr0ub4dor"))
        let error = try caughtError { try Cryptor.verifyFile(at: url, with: try FileJob.keys(1)) }
        #expect(
            error?.description.hasPrefix("A URL that begins with https: does not name a file")
                == true,
            "\(String(describing: error))")
        #expect("\(String(reflecting: error))\(error?.path ?? "")".contains("tr0ub4dor") == false)
    }

    // MARK: Bytes that are no text

    #if os(Linux)
    /// `%FF` in the URL of a file stands for the byte 0xFF, which is no text, and such names are
    /// passed as bytes.
    @Test func aNameThatIsNoText() throws {
        let job = try FileJob(.decrypt)
        let url = try #require(URL(string: "file://\(job.directory.path)/f%FF"))
        try job.directory.write([9, 9, 9], to: "f\u{fffd}")
        for role in [Role.verify, .encryptTo] {
            #expect(
                try caughtError { try role.run(job, url) }?.systemErrorNumber == ENOENT,
                "the other was taken")
        }
        let bytes = Array(job.directory.path("f").utf8) + [0xff]
        try Role.encryptTo.run(job, FileEndpoint.pathBytes(bytes), overwriting: false)
        try Role.verify.run(job, FileEndpoint.pathBytes(bytes))
        #expect(try job.directory.read("f\u{fffd}") == [9, 9, 9])
    }
    #endif

    /// Characters that a URL escapes are not escaped in the name of the file.
    @Test(arguments: ["a b", "100%", "a%20b", "%FF", "a#b?c", "a;b", "über", "-n", "a\nb", "…"])
    func namesThatURLsEscape(name: String) throws {
        let job = try FileJob(.encrypt)
        let directory = URL(fileURLWithPath: job.directory.path)
        let (message, opened) = (
            directory.appendingPathComponent(name), directory.appendingPathComponent("\(name).txt")
        )
        try Cryptor.encryptFile(
            at: URL(fileURLWithPath: job.directory.path("source")), to: message,
            with: job.credential)
        #expect(try Cryptor.verifyFile(at: message, with: job.credential) == job.plaintext.count)
        try Cryptor.rekeyFile(
            at: message, to: message, from: job.credential, into: job.newCredential)
        try Cryptor.decryptFile(at: message, to: opened, with: job.newCredential)
        #expect(try firstDifference(job.directory.read("\(name).txt"), job.plaintext) == nil)
        #expect(try job.directory.names() == [name, "\(name).txt", "source"].sorted())
    }
}
