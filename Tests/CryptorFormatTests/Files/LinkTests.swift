import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A symbolic link leads to the file that is meant, and the link itself stays.
@Suite struct LinkTests {
    /// Each link starts in the folder to which the one before it leads, and may lead through a folder that is a link.
    @Test(arguments: Way.all) func aChainLeadsToItsEnd(way: Way) throws {
        let job = try FileJob(way)
        for name in ["inner", "inner/deep", "other"] { try job.folder.makeFolder(name) }
        try job.folder.write([1, 2, 3], to: "other/target")
        try job.folder.write([4], to: "target")
        try job.folder.symbolicLink("destination", to: "./inner/../inner/second")
        try job.folder.symbolicLink("inner/second", to: "deep/third")
        try job.folder.symbolicLink("inner/deep/third", to: job.folder.path("elsewhere/target"))
        try job.folder.symbolicLink("elsewhere", to: "other")
        let names = try job.folder.names()
        let error = try caughtError { try job.run() }
        #expect(error?.code == .destinationExists && error?.path == job.destination.description)
        #expect(try job.folder.read("other/target") == [1, 2, 3])
        try job.run(overwriting: true)
        #expect(try job.flaw(in: job.folder.read("other/target")) == nil, "\(SeededGenerator())")
        #expect(try job.folder.read("target") == [4])
        #expect(try job.folder.target(ofLink: "destination") == "./inner/../inner/second")
        #expect(try job.folder.target(ofLink: "inner/deep/third") == job.folder.path("elsewhere/target"))
        #expect(try job.folder.names(in: "other") == ["target"])
        #expect(try job.folder.names(in: "inner") == ["deep", "second"] && job.folder.names() == names)
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
            #expect(error?.systemErrorNumber == ENOENT)
            #expect(lseek(descriptor, 0, SEEK_END) == 3)
        }
        #expect(try job.folder.names() == ["source"])
    }
}
