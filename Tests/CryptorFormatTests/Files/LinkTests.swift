import CryptorPrimitives
import CryptorSystem
import Foundation
import Synchronization
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A symbolic link leads to the file that is meant, and the link itself stays.
@Suite struct LinkTests {
    /// Where a link leads, seen from the job's folder, and what is written into the link.
    static let targets = [
        ("target", "target"), ("inner/target", "inner/target"), ("inner/target", "./inner/../inner/target"),
    ]

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func theTargetIsReplaced(task: FileTask, naming: Naming) throws {
        for (target, text) in Self.targets {
            let job = try FileJob(task, byteCount: 300_000)
            try job.folder.makeFolder("inner")
            try job.folder.write([1, 2, 3], to: target)
            try job.folder.setMode(0o640, of: target)
            try job.folder.symbolicLink("destination", to: text)
            let names = try job.folder.names()

            let error = #expect(throws: CryptorError.self) { try naming.use { try job.run() } }
            #expect(error?.code == .destinationExists)
            #expect(error?.path == job.destination.description)
            #expect(try firstDifference(job.folder.read(target), [1, 2, 3]) == nil)

            try naming.use { try job.run(overwriting: true) }
            #expect(try job.folder.target(ofLink: "destination") == text)
            #expect(try job.flaw(in: job.folder.read(target)) == nil, "\(SeededGenerator())")
            #expect(try job.folder.mode(of: target) == 0o640)
            #expect(try job.folder.names() == names)
            #expect(try job.folder.names(in: "inner") == (target == "target" ? [] : ["target"]))
        }
    }

