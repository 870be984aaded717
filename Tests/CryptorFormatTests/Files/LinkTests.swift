import CryptorTestSupport
import Foundation
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

    @Test(arguments: Way.all) func theTargetIsReplaced(way: Way) throws {
        for (target, text) in Self.targets {
            let job = try FileJob(way, byteCount: 300_000)
            try job.folder.makeFolder("inner")
            try job.folder.write([1, 2, 3], to: target)
            try job.folder.symbolicLink("destination", to: text)
            let names = try job.folder.names()
            let error = try caughtError { try job.run() }
            #expect(error?.code == .destinationExists && error?.path == job.destination.description)
            #expect(try job.folder.read(target) == [1, 2, 3])

            try job.run(overwriting: true)
            #expect(try job.folder.target(ofLink: "destination") == text)
            #expect(try job.flaw(in: job.folder.read(target)) == nil, "\(SeededGenerator())")
            #expect(try job.folder.names() == names)
            #expect(try job.folder.names(in: "inner") == (target == "target" ? [] : ["target"]))
        }
    }

    /// Each link starts in the folder to which the one before it leads, and may lead through a folder that is a link.
    @Test(arguments: Way.all) func aChainLeadsToItsEnd(way: Way) throws {
        let job = try FileJob(way)
        for name in ["inner", "inner/deep", "other"] { try job.folder.makeFolder(name) }
        try job.folder.write([1, 2, 3], to: "other/target")
        try job.folder.write([4], to: "target")
        try job.folder.symbolicLink("destination", to: "inner/second")
        try job.folder.symbolicLink("inner/second", to: "deep/third")
        try job.folder.symbolicLink("inner/deep/third", to: job.folder.path("elsewhere/target"))
        try job.folder.symbolicLink("elsewhere", to: "other")
        try job.run(overwriting: true)
        #expect(try job.flaw(in: job.folder.read("other/target")) == nil, "\(SeededGenerator())")
        #expect(try job.folder.read("target") == [4])
        #expect(try job.folder.target(ofLink: "inner/deep/third") == job.folder.path("elsewhere/target"))
        #expect(try job.folder.names(in: "other") == ["target"])
        #expect(try job.folder.names(in: "inner") == ["deep", "second"])
    }

    @Test(arguments: Way.all, [false, true]) func aDanglingLinkIsNotFilled(way: Way, overwriting: Bool) throws {
        let job = try FileJob(way)
        try job.folder.symbolicLink("destination", to: "missing")
        let error = try caughtError { try job.run(overwriting: overwriting) }
        #expect(error?.code == .inputOutput)
        #expect(error?.description.hasPrefix("\(job.destination): It is a symbolic link") == true)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.folder.target(ofLink: "destination") == "missing")
    }

    /// Through /proc, a removed file has a path again. No other file can take its place there.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")), arguments: FileTask.allCases)
    func aPathToAFileWithoutAName(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.write([1, 2, 3], to: "gone")
        try job.folder.withDescriptor(of: "gone", O_RDWR) { descriptor in
            try job.folder.remove("gone")
            let error = try caughtError { try job.run(to: .path("/proc/self/fd/\(descriptor)"), overwriting: true) }
            #expect(error?.code == .inputOutput)
            #expect(error?.description.contains("an open file without a name") == true)
            #expect(lseek(descriptor, 0, SEEK_END) == 3)
        }
        #expect(try job.folder.names() == ["source"])
    }

    /// An output whose name, in a folder that everybody may write to, is a link goes through it only if it is the
    /// caller's or the folder owner's.
    @Test(.enabled(if: Privileges.areRoots), arguments: Way.all) func linksOfOthers(way: Way) throws {
        let (me, other, host): (uid_t, uid_t, uid_t) = (geteuid(), 1234, 4321)
        for (mode, linkOwner, mayFollow): (mode_t, uid_t, Bool) in [
            (0o1777, other, false), (0o1777, me, true), (0o1777, host, true), (0o777, other, false),
            (0o1755, other, true),
        ] {
            let job = try FileJob(way)
            try job.folder.makeFolder("shared")
            try job.folder.setOwner(host, group: 0, of: "shared")
            try job.folder.setMode(mode, of: "shared")
            try job.folder.write([1, 2, 3], to: "target")
            try job.folder.symbolicLink("shared/destination", to: "../target")
            try #require(lchown(job.folder.path("shared/destination"), linkOwner, 0) == 0)
            let error = try caughtError { try job.run(to: job.path("shared/destination"), overwriting: true) }
            let comment: Comment = "\(String(mode, radix: 8)), owned by \(linkOwner): \(String(describing: error))"
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

    // MARK: How many links are followed

    /// Makes 41 links that each lead to the one before.
    private func makeLinks(to target: String, in folder: TemporaryFolder) throws {
        for number in 1...41 {
            try folder.symbolicLink("link \(number)", to: number == 1 ? target : "link \(number - 1)")
        }
    }

    /// Forty, as the system follows (path_resolution(7)).
    @Test(arguments: FileTask.allCases) func fortyLinks(task: FileTask) throws {
        let job = try FileJob(task)
        let real = try #require(realpath(job.folder.path, nil))
        defer { free(real) }
        let path = { (number: Int) in FileEndpoint.path("\(String(cString: real))/link \(number)") }
        try job.folder.write([1, 2, 3], to: "target")
        try makeLinks(to: "target", in: job.folder)
        let output = try caughtError { try job.run(to: path(41), overwriting: true) }
        #expect(output?.systemErrorNumber == ELOOP && output?.fileOperation == .creatingOutput)
        #expect(try job.folder.read("target") == [1, 2, 3])
        try job.run(to: path(40), overwriting: true)
        #expect(try job.flaw(in: job.folder.read("target")) == nil, "\(SeededGenerator())")
        try job.folder.write(job.sourceBytes, to: "target")
        let input = try caughtError { try job.run(from: path(41)) }
        #expect(input?.systemErrorNumber == ELOOP && input?.fileOperation == .openingInput)
        try job.run(from: path(40))
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }
}
