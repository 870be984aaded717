import CCryptorProbe
import CryptorTestSupport
import Foundation
import Synchronization
import Testing

@testable import CryptorFiles

/// A path below a directory does not lead out of it, whatever links, or words such as `..`,
/// somebody puts into it.
@Suite struct PathBelowTests {
    /// A job with the directories `root/inner` and `elsewhere`. Each has a copy of the source,
    /// called `file`, if `role` is a source. Otherwise only `elsewhere` has a file.
    private func job(_ role: Role) throws -> FileJob {
        let job = try FileJob(role == .encryptFrom || role == .encryptTo ? .encrypt : .decrypt)
        for name in ["root", "root/inner", "elsewhere"] { try job.directory.makeDirectory(name) }
        if role.isSource {
            for name in ["root/inner/file", "elsewhere/file"] {
                try job.directory.write(job.sourceBytes, to: name)
            }
        } else {
            try job.directory.write([1, 2, 3], to: "elsewhere/file")
        }
        return job
    }

    /// Names of all files, without following links, and the contents of those that a path may lead
    /// to.
    private func tree(_ job: FileJob) throws -> [String: [UInt8]] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: job.directory.path).map {
            ($0, [UInt8]())
        }
        let files = try ["source", "elsewhere/file"].map { ($0, try job.directory.read($0)) }
        return Dictionary(names + files) { $1 }
    }

    /// Expects an error that does not depend on the target of the path, and no change to any file.
    private func expectRefusal(
        _ code: CryptorError.Code, number: CInt?, _ role: Role, _ job: FileJob,
        _ endpoint: FileEndpoint
    ) throws {
        let before = try tree(job)
        for overwriting in role.isSource ? [true] : [true, false] {
            let error = try caughtError { try role.run(job, endpoint, overwriting: overwriting) }
            let comment: Comment =
                "\(role), \(endpoint), \(overwriting): \(String(describing: error))"
            #expect(error?.code == code, comment)
            #expect(error?.systemErrorNumber == number, comment)
            #expect(error?.path == endpoint.description, comment)
            #expect(
                error?.fileOperation == (role.isSource ? .openingInput : .creatingOutput), comment)
        }
        #expect(try tree(job) == before, "\(role), \(endpoint)")
    }

    private func root(_ job: FileJob, _ name: String = "root") throws -> Directory {
        try Directory(at: job.directory.path(name))
    }

    /// Links below `root`, their targets, and paths through them to a file, the source of the job,
    /// a directory or nothing.
    static let links: [(link: String, target: String, path: String)] = [
        ("link", "inner/file", "link"), ("link", "../elsewhere/file", "link"),
        ("inner/link", "file", "inner/link"),
        ("link", "inner", "link/file"), ("link", ".", "link/inner/file"),
        ("link", "../elsewhere", "./link//file"),
        ("inner/link", "..", "inner/link/inner/file"), ("link", "/proc/self/cwd", "link/file"),
        ("link", "../source", "link"), ("link", "..", "link/source"),
        ("link", "../elsewhere", "link"),
        ("link", "..", "link/nothing"), ("link", "../nothing", "link"),
        ("link", "../nothing", "link/file"),
        ("link", "../elsewhere/file", "link/file"), ("link", "/dev/null", "link"),
        ("link", "link", "link"),
    ]

    @Test(arguments: Role.allCases, links.indices)
    func noLinkIsFollowed(role: Role, index: Int) throws {
        let (link, target, path) = Self.links[index]
        let job = try job(role)
        if !role.isSource { try job.directory.write([4, 5, 6], to: "root/inner/file") }
        try job.directory.symbolicLink("root/\(link)", to: target)
        try expectRefusal(.invalidPath, number: EXDEV, role, job, .path(path, below: try root(job)))
        // Only the link was refused: the path works where links are followed.
        if ["inner", ".", ".."].contains(target), path.hasSuffix("file") {
            try role.run(job, job.directory.path("root/\(path)"))
        }
    }

    /// Only regular files are opened, because opening anything else might wait, or do something by
    /// itself.
    @Test(arguments: Role.allCases) func nothingButRegularFiles(role: Role) throws {
        let job = try job(role)
        try job.directory.makeFIFO("root/fifo")
        let root = try root(job)
        // Whoever waits for a reader must not find one that goes away again.
        let (waits, path) = (Tally(), job.directory.path("root/fifo"))
        Thread.detachNewThread {
            close(open(path, O_WRONLY))
            waits.add()
        }
        usleep(20_000)
        let error = try caughtError { try role.run(job, .path("fifo", below: root)) }
        #expect(
            error?.code == .invalidPath
                && error?.description.contains("It is not a regular file") == true)
        usleep(20_000)
        #expect(waits.count == 0, "the FIFO was opened")
        close(open(path, O_RDONLY))
        let directory = try caughtError { try role.run(job, .path("inner", below: root)) }
        #expect(directory?.systemErrorNumber == EISDIR, "\(String(describing: directory))")
        #expect(try job.directory.names(in: "root") == ["fifo", "inner"])
    }

    /// The directory is opened once: exchanging it for another one does not move any file there.
    @Test(arguments: Role.allCases) func theDirectoryIsOpenedOnce(role: Role) throws {
        let job = try job(role)
        let root = try root(job)
        try job.directory.rename("root", to: "moved")
        try job.directory.makeDirectory("other")
        try job.directory.makeDirectory("other/inner")
        try job.directory.write([7, 8, 9], to: "other/inner/file")
        try job.directory.symbolicLink("root", to: "other")
        try role.run(job, .path("inner/file", below: root))
        #expect(try job.directory.read("other/inner/file") == [7, 8, 9])
        #expect(try job.directory.names(in: "other/inner") == ["file"])
        if !role.isSource { #expect(try job.directory.names(in: "moved/inner") == ["file"]) }
    }

    /// The directory's own path may lead through links, because the caller chose it.
    @Test(arguments: Role.allCases, ["root", "root/inner/..", "elsewhere/link/"])
    func theDirectoryMayBeALink(role: Role, root: String) throws {
        for path in ["inner/file", "./inner//file"] {
            let job = try job(role)
            try job.directory.symbolicLink("elsewhere/link", to: job.directory.path("root"))
            let endpoint = FileEndpoint.path(
                path, below: try Directory(at: job.directory.path(root)))
            try role.run(job, endpoint)
            let whole = job.directory.path(
                root.hasSuffix("/") ? "\(root)\(path)" : "\(root)/\(path)")
            #expect(endpoint.pathBytes == Array(whole.utf8))
            #expect(role.isSource || job.directory.exists("root/inner/file"))
        }
    }

    /// A link that keeps changing places with a file, or with a directory, is never followed.
    @Test(arguments: ["inner/file", "file"]) func aLinkThatComesAndGoes(path: String) throws {
        let directory = try TemporaryDirectory()
        let keys = try FileJob.keys(1)
        for name in ["root", "elsewhere"] { try directory.makeDirectory(name) }
        if path == "inner/file" { try directory.makeDirectory("root/inner") }
        try directory.write(Cryptor.encrypt([1, 2, 3], with: keys), to: "root/\(path)")
        try directory.write(Cryptor.encrypt([], with: keys), to: "elsewhere/file")
        try directory.symbolicLink(
            "root/link", to: path == "file" ? "../elsewhere/file" : "../elsewhere")
        let (link, other) = (
            directory.path("root/link"), directory.path(path == "file" ? "root/file" : "root/inner")
        )
        final class Flag: Sendable { let isSet = Atomic(false) }
        let isOver = Flag()
        Thread.detachNewThread {
            while !isOver.isSet.load(ordering: .relaxed) { _ = probe_exchange(link, other) }
        }
        defer { isOver.isSet.store(true, ordering: .relaxed) }
        var counts: [Int?: Int] = [:]
        let endpoint = FileEndpoint.path(path, below: try Directory(at: directory.path("root")))
        var count = 0
        // On a busy machine, the other thread may have no core meanwhile.
        while count < 2000 || counts.count < 2 && count < 2_000_000 {
            count += 1
            counts[try? Cryptor.verifyFile(at: endpoint, with: keys), default: 0] += 1
        }
        #expect(counts[0] == nil, "a file elsewhere was read \(counts)")
        #expect(counts[3] != nil && counts[nil] != nil, "\(counts)")
    }

    /// Neither words such as `..` nor a path in the place of a name lead out.
    @Test(arguments: Role.allCases) func noWordsLeadOut(role: Role) throws {
        let job = try job(role)
        if role.isSource { try job.directory.write(job.sourceBytes, to: "root/file") }
        try job.directory.symbolicLink("root/link", to: "inner/file")
        let (root, outside) = (try root(job), job.directory.path("elsewhere/file"))
        for path in [
            "../elsewhere/file", "inner/../../elsewhere/file", "inner/../inner/file", "..", "../",
            outside, "/",
        ] {
            try expectRefusal(.invalidPath, number: EXDEV, role, job, .path(path, below: root))
        }
        for name in ["inner/file", "./file", "../source", "..", "/", "inner/", outside, "."] {
            try expectRefusal(.invalidPath, number: EXDEV, role, job, .file(name, in: root))
        }
        try expectRefusal(.invalidPath, number: EXDEV, role, job, .file("link", in: root))
        try expectRefusal(.inputOutput, number: ENOENT, role, job, .path("", below: root))
        if role.isSource {
            try expectRefusal(
                .inputOutput, number: ENOENT, role, job, .path("missing", below: root))
        }
        // These paths can only name directories.
        for path in ["inner/", ".", "inner/."] {
            try expectRefusal(.inputOutput, number: EISDIR, role, job, .path(path, below: root))
        }
        for name in ["../elsewhere", "..", "link", "inner/"] {
            let error = try caughtError { _ = try Directory(at: .file(name, in: root)) }
            #expect(error?.code == .invalidPath, "\(name): \(String(describing: error))")
        }
        try role.run(job, .file("file", in: try Directory(at: .file("inner", in: root))))
    }

    /// Nor does a search: nothing is listed, and no status told, through a link or outside. The
    /// error does not show whether there is anything.
    @Test(arguments: [
        ("link/file", true), ("link/nothing", true), ("link/file/x", true),
        ("inner/dangling/x", true), ("..", false),
        ("inner/../inner", false), ("/", false), ("/etc", false),
    ])
    func noSearchLeadsOut(path: String, isThroughALink: Bool) throws {
        let job = try job(.verify)
        try job.directory.symbolicLink("root/link", to: "../elsewhere")
        try job.directory.symbolicLink("root/inner/dangling", to: "nothing")
        let (root, bytes) = (try root(job), Array(path.utf8))
        let works: [() throws -> Void] = [
            { _ = try FileEndpoint.pathBytes(bytes, below: root).status() },
            { _ = try Directory(at: .pathBytes(bytes, below: root)) },
        ]
        for work in works {
            let error = try caughtError(of: work)
            #expect(error?.code == .invalidPath, "\(path): \(String(describing: error))")
            guard isThroughALink else { continue }
            #expect(
                error?.systemErrorNumber == EXDEV
                    && error?.path == job.directory.path("root/\(path)"),
                "\(path)")
        }
    }
}