    /// Each link starts in the folder to which the one before it leads, and may lead through a folder that is a link.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aChainLeadsToItsEnd(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        for name in ["inner", "inner/deep", "other"] { try job.folder.makeFolder(name) }
        try job.folder.write([1, 2, 3], to: "other/target")
        try job.folder.write([4], to: "target")
        try job.folder.symbolicLink("destination", to: "inner/second")
        try job.folder.symbolicLink("inner/second", to: "deep/third")
        try job.folder.symbolicLink("inner/deep/third", to: job.folder.path("elsewhere/target"))
        try job.folder.symbolicLink("elsewhere", to: "other")
        try naming.use { try job.run(overwriting: true) }
        #expect(try job.flaw(in: job.folder.read("other/target")) == nil, "\(SeededGenerator())")
        #expect(try job.folder.read("target") == [4])
        #expect(try job.folder.target(ofLink: "inner/deep/third") == job.folder.path("elsewhere/target"))
        #expect(try job.folder.names(in: "other") == ["target"])
        #expect(try job.folder.names(in: "inner") == ["deep", "second"])
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aDanglingLinkIsNotFilled(task: FileTask, naming: Naming) throws {
        for overwriting in [false, true] {
            let job = try FileJob(task)
            try job.folder.symbolicLink("destination", to: "missing")
            let error = #expect(throws: CryptorError.self) {
                try naming.use { try job.run(overwriting: overwriting) }
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.description.hasPrefix("\(job.destination): It is a symbolic link") == true)
            #expect(try job.folder.names() == ["destination", "source"])
            #expect(try job.folder.target(ofLink: "destination") == "missing")
        }
    }

    /// In a folder that everybody may write to, only links of the caller and of the folder's owner are followed.
    @Test(
        .enabled(if: Privileges.areRoots),
        arguments: FileTask.allCases.flatMap { task in [(task, false), (task, true)] },
        Naming.allCases)
    func linksOfOthersInAFolderForEverybody(_ taskAndBehindAnother: (FileTask, Bool), naming: Naming) throws {
        let (task, isBehindAnother) = taskAndBehindAnother
        let (me, other, host): (uid_t, uid_t, uid_t) = (geteuid(), 1234, 4321)
        for (mode, linkOwner, mayFollow): (mode_t, uid_t, Bool) in [
            (0o1777, other, false), (0o1777, me, true), (0o1777, host, true), (0o777, other, false),
            (0o1755, other, true),
        ] {
            let job = try FileJob(task)
            try job.folder.makeFolder("shared")
            try job.folder.setOwner(host, group: 0, of: "shared")
            try job.folder.setMode(mode, of: "shared")
            try job.folder.write([1, 2, 3], to: "target")
            try job.folder.symbolicLink("shared/destination", to: "../target")
            try #require(lchown(job.folder.path("shared/destination"), linkOwner, 0) == 0)
            try job.folder.symbolicLink("destination", to: "shared/destination")
            let path = job.folder.path(isBehindAnother ? "destination" : "shared/destination")
            let error = try caughtError { try naming.use { try job.run(to: .path(path), overwriting: true) } }
            let comment: Comment =
                "\(path), \(String(mode, radix: 8)), owned by \(linkOwner): \(String(describing: error))"
            if mayFollow {
                #expect(error == nil, comment)
                #expect(try job.flaw(in: job.folder.read("target")) == nil, comment)
            } else {
                #expect(error?.code == .inputOutput && error?.fileOperation == .creatingOutput, comment)
                // The system itself may refuse it (fs.protected_symlinks).
                #expect([EPERM, EACCES].contains(error?.systemErrorNumber), comment)
                #expect(try job.folder.read("target") == [1, 2, 3], comment)
            }
            #expect(try job.folder.names(in: "shared") == ["destination"], comment)
            #expect(try job.folder.target(ofLink: "shared/destination") == "../target", comment)
        }
    }

    private final class Exchanging: Sendable {
        let isOver = Atomic(false)
    }

    /// A link of the caller and another user's keep changing places, as they can without a sticky bit. The owner that
    /// is checked and the target that is followed must be those of the same link.
    @Test(.enabled(if: Privileges.areRoots), arguments: ["link/source", "link"])
    func linksThatChangePlaces(path: String) throws {
        let folder = try TemporaryFolder()
        let keys = try FileJob.keys(1)
        for name in ["mine", "theirs", "shared"] { try folder.makeFolder(name) }
        try folder.setMode(0o777, of: "shared")
        try folder.write(Cryptor.encrypt([1, 2, 3], with: keys), to: "mine/source")
        try folder.write(Cryptor.encrypt([], with: keys), to: "theirs/source")
        let end = path == "link" ? "/source" : ""
        try folder.symbolicLink("shared/link", to: "../mine\(end)")
        try folder.symbolicLink("shared/other", to: "../theirs\(end)")
        try #require(lchown(folder.path("shared/other"), 1234, 0) == 0)
        let shared = try folder.filePath("shared")
        let exchanging = Exchanging()
        Thread.detachNewThread {
            guard let shared = try? Folder.open(shared), let link = try? FilePath("link"),
                let other = try? FilePath("other")
            else { return }
            while !exchanging.isOver.load(ordering: .relaxed) { try? shared.exchange(link, with: other) }
        }
        defer { exchanging.isOver.store(true, ordering: .relaxed) }
        var counts: [Int?: Int] = [:]
        for _ in 0..<5000 {
            counts[try? Cryptor.verifyFile(at: folder.path("shared/\(path)"), with: keys), default: 0] += 1
        }
        #expect(counts[0] == nil, "another user's file was read \(counts)")
        #expect(counts[3] != nil && counts[nil] != nil, "\(counts)")
    }

    /// A link that appears during the work is somebody else's file, and not followed.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aLinkMeanwhileIsNotFollowed(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        let error = #expect(throws: CryptorError.self) {
            try naming.use {
                try job.run { _ in
                    if !job.folder.exists("destination") { try job.folder.symbolicLink("destination", to: "missing") }
                }
            }
        }
        #expect(error?.code == .destinationExists)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.folder.target(ofLink: "destination") == "missing")
    }

    @Test(arguments: FileTask.allCases)
    func aLinkIsReadThrough(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.symbolicLink("link", to: "source")
        try job.run(from: .path(job.folder.path("link")))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }
}
