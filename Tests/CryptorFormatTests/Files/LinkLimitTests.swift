import CryptorPrimitives
import CryptorSystem
import CryptorTestSupport
import Foundation
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// How many links are followed, and what the errors of paths that lead nowhere say.
@Suite struct LinkLimitTests {
    /// The system's own limit (path_resolution(7)).
    private static let limit = 40

    /// - Returns: the folder's path without any link.
    private func realPath(_ folder: TemporaryFolder) throws -> String {
        let path = try #require(realpath(folder.path, nil))
        defer { free(path) }
        return String(cString: path)
    }

    /// Makes links that each lead to the one before. A link's number says how many links have to be followed.
    private func makeLinks(_ count: Int, to target: String, in folder: TemporaryFolder) throws {
        for number in 1...count {
            try folder.symbolicLink("link \(number)", to: number == 1 ? target : "link \(number - 1)")
        }
    }

    @Test(arguments: [false, true])
    func fortyLinksAreFollowed(toTheFolder: Bool) throws {
        let job = try FileJob(.decrypt)
        let limit = Self.limit
        try makeLinks(limit + 1, to: toTheFolder ? "." : "source", in: job.folder)
        let end = toTheFolder ? "/source" : ""
        let path = try realPath(job.folder)
        #expect(try Cryptor.verifyFile(at: "\(path)/link \(limit)\(end)", with: job.credential) == 1000)
        let error = try caughtError {
            try Cryptor.verifyFile(at: "\(path)/link \(limit + 1)\(end)", with: job.credential)
        }
        #expect(error?.code == .inputOutput, "\(limit + 1) links: \(String(describing: error))")
        #expect(error?.systemErrorNumber == ELOOP, "\(limit + 1) links: \(String(describing: error))")
        #expect(error?.fileOperation == .openingInput)
    }

    @Test(arguments: FileTask.allCases)
    func fortyLinksToAnOutput(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.write([1, 2, 3], to: "target")
        try makeLinks(Self.limit + 1, to: "target", in: job.folder)
        let error = try caughtError {
            try job.run(to: .path("\(realPath(job.folder))/link \(Self.limit + 1)"), overwriting: true)
        }
        #expect(error?.systemErrorNumber == ELOOP, "\(String(describing: error))")
        #expect(try job.folder.read("target") == [1, 2, 3])
        try job.run(to: .path("\(realPath(job.folder))/link \(Self.limit)"), overwriting: true)
        #expect(try job.flaw(in: job.folder.read("target")) == nil, "\(SeededGenerator())")
        #expect(try job.folder.target(ofLink: "link 1") == "target")
    }

    /// The error of a missing source does not advise making a folder.
    @Test(arguments: FileTask.allCases, ["missing/file", "link/file", "missing link"])
    func aSourceInAMissingFolder(task: FileTask, name: String) throws {
        let job = try FileJob(task)
        try job.folder.symbolicLink("link", to: "missing")
        try job.folder.symbolicLink("missing link", to: "missing/file")
        let error = try caughtError { try job.run(from: .path(job.folder.path(name))) }
        #expect(error?.code == .inputOutput && error?.systemErrorNumber == ENOENT, "\(String(describing: error))")
        #expect(error?.fileOperation == .openingInput)
        #expect(
            error?.description == "\(job.folder.path(name)): It cannot be opened: No such file or directory.",
            "\(String(describing: error))")
        #expect(try job.folder.names() == ["link", "missing link", "source"])
    }
}
