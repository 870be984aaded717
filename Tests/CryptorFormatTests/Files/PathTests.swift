import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// A path means the file of just these bytes, or none.
@Suite struct PathTests {
    /// All functions that take a path, by the one that is tried.
    enum Role: CaseIterable, Sendable {
        case encryptFrom, encryptTo, decryptFrom, decryptTo, chunksFrom, verify, rekeyFrom, rekeyTo, open, inspect

        var isSource: Bool { ![.encryptTo, .decryptTo, .rekeyTo].contains(self) }

        func run(_ job: FileJob, _ path: FileEndpoint, overwriting: Bool = true) throws {
            let (keys, new) = (job.credential, job.newCredential)
            switch self {
            case .encryptFrom: try Cryptor.encryptFile(at: path, to: job.destination, with: keys)
            case .encryptTo: try Cryptor.encryptFile(at: job.source, to: path, with: keys, overwriting: overwriting)
            case .decryptFrom: try Cryptor.decryptFile(at: path, to: job.destination, with: keys)
            case .decryptTo: try Cryptor.decryptFile(at: job.source, to: path, with: keys, overwriting: overwriting)
            case .chunksFrom: try Cryptor.decryptFile(at: path, with: keys) { _ in }
            case .verify: try Cryptor.verifyFile(at: path, with: keys)
            case .rekeyFrom: try Cryptor.rekeyFile(at: path, to: job.destination, from: keys, into: new)
            case .rekeyTo:
                try Cryptor.rekeyFile(at: job.source, to: path, from: keys, into: new, overwriting: overwriting)
            case .open: _ = try VerifiedFile(at: path, with: keys)
            case .inspect: _ = try Cryptor.inspectFile(at: path)
            }
        }

        /// With a URL; nil where there is no such function.
        func run(_ job: FileJob, _ url: URL) throws -> Bool {
            let (keys, new) = (job.credential, job.newCredential)
            let source = URL(fileURLWithPath: job.folder.path("source"))
            let destination = URL(fileURLWithPath: job.folder.path("destination"))
            switch self {
            case .encryptFrom: try Cryptor.encryptFile(at: url, to: destination, with: keys)
            case .encryptTo: try Cryptor.encryptFile(at: source, to: url, with: keys, overwriting: true)
            case .decryptFrom: try Cryptor.decryptFile(at: url, to: destination, with: keys)
            case .decryptTo: try Cryptor.decryptFile(at: source, to: url, with: keys, overwriting: true)
            case .verify: try Cryptor.verifyFile(at: url, with: keys)
            case .rekeyFrom: try Cryptor.rekeyFile(at: url, to: destination, from: keys, into: new)
            case .rekeyTo: try Cryptor.rekeyFile(at: source, to: url, from: keys, into: new, overwriting: true)
            case .open: _ = try VerifiedFile(at: url, with: keys)
            case .chunksFrom, .inspect: return false
            }
            return true
        }
    }

    /// A job with another message under the name that a cut path would have.
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

    @Test(arguments: Role.allCases)
    func noZeroBytes(role: Role) throws {
        for ending in ["\0", "\0.txt", "\0/x"] {
            let job = try job()
            let path = job.folder.path("other\(ending)")
            for endpoint in [FileEndpoint.path(path), .pathBytes(Array(path.utf8))] {
                try expectRefusal(job, "\(role), \(endpoint)") { try role.run(job, endpoint) }
            }
        }
        let error = try caughtError { try role.run(try job(), .path("other\0\n")) }
        #expect(
            error?.description.hasPrefix(#"$'other\x00\n': It holds a zero byte"#) == true,
            "\(String(describing: error))")
    }

    /// Neither is the path of a URL that is none of a file, nor a path that holds a zero byte.
    @Test(arguments: Role.allCases)
    func noOtherURLs(role: Role) throws {
        let job = try job()
        let path = job.folder.path("other")
        for text in ["https://example.org\(path)", path, "data:\(path)", "file://\(path)%00.txt", "file://\(path)%00"] {
            let url = try #require(URL(string: text))
            try expectRefusal(job, "\(role), \(text)") {
                guard try role.run(job, url) else { throw CryptorError.notFileURL(scheme: nil) }
            }
        }
    }

