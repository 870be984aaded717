import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorAsync
@testable import CryptorFiles
@testable import CryptorFormat

/// A destination appears only when it is complete, and with the right permissions.
@Suite struct PublicationTests {
    private static let temporaryPrefix = ".rncryptor-unfinished-"

    /// Besides `names`, the folder has one private unfinished file, or none if unfinished files have no name.
    private func checkUnfinished(_ folder: TemporaryFolder, besides names: [String], _ naming: Naming) throws {
        let others = try folder.names().filter { !names.contains($0) }
        switch naming {
        case .anonymous:
            #expect(others == [])
        case .named:
            #expect(others.count == 1)
            let name = try #require(others.first)
            #expect(name.hasPrefix(Self.temporaryPrefix))
            #expect(name.dropFirst(Self.temporaryPrefix.count).allSatisfy { $0.isHexDigit })
            #expect(try folder.mode(of: name) == 0o600)
        }
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func aNewFile(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task, byteCount: 1_500_000)
        var calls = 0
        try naming.use {
            try job.run { _ in
                calls += 1
                #expect(!job.folder.exists("destination"))
                try checkUnfinished(job.folder, besides: ["source"], naming)
            }
        }
        #expect(calls >= 5)
        #expect(try job.folder.names() == ["destination", "source"])
        #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
        #expect(try job.folder.mode(of: "destination") == job.folder.modeOfNewFiles())
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: FileTask.allCases, Naming.allCases)
    func anOverwrittenFile(task: FileTask, naming: Naming) throws {
        for mode: mode_t in [0o640, 0o400, 0o666, 0o755] {
            let job = try FileJob(task, byteCount: 600_000)
            let old = Array("what was there before".utf8)
            try job.folder.write(old, to: "destination")
            try job.folder.setMode(mode, of: "destination")
            var calls = 0
            try naming.use {
                try job.run(overwriting: true) { _ in
                    calls += 1
                    #expect(try firstDifference(job.folder.read("destination"), old) == nil)
                    #expect(try job.folder.mode(of: "destination") == mode)
                    try checkUnfinished(job.folder, besides: ["source", "destination"], naming)
                }
            }
            #expect(calls >= 2)
            #expect(try job.folder.names() == ["destination", "source"])
            #expect(try job.destinationFlaw() == nil, "\(SeededGenerator())")
            #expect(try job.folder.mode(of: "destination") == mode, "mode \(String(mode, radix: 8))")
        }
    }

    /// The old file is replaced, not written: whoever is reading it reads on in it.
    @Test(arguments: FileTask.allCases, Naming.allCases)
    func anOpenFileIsNotWritten(task: FileTask, naming: Naming) throws {
        let job = try FileJob(task)
        let old = Array("what was there before".utf8)
        try job.folder.write(old, to: "destination")
        try job.folder.link("destination", to: "other name")
        try naming.use { try job.run(overwriting: true) }
        #expect(try firstDifference(job.folder.read("other name"), old) == nil)
        #expect(try job.destinationFlaw() == nil)
        #expect(try job.folder.inode(of: "destination") != job.folder.inode(of: "other name"))
    }

    /// A folder may be one that can be written and not listed, such as a shared drop folder.
    @Test(.enabled(if: Privileges.canBeDropped), arguments: Naming.allCases)
    func aFolderThatCannotBeListed(naming: Naming) throws {
        let job = try FileJob(.encrypt)
        try job.folder.makeFolder("drop")
        try job.folder.setMode(0o333, of: "drop")
        defer { try? job.folder.setMode(0o755, of: "drop") }
        try naming.use {
            try Privileges.withoutRoot { try job.run(to: .path(job.folder.path("drop/message"))) }
        }
        try job.folder.setMode(0o755, of: "drop")
        #expect(try job.flaw(in: job.folder.read("drop/message")) == nil)
    }
}
