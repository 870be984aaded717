import Foundation
import CryptorTestSupport
import Testing

@testable import CryptorFormat

/// Source and destination are the same file, under whatever names.
@Suite struct SameFileTests {
    enum Alias: CaseIterable, Sendable {
        case path, dottedPath, hardLink, symbolicLink, linkToLink, linkedFolder

        func path(in folder: TemporaryFolder) throws -> String {
            switch self {
            case .path: return folder.path("source")
            case .dottedPath: return folder.path("./source")
            case .hardLink: try folder.link("source", to: "alias")
            case .symbolicLink: try folder.symbolicLink("alias", to: "source")
            case .linkToLink:
                try folder.symbolicLink("first", to: folder.path("source"))
                try folder.symbolicLink("alias", to: "first")
            case .linkedFolder:
                try folder.symbolicLink("folder", to: ".")
                return folder.path("folder/source")
            }
            return folder.path("alias")
        }
    }

    @Test(arguments: Alias.allCases, Naming.allCases)
    func isRefused(alias: Alias, naming: Naming) throws {
        for task in [FileTask.encrypt, .decrypt] {
            for overwriting in [false, true] {
                let job = try FileJob(task)
                let path = try alias.path(in: job.folder)
                let names = try job.folder.names()
                for (source, destination) in [(job.source, .path(path)), (.path(path), job.source)] {
                    let error = #expect(throws: CryptorError.self, "\(task)") {
                        try naming.use { try job.run(from: source, to: destination, overwriting: overwriting) }
                    }
                    #expect(error?.code == .sameFile)
                    #expect(error?.path == destination.description)
                    #expect(error?.fileOperation == .creatingOutput)
                    #expect(error?.systemErrorNumber == nil)
                }
                #expect(try job.folder.names() == names)
                #expect(try job.isSourceUntouched())
            }
        }
    }

    /// A descriptor of the source is refused as destination, even for rekeying: the output would destroy the source.
    @Test(arguments: FileTask.allCases)
    func descriptorsAreRefused(task: FileTask) throws {
        let job = try FileJob(task)
        try job.folder.withDescriptor(of: "source", O_RDWR) { file in
            var pairs: [(FileEndpoint, FileEndpoint)] = [
                (job.source, .descriptor(file)), (.descriptor(file), .descriptor(file)),
            ]
            if task != .rekey { pairs.append((.descriptor(file), job.source)) }
            for (source, destination) in pairs {
                let error = #expect(throws: CryptorError.self) {
                    try job.run(from: source, to: destination, overwriting: true) {
                        // Work that reads its own output would never end.
                        if $0.bytesDone > 1_000_000 { throw CancellationError() }
                    }
                }
                #expect(error?.code == .sameFile)
                #expect(error?.path == destination.description)
            }
        }
        #expect(try job.isSourceUntouched())
    }

    @Test(arguments: Alias.allCases, Naming.allCases)
    func rekeyingReplacesTheSource(alias: Alias, naming: Naming) throws {
        for mode: mode_t in [0o640, 0o400] {
            let job = try FileJob(.rekey, byteCount: 1_200_000)
            try job.folder.setMode(mode, of: "source")
            let path = try alias.path(in: job.folder)
            let names = try job.folder.names()
            if alias == .hardLink {
                let error = #expect(throws: CryptorError.self) { try naming.use { try job.run(to: .path(path)) } }
                #expect(error?.code == .severalNames)
                #expect(error?.path == path)
                #expect(error?.description.contains("It has 2 names (hard links), and was not touched") == true)
                #expect(try job.isSourceUntouched())
                #expect(try job.folder.names() == names)
            }
            try naming.use {
                try job.run(to: .path(path), overwriting: alias == .hardLink) { _ in
                    let isUntouched = try job.isSourceUntouched()
                    #expect(isUntouched)
                }
            }
            // The given name of a hard link is replaced, and the other name keeps the old message.
            let written = alias == .hardLink ? "alias" : "source"
            #expect(try job.flaw(in: job.folder.read(written)) == nil, "\(SeededGenerator())")
            #expect(try job.folder.mode(of: written) == mode)
            #expect(try job.folder.names() == names)
            switch alias {
            case .hardLink: #expect(try job.isSourceUntouched())
            case .symbolicLink: #expect(try job.folder.target(ofLink: "alias") == "source")
            case .linkToLink: #expect(try job.folder.target(ofLink: "first") == job.folder.path("source"))
            default: break
            }
        }
    }

    /// If another file, which was not read, has taken the name meanwhile, it is not replaced, even with `overwriting`.
    @Test(arguments: [false, true], Naming.allCases)
    func rekeyingDoesNotReplaceAFileThatItDidNotRead(overwriting: Bool, naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_200_000)
        let newer = Array("a newer file of the same name".utf8)
        var calls = 0
        let error = try caughtError {
            try naming.use {
                try job.run(to: job.source, overwriting: overwriting) { _ in
                    calls += 1
                    guard calls == 2 else { return }
                    try job.folder.write(newer, to: "newer")
                    try job.folder.rename("newer", to: "source")
                }
            }
        }
        #expect(try job.folder.names() == ["source"])
        let found = try job.folder.read("source")
        #expect(error?.code == .inputOutput)
        #expect(error?.path == job.source.description)
        #expect(firstDifference(found, newer) == nil)
    }

    /// A file that was changed meanwhile is not replaced: the change, of its contents or permissions, would be lost.
    @Test(arguments: ["mode", "link", "time"], Naming.allCases)
    func rekeyingDoesNotReplaceWhatWasChanged(change: String, naming: Naming) throws {
        let job = try FileJob(.rekey, byteCount: 1_200_000)
        var isDone = false
        let error = try caughtError {
            try naming.use {
                try job.run(to: job.source) { _ in
                    guard !isDone else { return }
                    isDone = true
                    switch change {
                    case "mode": try job.folder.setMode(0o600, of: "source")
                    case "link": try job.folder.link("source", to: "other name")
                    default: try job.folder.setTimes(1, 2, of: "source")
                    }
                }
            }
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.isPublished == false)
        #expect(try job.isSourceUntouched())
        #expect(try job.folder.names() == (change == "link" ? ["other name", "source"] : ["source"]))
    }
}
