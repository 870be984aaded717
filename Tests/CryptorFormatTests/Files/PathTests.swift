import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A path names the file with exactly these bytes, or none.
@Suite struct PathTests {
    /// Every path that a function takes.
    enum Role: CaseIterable, Sendable {
        case encryptFrom, encryptTo, decryptFrom, decryptTo, chunksFrom, verify, rekeyFrom, rekeyTo, open, inspect

        var isSource: Bool { ![.encryptTo, .decryptTo, .rekeyTo].contains(self) }

        func run(_ job: FileJob, _ path: FileEndpoint, overwriting: Bool = true) throws {
            let (keys, new) = (job.credential, job.newCredential)
            switch self {
            case .encryptFrom: try Cryptor.encryptFile(at: path, to: job.destination, with: keys)
            case .encryptTo:
                try Cryptor.encryptFile(
                    at: job.source, to: path, with: keys, options: FileOptions(overwriting: overwriting))
            case .decryptFrom: try Cryptor.decryptFile(at: path, to: job.destination, with: keys)
            case .decryptTo:
                try Cryptor.decryptFile(
                    at: job.source, to: path, with: keys, options: FileOptions(overwriting: overwriting))
            case .chunksFrom: try Cryptor.decryptFile(at: path, with: keys) { _ in }
            case .verify: try Cryptor.verifyFile(at: path, with: keys)
            case .rekeyFrom: try Cryptor.rekeyFile(at: path, to: job.destination, from: keys, into: new)
            case .rekeyTo:
                try Cryptor.rekeyFile(
                    at: job.source, to: path, from: keys, into: new, options: FileOptions(overwriting: overwriting))
            case .open: _ = try VerifiedFile(at: path, with: keys)
            case .inspect: _ = try Cryptor.inspectFile(at: path)
            }
        }

        /// Does the same with a URL. Returns false if there is no such function.
        func run(_ job: FileJob, _ url: URL) throws -> Bool {
            let (keys, new) = (job.credential, job.newCredential)
            let source = URL(fileURLWithPath: job.folder.path("source"))
            let destination = URL(fileURLWithPath: job.folder.path("destination"))
            switch self {
            case .encryptFrom: try Cryptor.encryptFile(at: url, to: destination, with: keys)
            case .encryptTo:
                try Cryptor.encryptFile(at: source, to: url, with: keys, options: FileOptions(overwriting: true))
            case .decryptFrom: try Cryptor.decryptFile(at: url, to: destination, with: keys)
            case .decryptTo:
                try Cryptor.decryptFile(at: source, to: url, with: keys, options: FileOptions(overwriting: true))
            case .verify: try Cryptor.verifyFile(at: url, with: keys)
            case .rekeyFrom: try Cryptor.rekeyFile(at: url, to: destination, from: keys, into: new)
            case .rekeyTo:
                try Cryptor.rekeyFile(
                    at: source, to: url, from: keys, into: new, options: FileOptions(overwriting: true))
            case .open: _ = try VerifiedFile(at: url, with: keys)
            case .chunksFrom, .inspect: return false
            }
            return true
        }
    }

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
            error?.description.hasPrefix(#"$'other\x00\n': It contains a zero byte"#) == true,
            "\(String(describing: error))")
    }

    /// A URL that is not a file's is refused, and so is one whose path holds a zero byte.
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

    /// A name that is no text, and the name that it would become if it were taken for text.
    private static let names: (bytes: [UInt8], repaired: String) = ([0x66, 0xff], "f\u{fffd}")

    private func pathBytes(_ job: FileJob) -> [UInt8] { Array(job.folder.path("").utf8) + Self.names.bytes }

    /// Writes a file whose name may be no text, which not every file system allows.
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
        // The file with the repaired name is no message, and must be left alone.
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

    /// `%FF` in the URL of a file stands for the byte 0xFF.
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

    /// Characters that a URL escapes are not escaped in the name of the file.
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

    /// Work that reads a file twice reports no total if twice the file's length is more than `Int.max`.
    @Test(.enabled(if: canBeHuge), arguments: ["verify", "file", "stream", "rekey", "chunks", "open"])
    func aFileOf5EiB(work: String) throws {
        struct Enough: Error {}
        let folder = try TemporaryFolder(in: FileSystems.memory)
        let keys = try FileJob.keys(1)
        try folder.write(try Cryptor.encrypt([], with: keys), to: "huge")
        // A message can have this length.
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
