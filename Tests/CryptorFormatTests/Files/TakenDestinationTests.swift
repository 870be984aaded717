import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A destination that exists already, or that somebody else creates during the work.
@Suite struct TakenDestinationTests {
    private let theirs = Array("somebody else's".utf8)

    private func expectRefusal(_ job: FileJob, _ error: CryptorError?) throws {
        #expect(error?.code == .destinationExists)
        #expect(error?.path == job.destination.description)
        #expect(error?.fileOperation == .creatingOutput)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try firstDifference(job.folder.read("destination"), theirs) == nil)
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func thereBefore(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        try job.folder.write(theirs, to: "destination")
        try job.folder.setMode(0o640, of: "destination")
        let error = #expect(throws: CryptorError.self) {
            try naming.use { try job.run { _ in Issue.record("the work was begun") } }
        }
        try expectRefusal(job, error)
        #expect(try job.folder.mode(of: "destination") == 0o640)
    }

    /// Nothing is overwritten unless the caller asks for it.
    @Test(arguments: FileTask.allCases, Interface.allCases)
    func untouchedUnlessOneSaysSo(task: FileTask, interface: Interface) async throws {
        let job = try FileJob(task, byteCount: 1000)
        try job.folder.write(theirs, to: "destination")
        let error = await #expect(throws: CryptorError.self) {
            try await interface.run(
                task, job.folder.path("source"), job.folder.path("destination"), job.credential, job.newCredential)
        }
        try expectRefusal(job, error)
    }

    /// Every way to name a file, without any option.
    enum Interface: CaseIterable, Sendable {
        case string, endpoint, url, pool

        func run(
            _ task: FileTask, _ source: String, _ destination: String, _ credential: Credential, _ new: Credential
        ) async throws {
            let pool = CryptorPool(threadCount: 1)
            switch (task, self) {
            case (.encrypt, .pool): try await pool.encryptFile(at: source, to: destination, with: credential)
            case (.decrypt, .pool): try await pool.decryptFile(at: source, to: destination, with: credential)
            case (.rekey, .pool):
                try await pool.rekeyFile(at: source, to: destination, from: credential, into: new)
            default: try runHere(task, source, destination, credential, new)
            }
        }

        private func runHere(
            _ task: FileTask, _ source: String, _ destination: String, _ credential: Credential, _ new: Credential
        ) throws {
            let endpoints = (FileEndpoint.path(source), FileEndpoint.path(destination))
            let urls = (URL(fileURLWithPath: source), URL(fileURLWithPath: destination))
            switch (task, self) {
            case (.encrypt, .string): try Cryptor.encryptFile(at: source, to: destination, with: credential)
            case (.decrypt, .string): try Cryptor.decryptFile(at: source, to: destination, with: credential)
            case (.rekey, .string): try Cryptor.rekeyFile(at: source, to: destination, from: credential, into: new)
            case (.encrypt, .endpoint): try Cryptor.encryptFile(at: endpoints.0, to: endpoints.1, with: credential)
            case (.decrypt, .endpoint): try Cryptor.decryptFile(at: endpoints.0, to: endpoints.1, with: credential)
            case (.rekey, .endpoint):
                try Cryptor.rekeyFile(at: endpoints.0, to: endpoints.1, from: credential, into: new)
            case (.encrypt, .url): try Cryptor.encryptFile(at: urls.0, to: urls.1, with: credential)
            case (.decrypt, .url): try Cryptor.decryptFile(at: urls.0, to: urls.1, with: credential)
            case (.rekey, .url): try Cryptor.rekeyFile(at: urls.0, to: urls.1, from: credential, into: new)
            case (_, .pool): break
            }
        }
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func createdMeanwhile(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        let error = #expect(throws: CryptorError.self) {
            try naming.use { try job.run { _ in try job.folder.write(theirs, to: "destination") } }
        }
        try expectRefusal(job, error)
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func createdMeanwhileAndAllowedToBeOverwritten(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        try naming.use {
            try job.run(overwriting: true) { _ in try job.folder.write(theirs, to: "destination") }
        }
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func removedMeanwhile(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        try job.folder.write(theirs, to: "destination")
        try naming.use {
            try job.run(overwriting: true) { _ in try? FileManager.default.removeItem(atPath: "\(job.destination)") }
        }
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
    }

    /// A folder is never replaced.
    @Test(arguments: [false, true], Naming.allCases)
    func aFolderMeanwhile(overwriting: Bool, naming: Naming) throws {
        let job = try FileJob(.encrypt, byteCount: 500_000)
        let error = #expect(throws: CryptorError.self) {
            try naming.use {
                try job.run(overwriting: overwriting) { _ in
                    if !job.folder.exists("destination") { try job.folder.makeFolder("destination") }
                }
            }
        }
        #expect(error?.code == (overwriting ? .inputOutput : .destinationExists))
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(job.destination)") == [])
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func theFolderIsGoneMeanwhile(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 500_000)
        try job.folder.makeFolder("inner")
        let destination = job.folder.path("inner/destination")
        let error = #expect(throws: CryptorError.self) {
            try naming.use {
                try job.run(to: .path(destination)) { _ in
                    try? FileManager.default.removeItem(atPath: job.folder.path("inner"))
                }
            }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.fileOperation == .writingOutput)
        #expect(error?.path == destination)
        #expect(error?.systemErrorNumber == ENOENT)
        #expect(try job.folder.names() == ["source"])
    }

    /// The output is published in the folder that was there at the start, and nothing outside it is written or removed.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func theFolderIsExchangedMeanwhile(task: FileTask, naming: Naming) throws {
        for (overwriting, byALink) in [(false, false), (false, true), (true, false), (true, true)] {
            let job = try FileJob(task, byteCount: 500_000)
            for name in ["inner", "outside"] { try job.folder.makeFolder(name) }
            try job.folder.write(theirs, to: "outside/destination")
            if overwriting { try job.folder.write([1, 2, 3], to: "inner/destination") }
            var isDone = false
            try naming.use {
                try job.run(to: .path(job.folder.path("inner/destination")), overwriting: overwriting) { _ in
                    guard !isDone else { return }
                    isDone = true
                    try job.folder.rename("inner", to: "moved")
                    if byALink {
                        try job.folder.symbolicLink("inner", to: "outside")
                    } else {
                        try job.folder.rename("outside", to: "inner")
                    }
                }
            }
            #expect(isDone)
            #expect(try job.folder.read("inner/destination") == theirs)
            #expect(try job.folder.names(in: "inner") == ["destination"])
            #expect(try job.folder.names(in: "moved") == ["destination"])
            #expect(try job.flaw(in: job.folder.read("moved/destination")) == nil, "\(SeededGenerator())")
        }
    }
}
