import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What an error says about its file.
@Suite struct FileErrorTests {
    private func check(
        _ error: CryptorError?, _ operation: CryptorError.FileOperation, _ endpoint: FileEndpoint, _ number: CInt,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .inputOutput, sourceLocation: location)
        #expect(error?.fileOperation == operation, sourceLocation: location)
        #expect(error?.path == endpoint.name.path, sourceLocation: location)
        #expect(error?.systemErrorNumber == number, sourceLocation: location)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("\(endpoint): It ") && text.hasSuffix("."), "\(text)", sourceLocation: location)
        // The errors of a dangling link and of a missing folder have their own words.
        let words = [String(cString: strerror(number)), "symbolic link", "in a folder that does not exist"]
        #expect(words.contains(where: text.contains), "\(text)", sourceLocation: location)
    }

    enum BadFile: CaseIterable, Sendable {
        case missing, folder, inMissingFolder, belowAFile, danglingLink, linkLoop, closedDescriptor, empty

        func endpoint(in folder: TemporaryFolder) throws -> (FileEndpoint, CInt) {
            switch self {
            case .missing: return (.path(folder.path("missing")), ENOENT)
            case .folder:
                try folder.makeFolder("folder")
                return (.path(folder.path("folder")), EISDIR)
            case .inMissingFolder: return (.path(folder.path("missing/file")), ENOENT)
            case .belowAFile: return (.path(folder.path("source/below")), ENOTDIR)
            case .danglingLink:
                try folder.symbolicLink("link", to: "missing")
                return (.path(folder.path("link")), ENOENT)
            case .linkLoop:
                try folder.symbolicLink("link", to: "link")
                return (.path(folder.path("link")), ELOOP)
            case .closedDescriptor: return (.descriptor(-1), EBADF)
            case .empty: return (.path(""), ENOENT)
            }
        }
    }

    @Test(arguments: Role.allCases, BadFile.allCases) func badFiles(role: Role, bad: BadFile) throws {
        guard role.isSource || bad != .missing else { return }
        for overwriting in role.isSource ? [true] : [true, false] {
            for naming in role.isSource ? [Naming.anonymous] : Naming.allCases {
                let job = try FileJob(.decrypt)
                let (endpoint, number) = try bad.endpoint(in: job.folder)
                let names = try job.folder.names()
                let error = try caughtError {
                    try naming.use { try role.run(job, endpoint, overwriting: overwriting) }
                }
                check(error, role.isSource ? .openingInput : .creatingOutput, endpoint, number)
                // The error of a missing source does not advise making a folder.
                if role.isSource { #expect(error?.description.contains("It cannot be opened: ") == true) }
                #expect(try job.folder.names() == names && job.isSourceUntouched())
            }
        }
    }

    @Test(.enabled(if: Privileges.canBeDropped), arguments: Way.all) func permissions(way: Way) throws {
        let job = try FileJob(way)
        try job.folder.setMode(0o200, of: "source")
        let source = try caughtError { try Privileges.withoutRoot { try job.run() } }
        check(source, .openingInput, job.source, EACCES)
        try job.folder.setMode(0o644, of: "source")
        try job.folder.setMode(0o555, of: ".")
        let output = try caughtError { try Privileges.withoutRoot { try job.run() } }
        check(output, .creatingOutput, job.destination, EACCES)
        #expect(try job.folder.names() == ["source"])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: FileTask.allCases)
    func aFullDisk(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 600_000)
        let full = FileEndpoint.path("/dev/full")
        check(try caughtError { try job.run(to: full) }, .writingOutput, full, ENOSPC)
    }

    /// A wrong destination is an error before the work waits for the writer of its source.
    @Test(arguments: [Role.encryptTo, .decryptTo, .rekeyTo]) func destinationsThatAreNoFiles(role: Role) throws {
        let job = try FileJob(.decrypt)
        try job.folder.remove("source")
        try job.folder.makeFIFO("source")
        let elsewhere = try #require(URL(string: "https://example.org/"))
        #expect(try caughtError { try role.run(job, elsewhere) }?.code == .invalidPath)
    }

    @Test func namesOfEndpoints() {
        #expect(FileEndpoint.standardInput.description == "standard input")
        #expect(FileEndpoint.standardOutput.description == "standard output")
        #expect(FileEndpoint.descriptor(7).description == "file descriptor 7")
        #expect(FileEndpoint.path("a/b").description == "a/b")
        #expect(FileEndpoint.standardOutput == .descriptor(1))
    }
}