    /// An error holds no secret.
    @Test func errorsDoNotRepeatURLs() throws {
        let url = try #require(URL(string: "https://user:tr0ub4dor@example.org/?key=tr0ub4dor"))
        let error = try caughtError { try Cryptor.verifyFile(at: url, with: try FileJob.keys(1)) }
        #expect(
            error?.description.hasPrefix("A URL that begins with https: was given") == true,
            "\(String(describing: error))")
        #expect("\(String(reflecting: error))\(error?.path ?? "")".contains("tr0ub4dor") == false)
    }

    // MARK: Bytes that are no text

    /// Two names, the second of which is what is made of the first where it is taken for text.
    private static let names: (bytes: [UInt8], repaired: String) = ([0x66, 0xff], "f\u{fffd}")

    private func pathBytes(_ job: FileJob) -> [UInt8] { Array(job.folder.path("").utf8) + Self.names.bytes }

    /// Not every file system has such names.
    private func write(_ bytes: [UInt8], to path: [UInt8]) throws {
        let file = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try #require(bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) } == bytes.count)
    }

    #if os(Linux)
    @Test(arguments: Role.allCases.filter(\.isSource))
    func aNameThatIsNoText(role: Role) throws {
        let job = try FileJob(.decrypt)
        let path = pathBytes(job)
        // The other file is no message, and to be left alone.
        try job.folder.write([9, 9, 9], to: Self.names.repaired)
        let missing = try caughtError { try role.run(job, .pathBytes(path)) }
        #expect(missing?.systemErrorNumber == ENOENT, "the other file was taken: \(String(describing: missing))")
        try write(job.sourceBytes, to: path)
        try role.run(job, .pathBytes(path))
        #expect(try job.folder.read(Self.names.repaired) == [9, 9, 9])
    }

    @Test(arguments: Role.allCases.filter { !$0.isSource })
    func anOutputThatIsNoText(role: Role) throws {
        let job = try FileJob(.decrypt)
        let path = pathBytes(job)
        try job.folder.write([9, 9, 9], to: Self.names.repaired)
        try role.run(job, .pathBytes(path))
        #expect(try job.folder.read(Self.names.repaired) == [9, 9, 9])
        if role == .encryptTo { try Cryptor.verifyFile(at: .pathBytes(path), with: job.credential) }
        if role == .rekeyTo { try Cryptor.verifyFile(at: .pathBytes(path), with: job.newCredential) }
    }

    /// `%FF` in the URL of a file is the byte.
    @Test(arguments: Role.allCases.filter(\.isSource))
    func aURLOfANameThatIsNoText(role: Role) throws {
        let job = try FileJob(.decrypt)
        try job.folder.write([9, 9, 9], to: Self.names.repaired)
        let url = try #require(URL(string: "file://\(job.folder.path)/f%FF"))
        let missing = try caughtError {
            guard try role.run(job, url) else { throw CryptorError.notFileURL(scheme: nil) }
        }
        #expect(
            missing?.systemErrorNumber == ENOENT
                || missing?.code == .invalidPath && [.inspect, .chunksFrom].contains(role))
        try write(job.sourceBytes, to: pathBytes(job))
        _ = try role.run(job, url)
    }
    #endif

    /// What is escaped in a URL is so in a URL only.
    @Test(arguments: ["a b", "100%", "a%20b", "ü", "#", "?", "a;b", "%FF"])
    func namesInURLs(name: String) throws {
        let job = try FileJob(.decrypt)
        try job.folder.rename("source", to: name)
        try Cryptor.verifyFile(at: URL(fileURLWithPath: job.folder.path(name)), with: job.credential)
        try Cryptor.decryptFile(
            at: URL(fileURLWithPath: job.folder.path(name)), to: URL(fileURLWithPath: job.folder.path("\(name)+")),
            with: job.credential)
        #expect(try job.folder.names() == [name, "\(name)+"].sorted())
    }

    // MARK: Lengths that no file of this disk has

    private static let hugeByteCount = 5 << 60

    private static let canBeHuge: Bool = {
        guard FileSystems.all.contains(FileSystems.memory), let folder = try? TemporaryFolder(in: FileSystems.memory)
        else { return false }
        try? folder.write([], to: "probe")
        return (try? folder.truncate("probe", to: hugeByteCount)) != nil
    }()

    /// Twice its length is no number: it is read once to be verified, and a second time.
    @Test(.enabled(if: canBeHuge), arguments: ["verify", "file", "stream", "rekey", "chunks", "open"])
    func aFileOf5EiB(work: String) throws {
        struct Enough: Error {}
        let folder = try TemporaryFolder(in: FileSystems.memory)
        let keys = try FileJob.keys(1)
        try folder.write(try Cryptor.encrypt([], with: keys), to: "huge")
        // Of a length that a message has.
        let byteCount = Self.hugeByteCount + 2
        try folder.truncate("huge", to: byteCount)
        let source = FileEndpoint.path(folder.path("huge"))
        let destination = FileEndpoint.path(folder.path("destination"))
        let isReadTwice = ["stream", "rekey", "chunks"].contains(work)
        var calls = 0
        let progress: FileProgress.Handler = {
            #expect($0.totalBytes == (isReadTwice ? nil : byteCount))
            calls += 1
            if calls == 3 { throw Enough() }
        }
        let error = try withoutActuallyEscaping(progress) { progress in
            try caughtError {
                switch work {
                case "verify": try Cryptor.verifyFile(at: source, with: keys, progress: progress)
                case "file": try Cryptor.decryptFile(at: source, to: destination, with: keys, progress: progress)
                case "stream":
                    let reader = try PipeReader()
                    let pipe = FileEndpoint.descriptor(try #require(reader.writeEnd))
                    try Cryptor.decryptFile(at: source, to: pipe, with: keys, progress: progress)
                case "rekey":
                    try Cryptor.rekeyFile(at: source, to: destination, from: keys, into: keys, progress: progress)
                case "chunks": try Cryptor.decryptFile(at: source, with: keys, progress: progress) { _ in }
                default: _ = try VerifiedFile(at: source, with: keys, progress: progress)
                }
            }
        }
        #expect(error?.code == .cancelled, "\(String(describing: error))")
        #expect(calls == 3)
        let inspection = try Cryptor.inspectFile(at: source)
        #expect(inspection.messageByteCount == byteCount && inspection.shapeError == nil)
    }
}
