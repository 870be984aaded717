import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// What an error says about its file.
@Suite struct FileErrorTests {
    private func expect(
        _ error: CryptorError?, _ code: CryptorError.Code, _ operation: CryptorError.FileOperation,
        _ endpoint: FileEndpoint, _ number: CInt?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.fileOperation == operation, sourceLocation: sourceLocation)
        #expect(error?.path == endpoint.name.path, sourceLocation: sourceLocation)
        #expect(error?.systemErrorNumber == number, sourceLocation: sourceLocation)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("\(endpoint): It ") && text.hasSuffix("."), "\(text)", sourceLocation: sourceLocation)
        if let number {
            let words = String(cString: strerror(number))
            // The errors of a dangling link and of a missing folder have their own words.
            let own = ["symbolic link", "in a folder that does not exist"]
            #expect(([words] + own).contains(where: text.contains), "\(text)", sourceLocation: sourceLocation)
        }
    }

    // MARK: Sources

    enum BadSource: CaseIterable, Sendable {
        case missing, folder, belowAFile, danglingLink, linkLoop, closedDescriptor, empty

        func endpoint(in folder: TemporaryFolder) throws -> (FileEndpoint, CInt) {
            switch self {
            case .missing: return (.path(folder.path("missing")), ENOENT)
            case .folder:
                try folder.makeFolder("folder")
                return (.path(folder.path("folder")), EISDIR)
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

    @Test(arguments: FileTask.allCases, BadSource.allCases)
    func sources(task: FileTask, bad: BadSource) throws {
        let job = try FileJob(task)
        let (source, number) = try bad.endpoint(in: job.folder)
        let names = try job.folder.names()
        let error = #expect(throws: CryptorError.self) { try job.run(from: source) }
        expect(error, .inputOutput, .openingInput, source, number)
        #expect(try job.folder.names() == names)
    }

    @Test(arguments: BadSource.allCases)
    func sourcesOfVerificationAndInspection(bad: BadSource) throws {
        let job = try FileJob(.decrypt)
        let (source, number) = try bad.endpoint(in: job.folder)
        let ofVerification = #expect(throws: CryptorError.self) {
            try Cryptor.verifyFile(at: source, with: job.credential)
        }
        expect(ofVerification, .inputOutput, .openingInput, source, number)
        let ofInspection = #expect(throws: CryptorError.self) { try Cryptor.inspectFile(at: source) }
        expect(ofInspection, .inputOutput, .openingInput, source, number)
    }

    @Test(.enabled(if: Privileges.canBeDropped), arguments: FileTask.allCases)
    func unreadable(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.setMode(0o200, of: "source")
        let error = #expect(throws: CryptorError.self) { try Privileges.withoutRoot { try job.run() } }
        expect(error, .inputOutput, .openingInput, job.source, EACCES)
        #expect(try job.folder.names() == ["source"])
    }

    @Test(arguments: FileTask.allCases)
    func descriptorsForWritingOnly(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.withDescriptor(of: "source", O_WRONLY) { file in
            let error = #expect(throws: CryptorError.self) { try job.run(from: .descriptor(file)) }
            expect(error, .inputOutput, .readingInput, .descriptor(file), EBADF)
        }
        #expect(try job.folder.names() == ["source"])
    }

    // MARK: Destinations

    enum BadDestination: CaseIterable, Sendable {
        case folder, inMissingFolder, belowAFile, danglingLink, linkLoop, closedDescriptor

        func endpoint(in folder: TemporaryFolder) throws -> (FileEndpoint, CInt) {
            switch self {
            case .folder:
                try folder.makeFolder("folder")
                return (.path(folder.path("folder")), EISDIR)
            case .inMissingFolder: return (.path(folder.path("missing/destination")), ENOENT)
            case .belowAFile: return (.path(folder.path("source/below")), ENOTDIR)
            case .danglingLink:
                try folder.symbolicLink("link", to: "missing")
                return (.path(folder.path("link")), ENOENT)
            case .linkLoop:
                try folder.symbolicLink("link", to: "link")
                return (.path(folder.path("link")), ELOOP)
            case .closedDescriptor: return (.descriptor(-1), EBADF)
            }
        }
    }

    @Test(arguments: BadDestination.allCases, Naming.allCases)
    func destinations(bad: BadDestination, naming: Naming) throws {
        for task in FileTask.allCases {
            for overwriting in [false, true] {
                let job = try FileJob(task)
                let (destination, number) = try bad.endpoint(in: job.folder)
                let names = try job.folder.names()
                let error = #expect(throws: CryptorError.self, "\(task)") {
                    try naming.use { try job.run(to: destination, overwriting: overwriting) }
                }
                expect(error, .inputOutput, .creatingOutput, destination, number)
                #expect(try job.folder.names() == names)
                #expect(try job.isSourceUntouched())
            }
        }
    }

    @Test(.enabled(if: Privileges.canBeDropped), arguments: Naming.allCases)
    func aFolderThatCannotBeWritten(naming: Naming) throws {
        let job = try FileJob(.encrypt)
        try job.folder.setMode(0o555, of: ".")
        let error = #expect(throws: CryptorError.self) {
            try naming.use { try Privileges.withoutRoot { try job.run() } }
        }
        expect(error, .inputOutput, .creatingOutput, job.destination, EACCES)
    }

    @Test(arguments: FileTask.allCases)
    func descriptorsForReadingOnly(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.write([], to: "destination")
        try job.folder.withDescriptor(of: "destination", O_RDONLY) { file in
            let error = #expect(throws: CryptorError.self) { try job.run(to: .descriptor(file)) }
            expect(error, .inputOutput, .writingOutput, .descriptor(file), EBADF)
        }
        #expect(try job.folder.read("destination").isEmpty)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: FileTask.allCases)
    func aFullDisk(task: FileTask) throws {
        let job = try FileJob(task, byteCount: 600_000)
        let error = #expect(throws: CryptorError.self) { try job.run(to: .path("/dev/full")) }
        expect(error, .inputOutput, .writingOutput, .path("/dev/full"), ENOSPC)
    }

    @Test func namesOfEndpoints() {
        #expect(FileEndpoint.standardInput.description == "standard input")
        #expect(FileEndpoint.standardOutput.description == "standard output")
        #expect(FileEndpoint.descriptor(7).description == "file descriptor 7")
        #expect(FileEndpoint.path("a/b").description == "a/b")
        #expect(FileEndpoint.standardOutput == .descriptor(1))
    }
}
